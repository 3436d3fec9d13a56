import Glibc
import ObjectStore
import Runtime
import Transfer

extension FileSystem {
    package func read(
        inode: InodeNumber, handle: HandleID, offset: Int64, count: Int, context: OperationContext,
        reply: @escaping Reply<ReadBytes>
    ) {
        let number = handle.rawValue
        guard let handle = handles.withLock({ $0.file(handle) }), offset >= 0, count >= 0 else {
            _ = reply(.failure(FileSystemError(EBADF)))
            return
        }
        let range = offset..<offset + Int64(count)
        enum Source { case unsent(UploadSession), object(ObjectReader), nothing }
        let source: Source = handle.file.state.withLock { state in
            if let session = state.session { return .unsent(session) }
            return reader(of: &state).map { .object($0) } ?? .nothing
        }
        switch source {
        case .nothing: _ = reply(.success(.empty))
        case .object(let reader):
            let share = cache.readShare(of: number)
            let ahead = handle.state.withLock { state in
                state.window.advance(offset: offset, count: Int64(count), size: reader.size, share: share)
            }
            reader.read(range, ahead: ahead, cancellation: context.cancellation) { [self] result in
                switch result {
                case .success(let bytes): _ = reply(.success(bytes))
                case .failure(let error):
                    // A commit of ours may have replaced the version that was being read.
                    guard !hasMoved(handle.file, from: reader) else {
                        return dispatch(context, reply) { [self] () throws(FileSystemError) in
                            try readAgain(range, handle, context)
                        }
                    }
                    let failure = readFailure(error, of: inode)
                    report(failure)
                    _ = reply(.failure(failure))
                }
            }
        case .unsent(let session):
            if let bytes = session.readNow(range) {
                _ = reply(.success(bytes))
                return
            }
            dispatch(context, reply) { [self] () throws(FileSystemError) in
                try readAgain(range, handle, context)
            }
        }
    }

    private func hasMoved(_ file: FileContent, from reader: ObjectReader) -> Bool {
        file.state.withLock { $0.session != nil || $0.reader !== reader }
    }

    /// Reads on this thread, whatever the file is by now: its readers go on over our own commits.
    private func readAgain(
        _ range: ByteRange, _ handle: FileHandle, _ context: OperationContext
    ) throws(FileSystemError) -> ReadBytes {
        let request = requestContext(context)
        while true {
            let (session, reader) = handle.file.state.withLock { state in (state.session, self.reader(of: &state)) }
            do throws(ObjectStoreError) {
                if let session { return try session.read(range, request) }
                guard let reader else { return .empty }
                let wanted = range.clamped(to: 0..<max(reader.size, 0))
                return wanted.isEmpty ? .empty : try reader.readNow(wanted, request)
            } catch {
                let isSame = handle.file.state.withLock {
                    $0.session === session && (session != nil || $0.reader === reader)
                }
                guard !isSame, !request.deadline.hasPassed else { throw readFailure(error, of: handle.inode) }
            }
        }
    }

    /// The reader of a file's base, made at the first read; nil for a file that has none. Under the file's lock.
    func reader(of state: inout FileContent.State) -> ObjectReader? {
        if let reader = state.reader { return reader }
        guard let base = state.base else { return nil }
        let reader = ObjectReader(key: base.key, etag: base.listed.etag, size: base.listed.size, cache: cache)
        state.reader = reader
        return reader
    }

    /// The error for a read that failed, of which the kernel is told where another version stands under the name now.
    ///
    /// A read pinned to a version that is gone is ESTALE, also where the whole object is.
    func readFailure(_ error: ObjectStoreError, of inode: InodeNumber) -> FileSystemError {
        // The kernel may keep pages that were read before the checksum turned out to be another.
        if error.kind == .corrupted { notifier.invalidateInode(inode, dropsPages: true) }
        if error.kind == .preconditionFailed || error.kind == .notFound {
            table.withLock { table in
                guard let node = table[inode], let file = node.file, node.parent != nil else { return }
                guard !file.state.withLock({ $0.isLocal || $0.writers > 0 }) else { return }
                node.parent?.directory.listing = nil
                replace(node, &table)
            }
        }
        return error.kind == .notFound ? FileSystemError(ESTALE, error.summary) : FileSystemError(error)
    }
}
