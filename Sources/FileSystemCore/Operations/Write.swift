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
        guard !overflows, end <= configuration.maximumFileBytes else {
            _ = reply(.failure(refuseTooLarge(handle.file, inode: inode)))
            return
        }
        if needsBase(handle.file, offset: offset, count: bytes.count) {
            return park(bytes, at: offset, handle: handle, clearsPrivileges, context, reply)
        }
        var slabs: [Slab] = []
        while true {
            switch put(bytes, at: offset, into: handle.file, slabs: &slabs, clearsPrivileges: clearsPrivileges) {
            case .failure(let error):
                _ = reply(.failure(error))
                return
            case .success(0):
                // The kernel would show the old mode until it asks again.
                if clearsPrivileges { notifier.invalidateInode(inode, dropsPages: false) }
                _ = reply(.success(bytes.count))
                return
            case .success(let lacking):
                guard let more = takeSlabsNow(lacking, isFirst: slabs.isEmpty && isEmpty(handle.file)) else {
                    return park(bytes, at: offset, handle: handle, clearsPrivileges, context, reply)
                }
                slabs += more
            }
        }
    }

    /// Writes if there are enough slabs; else says how many are lacking. Zero: written.
    private func put(
        _ bytes: UnsafeRawBufferPointer, at offset: Int64, into file: FileContent, slabs: inout [Slab],
        clearsPrivileges: Bool
    ) -> Result<Int, FileSystemError> {
        file.state.withLock { state in
            if state.isPoisoned {
                return .failure(FileSystemError(EIO, "An earlier write to this file failed; truncate it first."))
            }
            let needed =
                state.map?.slabsNeeded(at: offset, count: bytes.count)
                ?? BlockMap.slabs(at: offset, bytes.count, state.grid)
            guard slabs.count >= needed else { return .success(needed - slabs.count) }
            if state.map == nil {
                state.map = BlockMap(baseBytes: state.base?.listed.size ?? 0, grid: state.grid)
                state.buildsOnBase = state.base != nil
            }
            guard state.map?.write(bytes, at: offset, slabs: &slabs) == true else { return .success(1) }
            if clearsPrivileges { state.clearPrivileges() }
            state.modificationTime = clock.wall
            state.changeTime = state.modificationTime
            state.noteChange()
            return .success(0)
        }
    }

    /// An object up to this size is fetched before the first edit of it is taken. A commit needs its bytes anyway, and
    /// whoever replaces the object meanwhile can no longer take them away. 8 MiB: one request.
    private static let earlyBaseBytes: Int64 = 8 << 20

    /// Whether this write is the first edit of a small object, and leaves some of it standing.
    private func needsBase(_ file: FileContent, offset: Int64, count: Int) -> Bool {
        file.state.withLock { state in
            guard state.map == nil, let size = state.base?.listed.size, size > 0 else { return false }
            return size <= Self.earlyBaseBytes && !(offset == 0 && Int64(count) >= size)
        }
    }

    /// Makes a map that holds all of the base.
    private func loadBase(_ handle: FileHandle, _ context: RequestContext) throws(FileSystemError) {
        handle.file.state.withLock { state in
            guard state.map == nil else { return }
            state.map = BlockMap(baseBytes: state.base?.listed.size ?? 0, grid: state.grid)
            state.buildsOnBase = state.base != nil
        }
        do throws(FileSystemError) {
            try fill(0..<Self.earlyBaseBytes, of: handle.file, inode: handle.inode, context)
        } catch {
            // Nothing was written yet: the file is as it was.
            handle.file.state.withLock { state in
                if state.map?.isUntouched == true { state.map = nil }
            }
            throw error
        }
    }

    private func isEmpty(_ file: FileContent) -> Bool { file.state.withLock { ($0.map?.heldBytes ?? 0) == 0 } }

    /// Slabs without waiting. A file that has none yet gets its first one outside the competition.
    private func takeSlabsNow(_ count: Int, isFirst: Bool) -> [Slab]? {
        var slabs: [Slab] = []
        for _ in 0..<count {
            let reserve = isFirst && slabs.isEmpty ? cache.takeReserve : { nil }
            guard let slab = cache.takeSlab() ?? reserve() else { return nil }
            slabs.append(slab)
        }
        return slabs
    }

    /// Sets a write aside until there is memory; the receiving thread must not wait.
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
            if needsBase(handle.file, offset: offset, count: held.bytes.count) { try loadBase(handle, request) }
            var slabs: [Slab] = []
            do throws(FileSystemError) {
                while true {
                    let outcome = held.bytes.withUnsafeBytes { bytes in
                        put(bytes, at: offset, into: handle.file, slabs: &slabs, clearsPrivileges: clearsPrivileges)
                    }
                    let lacking = try outcome.get()
                    if lacking == 0 { return held.bytes.count }
                    slabs += try takeSlabs(lacking, request)
                }
            } catch {
                handle.file.state.withLock { $0.isPoisoned = true }
                throw error
            }
        }
    }

    /// A file that doesn't fit in memory: refused, and what was written is not sent, so that the old object stays.
    func refuseTooLarge(_ file: FileContent, inode: InodeNumber) -> FileSystemError {
        let isNew = file.state.withLock { state in
            defer { state.isPoisoned = true }
            return !state.isPoisoned
        }
        let error = FileSystemError(
            EFBIG, "A file may have \(configuration.maximumFileBytes) bytes with this memory option.", level: .error)
        if isNew {
            let path = table.withLock { table in table[inode].flatMap { table.path(of: $0) } }
            log(
                .error, "file too large for the memory it is sent from: give more with the memory option",
                [LogField("path", path ?? []), LogField("limit", configuration.maximumFileBytes)])
        }
        return error
    }

    /// Whether this waiting writer is the one to fail: one at a time, so that what it gives back lets the others go on.
    private func mayGiveUp(after patience: Duration) -> Bool {
        lastGivenUp.withLock { last in
            guard last.advanced(by: patience) <= .now else { return false }
            last = .now
            return true
        }
    }

    /// Slabs, waiting for memory where there is none.
    ///
    /// Fails with EFBIG once nothing has been sent for `patience` while all memory is unsent bytes of open files: then
    /// nobody will give any back, unless one writer fails.
    func takeSlabs(_ count: Int, _ context: RequestContext) throws(FileSystemError) -> [Slab] {
        let freed = Locked(false)
        let patience = Duration.seconds(5)
        var slabs: [Slab] = []
        var giveUpAt = Deadline.after(patience)
        while slabs.count < count {
            let number = cache.slabs.whenFreed {
                freed.withLock { $0 = true }
                freed.wakeAll()
            }
            defer { cache.slabs.forget(number) }
            if let slab = cache.takeSlab() {
                slabs.append(slab)
                continue
            }
            if context.cancellation?.isCancelled == true { throw FileSystemError(EINTR) }
            if context.deadline.hasPassed { throw FileSystemError(EIO, "No memory came free in time.", level: .error) }
            let isSending = table.withLock { table in
                table.files.contains { $0.1.state.withLock { $0.isSending } }
            }
            if isSending { giveUpAt = .after(patience) }
            if giveUpAt.hasPassed, mayGiveUp(after: patience) {
                throw FileSystemError(
                    EFBIG, "All memory holds files that are being written: give more with the memory option.",
                    level: .error)
            }
            // Looks up from time to time for a cancellation, which has no way to wake this wait.
            _ = freed.wait(until: min(.after(.milliseconds(200)), context.deadline)) { isFreed -> Bool? in
                defer { isFreed = false }
                return isFreed ? true : nil
            }
        }
        return slabs
    }
}

extension FileContent.State {
    /// Drops suid, and sgid where it isn't the mark of mandatory locking, as a write by another user must (inode(7)).
    mutating func clearPrivileges() {
        permissions &= ~UInt32(S_ISUID)
        if permissions & UInt32(S_IXGRP) != 0 { permissions &= ~UInt32(S_ISGID) }
    }
}
