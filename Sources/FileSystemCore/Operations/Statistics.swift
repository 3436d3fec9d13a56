import Runtime

extension FileSystem {
    /// A bucket has no size: what is shown is large enough for any program, finite, and always mostly free. Never waits.
    package func statfs(
        inode: InodeNumber, context: OperationContext, reply: @escaping Reply<FileSystemStatistics>
    ) {
        // 1 PiB in blocks of 4 KiB and 2^32 inodes: within 32-bit block counts of old programs' doubles, and no 16E
        // that some read as negative.
        let blocks: UInt64 = 1 << 38
        let inodes: UInt64 = 1 << 32
        _ = reply(
            .success(
                FileSystemStatistics(
                    blockBytes: 4096, totalBlocks: blocks, freeBlocks: blocks, totalInodes: inodes,
                    freeInodes: inodes, maximumNameBytes: UInt64(255))))
    }

    package func destroy() {}
}
