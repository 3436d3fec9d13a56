import Glibc
import Instrumentation
import ObjectStore
import Runtime
import Transfer

extension FileSystem {
    package func write(
        inode: InodeNumber, handle: HandleID, offset: Int64, bytes: UnsafeRawBufferPointer, clearsPrivileges: Bool,
        context: OperationContext, reply: @escaping Reply<Int>
    ) {
        guard let handle = handles.withLock({ $0.file(handle) }), handle.isWritable, offset >= 0 else {
            _ = reply(.failure(FileSystemError(EBADF)))
            return
        }
        guard !bytes.isEmpty else {
            _ = reply(.success(0))
            return
        }
        let (end, overflows) = offset.addingReportingOverflow(Int64(bytes.count))
        guard !overflows, isPossible(end) else {
            _ = reply(.failure(tooLarge))
            return
        }
        if needsBase(handle.file, offset: offset, count: bytes.count) {
            return park(bytes, at: offset, handle: handle, clearsPrivileges, context, reply)
        }
        var slabs: [Slab] = []
        while true {
            let session: UploadSession
            do throws(FileSystemError) {
                session = try beginWrite(handle, clearsPrivileges)
            } catch {
                _ = reply(.failure(error))
                return
            }
            switch session.write(bytes, at: offset, slabs: &slabs) {
            case .written:
                // The kernel would show the old mode until it asks again.
                if clearsPrivileges { notifier.invalidateInode(inode, dropsPages: false) }
                _ = reply(.success(bytes.count))
                return
            case .frozen: return park(bytes, at: offset, handle: handle, clearsPrivileges, context, reply)
            case .lacks(let count):
                guard let more = uploads.takeSlabsNow(count) else {
                    return park(bytes, at: offset, handle: handle, clearsPrivileges, context, reply)
                }
                slabs += more
            }
        }
    }

    /// Notes a write that is to come; returns the session that takes it.
    private func beginWrite(
        _ handle: FileHandle, _ clearsPrivileges: Bool
    ) throws(FileSystemError) -> UploadSession {
        try handle.file.state.withLock { state throws(FileSystemError) in
            if state.isPoisoned {
                throw FileSystemError(EIO, "An earlier write to this file failed; truncate it first.")
            }
            let session = beginChanges(&state, handle.inode)
            if !handle.appends { state.hasPlainWrites = true }
            if clearsPrivileges { state.clearPrivileges() }
            state.modificationTime = clock.wall
            state.changeTime = state.modificationTime
            state.hasSetTimes = false
            state.noteChange()
            return session
        }
    }

    /// An object up to this size is fetched before the first edit of it is taken. A commit needs its bytes anyway, and
    /// whoever replaces the object meanwhile can no longer take them away. 8 MiB: one request.
    private static let earlyBaseBytes: Int64 = 8 << 20

    /// Whether this write is the first edit of a small object, and leaves some of it standing.
    private func needsBase(_ file: FileContent, offset: Int64, count: Int) -> Bool {
        file.state.withLock { state in
            guard state.session == nil, let size = state.base?.listed.size, size > 0 else { return false }
            let limit = min(Self.earlyBaseBytes, uploads.configuration.limits.base)
            return size <= limit && !(offset == 0 && Int64(count) >= size)
        }
    }

    /// Makes a session that holds all of the base.
    private func loadBase(_ handle: FileHandle, _ context: RequestContext) throws(FileSystemError) {
        let session = handle.file.state.withLock { beginChanges(&$0, handle.inode) }
        do throws(ObjectStoreError) {
            try session.load(0..<Self.earlyBaseBytes, context)
        } catch {
            // Nothing was written yet: the file is as it was.
            handle.file.state.withLock { state in
                guard state.session === session, session.isUntouched else { return }
                state.session = nil
                state.buildsOnBase = false
            }
            throw readFailure(error, of: handle.inode)
        }
    }

    /// Sets a write aside until there is memory, or a commit has ended; the receiving thread must not wait.
    private func park(
        _ bytes: UnsafeRawBufferPointer, at offset: Int64, handle: FileHandle, _ clearsPrivileges: Bool,
        _ context: OperationContext, _ reply: @escaping Reply<Int>
    ) {
        guard let held = overflow.hold(bytes) else {
            handle.file.state.withLock { $0.isPoisoned = true }
            let error = FileSystemError(
                ENOMEM, "Too many writes wait for memory: give more with the memory option.", level: .error)
            report(error)
            _ = reply(.failure(error))
            return
        }
        dispatch(context, reply) { [self] () throws(FileSystemError) in
            let request = requestContext(context)
            do throws(FileSystemError) {
                if needsBase(handle.file, offset: offset, count: held.bytes.count) { try loadBase(handle, request) }
                // A commit may end the session while the write waits: then it goes to the next.
                while try !writeWaiting(held.bytes, at: offset, handle, clearsPrivileges, request) {}
                return held.bytes.count
            } catch {
                handle.file.state.withLock { $0.isPoisoned = true }
                throw error
            }
        }
    }

    /// Writes as memory allows; false if the session ended before all was taken.
    private func writeWaiting(
        _ bytes: [UInt8], at offset: Int64, _ handle: FileHandle, _ clearsPrivileges: Bool, _ context: RequestContext
    ) throws(FileSystemError) -> Bool {
        let session = try beginWrite(handle, clearsPrivileges)
        do throws(ObjectStoreError) {
            return try session.writeWaiting(bytes, at: offset, context)
        } catch {
            throw FileSystemError(error)
        }
    }
}

extension FileContent.State {
    /// Drops suid, and sgid where it isn't the mark of mandatory locking, as a write by another user must (inode(7)).
    mutating func clearPrivileges() {
        permissions &= ~UInt32(S_ISUID)
        if permissions & UInt32(S_IXGRP) != 0 { permissions &= ~UInt32(S_ISGID) }
    }
}
