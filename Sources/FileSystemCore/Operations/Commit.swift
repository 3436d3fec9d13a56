import Glibc
import Instrumentation
import ObjectStore
import Runtime
import Transfer

extension FileSystem {
    /// Sends a file's unsent bytes and attributes, if it has any; afterwards the object in the bucket is the file.
    ///
    /// Several callers share one put: who comes while another sends waits for that, and sends only what is new since. On
    /// an error everything unsent is still there.
    func commit(_ file: FileContent, inode: InodeNumber, _ context: RequestContext) throws(FileSystemError) {
        guard file.state.withLock({ $0.isDirty && !$0.isUnlinked || $0.isSending }) else { return }
        try file.beginSending(by: context.deadline, context.cancellation)
        defer { file.endSending() }
        let isNeeded = try file.state.withLock { state throws(FileSystemError) in
            guard state.isDirty, !state.isUnlinked else { return false }
            if state.isPoisoned {
                throw FileSystemError(EIO, "An earlier write to this file failed, so it is not sent.", level: .error)
            }
            return true
        }
        guard isNeeded else { return }
        let attempt = file.state.withLock { $0.changes }
        do throws(FileSystemError) {
            try send(file, inode: inode, context)
        } catch {
            file.state.withLock { state in
                state.errorCount += 1
                state.lastError = error
                if state.changes == attempt { state.failedAt = attempt }
            }
            throw error
        }
    }

    /// What one commit sends, and what it found.
    private struct Sending {
        var key: ObjectKey
        var name: FileName
        var snapshot: BlockSnapshot
        var metadata: ObjectMetadata
        var isExclusive: Bool
        /// The version that the bytes are an edit of.
        var editedBase: ListedObject?
        /// Zeros stand for bytes of a version that is gone.
        var hasLostBase: Bool
        var changes: UInt64
    }

    private func send(_ file: FileContent, inode: InodeNumber, _ context: RequestContext) throws(FileSystemError) {
        guard
            let (key, name) = table.withLock({ table -> (ObjectKey, FileName)? in
                guard let node = table[inode], let parent = node.parent, let name = node.name,
                    let key = self.key(of: name, under: parent, table)
                else { return nil }
                return (key, name)
            })
        else { return }
        let sending = try freeze(file, inode: inode, key: key, name: name, context)
        if sending.hasLostBase { throw try keepConflict(sending, file, inode: inode, errno: ESTALE, context) }
        if let base = sending.editedBase {
            guard let current = try headIfPresent(key, context), base.hasSameBytes(as: ListedObject(current)) else {
                throw try keepConflict(sending, file, inode: inode, errno: ESTALE, context)
            }
        }
        let request = PutRequest(
            key: key, metadata: sending.metadata,
            forbidOverwrite: sending.isExclusive && store.capabilities.hasExclusiveCreate)
        let result: WriteResult
        do throws(ObjectStoreError) {
            result = try store.put(request, body: sending.snapshot, context)
        } catch {
            if error.kind == .alreadyExists {
                throw try keepConflict(sending, file, inode: inode, errno: EEXIST, context)
            }
            // The map is complete, and its body is no longer read.
            file.state.withLock { $0.map?.thaw() }
            throw FileSystemError(error)
        }
        settle(sending, result, file, inode: inode)
    }

    /// Completes the map from its base and freezes it.
    private func freeze(
        _ file: FileContent, inode: InodeNumber, key: ObjectKey, name: FileName, _ context: RequestContext
    ) throws(FileSystemError) -> Sending {
        while true {
            let size = file.state.withLock { $0.size }
            guard size <= configuration.maximumFileBytes else { throw refuseTooLarge(file, inode: inode) }
            do throws(FileSystemError) {
                try fill(0..<size, of: file, inode: inode, context)
            } catch {
                try noteLostBase(file, key: key, because: error, context)
            }
            let sending: Sending? = file.state.withLock { state in
                // Nil if a write or truncation came between: what is missing now is fetched first.
                guard let snapshot = state.map?.snapshot() else { return nil }
                return Sending(
                    key: key, name: name, snapshot: snapshot,
                    metadata: state.metadata(contentType: contentTypes.type(of: name.bytes)),
                    isExclusive: state.isExclusive, editedBase: state.buildsOnBase ? state.base?.listed : nil,
                    hasLostBase: state.hasLostBase, changes: state.changes)
            }
            guard var sending else { continue }
            // Tells our own object from a foreign one, should the answer to an exclusive create be lost.
            if sending.isExclusive { sending.metadata.user["ossmount-id"] = Self.randomID() }
            sending.snapshot = sending.snapshot.withChecksum()
            return sending
        }
    }

    /// After a read of the base that failed: goes on without it only where the bucket shows that it is really gone.
    ///
    /// What was written then goes under a conflict name and never under the file's own, as zeros stand for the rest.
    private func noteLostBase(
        _ file: FileContent, key: ObjectKey, because error: FileSystemError, _ context: RequestContext
    ) throws(FileSystemError) {
        guard error.errno == ESTALE, let base = file.state.withLock({ $0.base?.listed }) else { throw error }
        if let current = try headIfPresent(key, context), base.hasSameBytes(as: ListedObject(current)) { throw error }
        log(
            .error, "what an edit left unchanged is gone, zeros stand in its place", [LogField("key", key.bytes)])
        file.state.withLock { state in
            state.map?.dropBase()
            state.hasLostBase = true
        }
    }

    /// 64 random bits in hexadecimal: one upload's own name.
    private static func randomID() -> [UInt8] {
        Array(String(UInt64.random(in: 1 << 60 ... .max), radix: 16).utf8)
    }

    /// Makes what was sent the file's version in the bucket.
    private func settle(_ sending: Sending, _ result: WriteResult, _ file: FileContent, inode: InodeNumber) {
        let now = clock.monotonic
        let listed = ListedObject(
            size: sending.snapshot.count, etag: result.etag,
            lastModified: result.lastModified ?? result.serverDate ?? clock.wall,
            crc64: result.crc64 ?? sending.snapshot.crc64)
        file.state.withLock { state in
            state.base = FileContent.Base(key: sending.key, listed: listed, metadata: sending.metadata)
            state.isExclusive = false
            state.coversObject = false
            state.buildsOnBase = false
            state.hasLostBase = false
            state.checkedAt = now
            state.metadataCheckedAt = now
            state.lastError = nil
            state.failedAt = nil
            state.reader = ObjectReader(key: sending.key, etag: result.etag, size: listed.size, cache: cache)
            if state.changes == sending.changes {
                state.map = nil
                state.reader?.adopt(sending.snapshot)
            } else {
                state.map?.thaw()
            }
        }
        table.withLock { table in
            guard let node = table[inode], let parent = node.parent, let name = node.name else { return }
            parent.directory.noteChange(name, to: .object(listed), at: now, wall: clock.wall)
        }
        log(
            .debug, "committed",
            [LogField("ino", inode.rawValue), LogField("key", sending.key.bytes), LogField("bytes", listed.size)])
    }

    /// Stores the bytes under a conflict name, as the file's own name holds somebody else's; returns the error to tell.
    private func keepConflict(
        _ sending: Sending, _ file: FileContent, inode: InodeNumber, errno: Int32, _ context: RequestContext
    ) throws(FileSystemError) -> FileSystemError {
        for attempt in 0..<10 {
            let name = ConflictName.make(
                for: sending.name, host: configuration.hostName, time: clock.wall, attempt: attempt)
            let directory = sending.key.bytes.dropLast(sending.name.bytes.count)
            var moved = sending
            moved.name = name
            moved.key = ObjectKey(directory + name.bytes)
            do throws(ObjectStoreError) {
                let result = try store.put(
                    PutRequest(
                        key: moved.key, metadata: moved.metadata,
                        forbidOverwrite: store.capabilities.hasExclusiveCreate), body: moved.snapshot, context)
                moveToConflict(name, inode: inode)
                settle(moved, result, file, inode: inode)
            } catch {
                if error.kind == .alreadyExists { continue }
                throw FileSystemError(error)
            }
            log(
                .error, "changed by somebody else meanwhile, kept under another name",
                [LogField("key", sending.key.bytes), LogField("kept", moved.key.bytes)])
            return FileSystemError(errno)
        }
        throw FileSystemError(EIO, "No free conflict name was found.", level: .error)
    }

    /// The inode goes on under the conflict name; its old name means what the bucket has.
    private func moveToConflict(_ name: FileName, inode: InodeNumber) {
        table.withLock { table in
            guard let node = table[inode], let parent = node.parent, let old = node.name else { return }
            notifier.invalidateEntry(parent: parent.number, name: old)
            parent.directory.children[old] = nil
            parent.directory.listing = nil
            table.attach(node, name: name, under: parent)
        }
    }
}

/// The names under which bytes are kept that may not take their own.
enum ConflictName {
    /// `NAME.conflict-HOST-UTC`, numbered from the second attempt on; NAME is cut, at a character's start, to fit 255 bytes.
    static func make(for name: FileName, host: [UInt8], time: WallTime, attempt: Int) -> FileName {
        let stamp = time.compact
        let number = attempt == 0 ? "" : "-\(attempt)"
        let safeHost = host.prefix(64).map { $0 == UInt8(ascii: "/") || $0 == 0 ? UInt8(ascii: "-") : $0 }
        let suffix = Array(".conflict-".utf8) + safeHost + Array("-\(stamp)\(number)".utf8)
        var stem = name.bytes.prefix(FileName.maximumBytes - suffix.count)
        while let last = stem.last, stem.count < name.bytes.count, last & 0xC0 == 0x80 { stem = stem.dropLast() }
        if stem.count < name.bytes.count, let last = stem.last, last & 0xC0 == 0xC0 { stem = stem.dropLast() }
        return FileName(stem + suffix) ?? name
    }
}
