import CFuse

/// What of the kernel's offers is taken, decided when INIT comes.
enum Capabilities {
    private static let wanted: UInt32 =
        UInt32(FUSE_CAP_ASYNC_READ) | UInt32(FUSE_CAP_ATOMIC_O_TRUNC) | UInt32(FUSE_CAP_PARALLEL_DIROPS)
        | UInt32(FUSE_CAP_READDIRPLUS) | UInt32(FUSE_CAP_READDIRPLUS_AUTO)
        // A changed size or mtime doesn't drop pages: other bytes are another inode, and only we know.
        | UInt32(FUSE_CAP_EXPLICIT_INVAL_DATA)

    /// Replaces libfuse's own choice, which would take also:
    /// WRITEBACK_CACHE (the kernel would ignore other writers' sizes), AUTO_INVAL_DATA (see above), ASYNC_DIO (a waiting
    /// O_DIRECT reader couldn't be killed), HANDLE_KILLPRIV (its second version takes its place, see `DeviceHooks`),
    /// SPLICE_… (slower on memory), IOCTL_DIR, CACHE_SYMLINKS, NO_OPEN_SUPPORT. DONT_MASK stays off: the kernel applies
    /// the umask, and applying it again changes nothing.
    static func choose(_ connection: inout fuse_conn_info) {
        connection.want = connection.capable & wanted
        // 64 read-ahead requests in flight hide some 50 ms at 1 GiB/s; the kernel's 12 would cap one reader.
        connection.max_background = 64
        // Three quarters: above it the kernel tells writers of page cache to slow down.
        connection.congestion_threshold = 48
        // 256 pages: the most that libfuse 3.14 can take.
        connection.max_write = min(connection.max_write, 1 << 20)
    }
}
