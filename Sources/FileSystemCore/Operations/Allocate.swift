import Glibc

extension FileSystem {
    /// FALLOC_FL_KEEP_SIZE of linux/falloc.h.
    private static let keepsSize: Int32 = 1

    /// Promises room, of which a bucket has enough for every file that may be this long, and makes the file as long as
    /// that.
    ///
    /// Not taken: FALLOC_FL_PUNCH_HOLE, ZERO_RANGE, COLLAPSE_RANGE and the rest, as an object has no holes: what they
    /// save would have to be sent as zeros instead. Programs then write the zeros by themselves, or do without.
    package func fallocate(
        inode: InodeNumber, handle: HandleID, mode: Int32, offset: Int64, count: Int64, context: OperationContext,
        reply: @escaping Reply<Void>
    ) {
        let id = handle
        guard let handle = handles.withLock({ $0.file(id) }), handle.isWritable else {
            _ = reply(.failure(FileSystemError(EBADF)))
            return
        }
        guard mode & ~Self.keepsSize == 0 else {
            _ = reply(.failure(FileSystemError(EOPNOTSUPP)))
            return
        }
        let (end, overflows) = offset.addingReportingOverflow(count)
        guard offset >= 0, count > 0 else {
            _ = reply(.failure(FileSystemError(EINVAL)))
            return
        }
        guard !overflows, isPossible(end) else {
            _ = reply(.failure(FileSystemError(EFBIG)))
            return
        }
        if mode & Self.keepsSize != 0 || handle.file.state.withLock({ $0.size >= end }) {
            _ = reply(.success(()))
            return
        }
        var change = AttributeChange()
        change.size = end
        change.handle = id
        setattr(inode: inode, change: change, context: context) { result in reply(result.map { _ in () }) }
    }
}
