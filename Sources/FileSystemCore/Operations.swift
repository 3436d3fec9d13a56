import Transfer

/// The operations of a file system as the kernel names them; what the bridge calls and tests drive without a mount.
///
/// Every call returns at once: what memory can answer is answered before it returns, the rest by another thread. Each
/// is answered exactly once through its `reply`, with an error at the latest when the operation's deadline has passed
/// (`FileSystemConfiguration`) or soon after its cancellation is set. Names are bytes as the kernel sent them.
package protocol FileSystemOperations: AnyObject, Sendable {
    /// fuse_lowlevel.h `lookup`. A found entry counts one lookup.
    func lookup(
        parent: InodeNumber, name: [UInt8], context: OperationContext, reply: @escaping Reply<LookupResult>)
    /// Takes back `count` lookups of `inode`; unanswered.
    func forget(inode: InodeNumber, count: UInt64)
    func getattr(
        inode: InodeNumber, handle: HandleID?, context: OperationContext, reply: @escaping Reply<TimedAttributes>)
    func setattr(
        inode: InodeNumber, change: AttributeChange, context: OperationContext, reply: @escaping Reply<TimedAttributes>)

    /// `mode` without umask applied; counts one lookup.
    func mkdir(
        parent: InodeNumber, name: [UInt8], mode: UInt32, context: OperationContext, reply: @escaping Reply<Entry>)
    func rmdir(parent: InodeNumber, name: [UInt8], context: OperationContext, reply: @escaping Reply<Void>)
    func unlink(parent: InodeNumber, name: [UInt8], context: OperationContext, reply: @escaping Reply<Void>)
    /// `flags` as of renameat2(2).
    func rename(
        parent: InodeNumber, name: [UInt8], newParent: InodeNumber, newName: [UInt8], flags: UInt32,
        context: OperationContext, reply: @escaping Reply<Void>)

    /// `flags` as of open(2); counts one lookup and opens.
    func create(
        parent: InodeNumber, name: [UInt8], mode: UInt32, flags: Int32, context: OperationContext,
        reply: @escaping Reply<(entry: Entry, file: OpenedFile)>)
    func open(inode: InodeNumber, flags: Int32, context: OperationContext, reply: @escaping Reply<OpenedFile>)
    func read(
        inode: InodeNumber, handle: HandleID, offset: Int64, count: Int, context: OperationContext,
        reply: @escaping Reply<ReadBytes>)
    /// `bytes` die when the call returns. `clearsPrivileges`: the kernel asks to drop suid and sgid (FUSE_WRITE_KILL_SUIDGID).
    func write(
        inode: InodeNumber, handle: HandleID, offset: Int64, bytes: UnsafeRawBufferPointer, clearsPrivileges: Bool,
        context: OperationContext, reply: @escaping Reply<Int>)
    /// `mode` as of fallocate(2).
    func fallocate(
        inode: InodeNumber, handle: HandleID, mode: Int32, offset: Int64, count: Int64, context: OperationContext,
        reply: @escaping Reply<Void>)
    /// One close(2) of a descriptor; comes many times, also from programs that didn't open the file.
    func flush(inode: InodeNumber, handle: HandleID, context: OperationContext, reply: @escaping Reply<Void>)
    func fsync(
        inode: InodeNumber, handle: HandleID, dataOnly: Bool, context: OperationContext, reply: @escaping Reply<Void>)
    /// The last descriptor of this open is gone.
    func release(inode: InodeNumber, handle: HandleID, context: OperationContext, reply: @escaping Reply<Void>)

    func opendir(inode: InodeNumber, context: OperationContext, reply: @escaping Reply<HandleID>)
    /// Entries from `offset` on (0, or a `nextOffset` of before) into `packer`; none added means the end.
    func readdir(
        inode: InodeNumber, handle: HandleID, offset: UInt64, packer: any DirectoryPacker, context: OperationContext,
        reply: @escaping Reply<Void>)
    func releasedir(inode: InodeNumber, handle: HandleID, context: OperationContext, reply: @escaping Reply<Void>)
    func fsyncdir(inode: InodeNumber, handle: HandleID, context: OperationContext, reply: @escaping Reply<Void>)
    func statfs(inode: InodeNumber, context: OperationContext, reply: @escaping Reply<FileSystemStatistics>)

    /// The mount is gone and no operation comes any more.
    func destroy()
}
