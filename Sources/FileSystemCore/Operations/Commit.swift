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

    /// What one commit makes, and what it found.
    private struct Sending {
        var session: UploadSession
        var name: FileName
        var request: CommitRequest
        /// The version that the bytes are an edit of.
        var editedBase: ListedObject?
        /// Zeros stand for bytes of a version that is gone.
        var hasLostBase: Bool
    }

    private func send(_ file: FileContent, inode: InodeNumber, _ context: RequestContext) throws(FileSystemError) {
        guard let place = place(of: inode), let sending = try prepare(file, place) else { return }
        if sending.hasLostBase { throw try keepConflict(sending, file, inode: inode, errno: ESTALE, context) }
        if let base = sending.editedBase {
            let current = try headIfPresent(place.key, context)
            guard let current, base.hasSameBytes(as: ListedObject(current)) else {
                if let current,
                    try rebaseAppends(of: file, inode: inode, key: place.key, onto: current, context)
                {
                    return try send(file, inode: inode, context)
                }
                throw try keepConflict(sending, file, inode: inode, errno: ESTALE, context)
            }
        }
        do throws(ObjectStoreError) {
            try commit(sending, file, inode: inode, context)
        } catch {
            if error.kind == .alreadyExists {
                throw try keepConflict(sending, file, inode: inode, errno: EEXIST, context)
            }
            if try hasLostBase(sending, because: error, context) {
                throw try keepConflict(sending, file, inode: inode, errno: ESTALE, context)
            }
            throw FileSystemError(error)
        }
    }

    private func commit(
        _ sending: Sending, _ file: FileContent, inode: InodeNumber, _ context: RequestContext
    ) throws(ObjectStoreError) {
        try sending.session.commit(sending.request, context) { result in settle(sending, result, file, inode: inode) }
    }

    /// Where an inode stands; nil for one without a name.
    private func place(of inode: InodeNumber) -> (key: ObjectKey, name: FileName)? {
        table.withLock { table in
            guard let node = table[inode], let parent = node.parent, let name = node.name,
                let key = self.key(of: name, under: parent, table)
            else { return nil }
            return (key, name)
        }
    }

    private func prepare(
        _ file: FileContent, _ place: (key: ObjectKey, name: FileName)
    ) throws(FileSystemError) -> Sending? {
        let properties: ObjectProperties
        do throws(ObjectStoreError) {
            properties = try self.properties(of: file)
        } catch {
            throw FileSystemError(error)
        }
        let type = contentTypes.type(of: place.name.bytes)
        return file.state.withLock { state in
            guard let session = state.session else { return nil }
            var request = CommitRequest(
                key: place.key, metadata: state.metadata(contentType: type),
                metadataWithoutTimes: state.metadataWithoutTimes(contentType: type), properties: properties,
                forbidOverwrite: state.isExclusive && store.capabilities.hasExclusiveCreate)
            // Tells our own object from a foreign one, should the answer to an exclusive create be lost.
            if state.isExclusive { request.metadata.user["ossmount-id"] = Self.randomID() }
            return Sending(
                session: session, name: place.name, request: request,
                editedBase: state.buildsOnBase ? state.base?.listed : nil, hasLostBase: state.hasLostBase)
        }
    }

    /// Where the upload of an inode's bytes goes that begins before its commit; nil for one without a name.
    func uploadTarget(of inode: InodeNumber) throws(ObjectStoreError) -> UploadTarget? {
        guard let place = place(of: inode), let file = table.withLock({ $0[inode]?.file }) else { return nil }
        let properties = try properties(of: file)
        let type = contentTypes.type(of: place.name.bytes)
        return file.state.withLock { state in
            UploadTarget(
                key: place.key, metadata: state.metadataWithoutTimes(contentType: type), properties: properties,
                isDirect: !state.buildsOnBase && state.readers == 0)
        }
    }

    /// After a commit that failed: whether that is because the base was replaced, and bytes of it are gone.
    ///
    /// What was written then goes under a conflict name and never under the file's own, as zeros stand for the rest.
    private func hasLostBase(
        _ sending: Sending, because error: ObjectStoreError, _ context: RequestContext
    ) throws(FileSystemError) -> Bool {
        guard error.kind == .preconditionFailed || error.kind == .notFound, let base = sending.editedBase else {
            return false
        }
        let current = try headIfPresent(sending.request.key, context)
        return current.map { !base.hasSameBytes(as: ListedObject($0)) } ?? true
    }

    /// 64 random bits in hexadecimal: one upload's own name.
    private static func randomID() -> [UInt8] {
        Array(String(UInt64.random(in: 1 << 60 ... .max), radix: 16).utf8)
    }

    /// Makes what was sent the file's version in the bucket; called before anybody may write again.
    private func settle(_ sending: Sending, _ result: CommitResult, _ file: FileContent, inode: InodeNumber) {
        let now = clock.monotonic
        let key = sending.request.key
        let time = result.written.lastModified ?? result.written.serverDate ?? clock.wall
        let listed = ListedObject(
            size: result.size, etag: result.written.etag, lastModified: time, crc64: result.written.crc64)
        let reader = ObjectReader(key: key, etag: listed.etag, size: listed.size, cache: cache)
        reader.adopt(result.blocks)
        file.state.withLock { state in
            state.base = FileContent.Base(
                key: key, listed: listed, metadata: result.metadata, properties: sending.request.properties,
                hasAllProperties: true)
            state.isExclusive = false
            state.coversObject = false
            state.checkedAt = now
            state.metadataCheckedAt = now
            state.lastError = nil
            state.failedAt = nil
            state.reader = reader
            // A truncation to nothing has begun anew meanwhile.
            guard state.session === sending.session else { return }
            state.session = nil
            state.buildsOnBase = false
            state.hasLostBase = false
            // The object was begun before its last write, and its own time stands for that.
            if result.metadata.user["mtime"] == nil { state.modificationTime = time }
        }
        table.withLock { table in
            guard let node = table[inode], let parent = node.parent, let name = node.name else { return }
            parent.directory.noteChange(name, to: .object(listed), at: now, wall: clock.wall)
        }
        log(
            .debug, "committed",
            [LogField("ino", inode.rawValue), LogField("key", key.bytes), LogField("bytes", listed.size)])
    }

    /// Stores the bytes under a conflict name, as the file's own name holds somebody else's; returns the error to tell.
    private func keepConflict(
        _ sending: Sending, _ file: FileContent, inode: InodeNumber, errno: Int32, _ context: RequestContext
    ) throws(FileSystemError) -> FileSystemError {
        var attempt = 0
        while attempt < 10 {
            let name = ConflictName.make(
                for: sending.name, host: configuration.hostName, time: clock.wall, attempt: attempt)
            let directory = sending.request.key.bytes.dropLast(sending.name.bytes.count)
            var moved = sending
            moved.name = name
            moved.request.key = ObjectKey(directory + name.bytes)
            moved.request.forbidOverwrite = store.capabilities.hasExclusiveCreate
            do throws(ObjectStoreError) {
                try moved.session.commit(moved.request, context) { result in
                    moveToConflict(name, inode: inode)
                    settle(moved, result, file, inode: inode)
                }
            } catch {
                if error.kind == .alreadyExists {
                    attempt += 1
                    continue
                }
                guard try hasLostBase(sending, because: error, context), moved.session.dropBase() else {
                    throw FileSystemError(error)
                }
                log(
                    .error, "what an edit left unchanged is gone, zeros stand in its place",
                    [LogField("key", sending.request.key.bytes)])
                file.state.withLock { $0.hasLostBase = true }
                continue
            }
            log(
                .error, "changed by somebody else meanwhile, kept under another name",
                [LogField("key", sending.request.key.bytes), LogField("kept", moved.request.key.bytes)])
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
