import Glibc
import Instrumentation
import ObjectStore
import Runtime

// FLUSH is not close: shells flush before the first write, each exiting child flushes the descriptors that it
// inherited, and a killed writer flushes too. What counts as the close of a file, and sends it, is a flush by the
// process that opened it, of the last descriptor that the process has of it. RELEASE sends what is left.
//
// A file that was made or truncated and not written is sent by the same rule, as its close must tell errors too. The
// shell's own `> file` duplicates the descriptor before it closes the first, so it is not mistaken for that.

extension FileSystem {
    package func flush(
        inode: InodeNumber, handle: HandleID, context: OperationContext, reply: @escaping Reply<Void>
    ) {
        guard let handle = handles.withLock({ $0.file(handle) }) else {
            _ = reply(.failure(FileSystemError(EBADF)))
            return
        }
        let hasNews = handle.isWritable && handle.file.state.withLock { $0.isDirty }
        guard hasNews, isClose(by: context.caller.pid, of: handle) else {
            _ = reply(untoldError(of: handle).map { .failure($0) } ?? .success(()))
            return
        }
        dispatch(context, reply) { [self] () throws(FileSystemError) in
            try commitTelling(handle)
        }
    }

    package func fsync(
        inode: InodeNumber, handle: HandleID, dataOnly: Bool, context: OperationContext, reply: @escaping Reply<Void>
    ) {
        guard let handle = handles.withLock({ $0.file(handle) }) else {
            _ = reply(.failure(FileSystemError(EBADF)))
            return
        }
        guard handle.file.state.withLock({ $0.isDirty || $0.isSending }) else {
            _ = reply(untoldError(of: handle).map { .failure($0) } ?? .success(()))
            return
        }
        dispatch(context, reply) { [self] () throws(FileSystemError) in
            try commitTelling(handle)
        }
    }

    package func release(
        inode: InodeNumber, handle: HandleID, context: OperationContext, reply: @escaping Reply<Void>
    ) {
        close(handle)
        _ = reply(.success(()))
    }

    /// Whether a flush by the thread `pid` is the close of the file, as far as can be told: in doubt, it is.
    private func isClose(by pid: Int32, of handle: FileHandle) -> Bool {
        guard handle.openerProcess > 0, let process = Processes.process(of: pid) else { return true }
        guard process == handle.openerProcess else {
            // The opener may have handed its descriptor on and ended.
            return !Processes.exists(handle.openerProcess)
        }
        return !Processes.holds(process, inode: handle.inode)
    }

    /// Sends, and tells this handle of a failure: this one's, or one that it hasn't been told of.
    ///
    /// Not bound to the caller's life: a writer that is killed while it closes counts as having closed.
    private func commitTelling(_ handle: FileHandle) throws(FileSystemError) {
        do throws(FileSystemError) {
            try commit(
                handle.file, inode: handle.inode, RequestContext(deadline: .after(configuration.deadline)))
        } catch {
            let count = handle.file.state.withLock { $0.errorCount }
            handle.state.withLock { $0.toldErrors = count }
            throw error
        }
        if let error = untoldError(of: handle) { throw error }
    }

    /// A failure of sending that this handle hasn't been told of; it has now.
    private func untoldError(of handle: FileHandle) -> FileSystemError? {
        let (count, last) = handle.file.state.withLock { ($0.errorCount, $0.lastError) }
        return handle.state.withLock { state in
            guard state.toldErrors < count else { return nil }
            state.toldErrors = count
            return last
        }
    }

    /// Ends one open; sends what is left once nobody has the file open for writing.
    func close(_ id: HandleID) {
        guard let handle = handles.withLock({ $0.removeFile(id) }) else { return }
        cache.endReadShare(of: id.rawValue)
        let isLastWriter = handle.file.state.withLock { state in
            if handle.isReadable { state.readers -= 1 }
            guard handle.isWritable else { return false }
            state.writers -= 1
            return state.writers == 0 && state.isDirty
        }
        if isLastWriter {
            let isTaken = operations.submit { [self] in
                sendRest(of: handle)
                leave(handle)
            }
            if isTaken { return }
        }
        leave(handle)
    }

    /// Sends what nobody can be told of any more. What can't be sent is dropped: the bucket's version shows again.
    private func sendRest(of handle: FileHandle) {
        let file = handle.file
        let hasFailed = file.state.withLock { $0.failedAt == $0.changes || $0.isPoisoned }
        do throws(FileSystemError) {
            if hasFailed {
                throw file.state.withLock { $0.lastError }
                    ?? FileSystemError(EIO, "An earlier write to it failed, as the log says.")
            }
            try commit(file, inode: handle.inode, RequestContext(deadline: .after(configuration.deadline)))
        } catch {
            let isOpenAgain = file.state.withLock { $0.writers > 0 || !$0.isDirty }
            if !isOpenAgain { drop(handle.inode, file, because: error) }
        }
    }

    private func drop(_ inode: InodeNumber, _ file: FileContent, because error: FileSystemError) {
        let path: [UInt8] = table.withLock { table in
            guard let node = table[inode], node.parent != nil else { return [] }
            let path = table.path(of: node) ?? []
            if let parent = node.parent, let name = node.name {
                parent.directory.listing = nil
                parent.directory.noteChange(name, to: nil, at: clock.monotonic, wall: clock.wall)
                parent.directory.forgetAbsent(name)
            }
            replace(node, &table)
            return path
        }
        file.state.withLock { state in
            state.session?.abandon()
            state.session = nil
            state.isUnlinked = true
        }
        table.withLock { table in
            if let node = table[inode] { table.dropIfUnused(node) }
        }
        guard !path.isEmpty else { return }
        log(
            .error, "a file could not be sent and was dropped after its last close",
            [LogField("path", path), LogField("errno", Int(error.errno)), LogField("why", error.message)])
    }

    private func leave(_ handle: FileHandle) {
        let isUnused: Bool = table.withLock { table in
            guard let node = table[handle.inode] else { return true }
            node.opens -= 1
            let isUnused = node.opens == 0
            table.dropIfUnused(node)
            return isUnused
        }
        guard isUnused else { return }
        handle.file.state.withLock { $0.reader }?.cancelReadAhead()
        dropRemains(of: handle.file)
    }
}
