import Glibc
import Instrumentation
import ObjectStore
import Runtime
import Transfer

extension FileSystem {
    package func setattr(
        inode: InodeNumber, change: AttributeChange, context: OperationContext, reply: @escaping Reply<TimedAttributes>
    ) {
        if configuration.isReadOnly {
            _ = reply(.failure(FileSystemError(EROFS)))
            return
        }
        var change = change
        // inode(7): a truncation by anyone but root drops the marks of privilege.
        change.clearsPrivileges = context.caller.uid != 0
        let file: FileContent? = table.withLock { $0[inode]?.file }
        // A file with unsent bytes takes its attributes along with them: nothing to wait for.
        if let file, isPossible(change.size) {
            let isDone = file.state.withLock { state in
                guard state.isDirty, !state.isSending, change.size == nil || state.writers > 0 else { return false }
                apply(change, to: &state, inode)
                return true
            }
            if isDone { return answerAttributes(of: inode, reply) }
        }
        let final = change
        dispatch(context, reply) { [self] () throws(FileSystemError) in
            let request = requestContext(context)
            if let file {
                try setFile(inode, file, final, request)
            } else {
                try setDirectory(inode, final, request)
            }
            return try table.withLock { table throws(FileSystemError) in
                guard let node = table[inode] else { throw FileSystemError(ESTALE) }
                return timedAttributes(of: node)
            }
        }
    }

    private func answerAttributes(of inode: InodeNumber, _ reply: Reply<TimedAttributes>) {
        let timed = table.withLock { table in table[inode].map { timedAttributes(of: $0) } }
        _ = reply(timed.map { .success($0) } ?? .failure(FileSystemError(ESTALE)))
    }

    private func setFile(
        _ inode: InodeNumber, _ file: FileContent, _ change: AttributeChange, _ context: RequestContext
    ) throws(FileSystemError) {
        guard isPossible(change.size) else { throw tooLarge }
        // The object's metadata must be known, as a copy replaces all of it.
        if file.state.withLock({ !$0.isLocal && !$0.isUnlinked && $0.base?.metadata == nil }) {
            _ = try refreshAttributes(of: inode, context)
        }
        try file.beginSending(by: context.deadline, context.cancellation)
        do throws(FileSystemError) {
            if try applyWhileSending(inode, file, change, context) { try commit(file, inode: inode, context) }
        } catch {
            // Nobody has it open for writing, so nobody will try again: the file is what the bucket has.
            file.state.withLock { state in
                guard state.writers == 0, !state.isSending else { return }
                state.session?.abandon()
                state.session = nil
                state.buildsOnBase = false
                state.hasLostBase = false
            }
            if error.errno == ESTALE { lookAgain(at: inode, context) }
            throw error
        }
    }

    /// After ESTALE, upon which the kernel looks the path up again: makes sure that it finds what the bucket has now.
    func lookAgain(at inode: InodeNumber, _ context: RequestContext) {
        table.withLock { table in
            guard let node = table[inode], let file = node.file else { return }
            file.state.withLock { state in state.metadataCheckedAt = nil }
            node.parent?.directory.listing = nil
        }
        do throws(FileSystemError) {
            _ = try refreshAttributes(of: inode, context)
        } catch {
            log(.debug, "replaced by somebody else", [LogField("ino", inode.rawValue)])
        }
    }

    /// Applies a change as the one who sends, which it ends; whether the file must be committed then.
    private func applyWhileSending(
        _ inode: InodeNumber, _ file: FileContent, _ change: AttributeChange, _ context: RequestContext
    ) throws(FileSystemError) -> Bool {
        defer { file.endSending() }
        let isInMemory = file.state.withLock { state in
            guard state.isDirty || change.size != nil else { return false }
            apply(change, to: &state, inode)
            return true
        }
        if !isInMemory { try copyOntoItself(inode, file, change, context) }
        return isInMemory && file.state.withLock { $0.writers == 0 }
    }

    /// New metadata for an object whose bytes stay: a copy onto itself that loses nothing of what it has.
    private func copyOntoItself(
        _ inode: InodeNumber, _ file: FileContent, _ change: AttributeChange, _ context: RequestContext
    ) throws(FileSystemError) {
        var changed = file.state.withLock { $0 }
        guard let base = changed.base, !changed.isUnlinked else {
            // A file without a name keeps its attributes in memory only.
            file.state.withLock { apply(change, to: &$0, inode) }
            return
        }
        apply(change, to: &changed, inode)
        let metadata = changed.metadata(contentType: ContentTypes.unknown)
        let result: WriteResult
        do throws(ObjectStoreError) {
            // Tags stay by themselves.
            result = try store.copy(
                CopyRequest(
                    source: base.key, destination: base.key, sourceIfMatch: base.listed.etag, replacing: metadata,
                    properties: try properties(of: file)), context)
        } catch {
            if error.kind == .preconditionFailed || error.kind == .notFound {
                // Somebody replaced it.
                throw FileSystemError(ESTALE, error.summary)
            }
            throw FileSystemError(error)
        }
        let now = clock.monotonic
        let listed = file.state.withLock { state in
            apply(change, to: &state, inode)
            state.base?.metadata = metadata
            state.base?.listed.etag = result.etag
            if let time = result.lastModified ?? result.serverDate { state.base?.listed.lastModified = time }
            state.checkedAt = now
            state.metadataCheckedAt = now
            state.reader?.repin(key: base.key, etag: result.etag)
            return state.base?.listed
        }
        table.withLock { table in
            guard let listed, let node = table[inode], let parent = node.parent, let name = node.name else { return }
            let time = parent.directory.modificationTime
            parent.directory.noteChange(name, to: .object(listed), at: now, wall: clock.wall)
            parent.directory.modificationTime = time
        }
    }

    private func setDirectory(
        _ inode: InodeNumber, _ change: AttributeChange, _ context: RequestContext
    ) throws(FileSystemError) {
        guard change.size == nil else { throw FileSystemError(EISDIR) }
        // The marker's own metadata is kept, so it must be known.
        let isKnown = table.withLock { isTrusted($0[inode]?.directory.metadataCheckedAt) }
        if !isKnown { _ = try refreshAttributes(of: inode, context) }
        let (key, old, posix): (ObjectKey, ObjectMetadata?, PosixMetadata) =
            try table.withLock { table throws(FileSystemError) in
                guard let node = table[inode], let key = markerKey(of: node, table) else {
                    throw FileSystemError(ESTALE)
                }
                let present = timedAttributes(of: node).attributes
                let posix = PosixMetadata(
                    permissions: change.permissions.map { $0 & 0o7777 } ?? present.permissions,
                    uid: change.uid ?? present.uid, gid: change.gid ?? present.gid,
                    modificationTime: change.modificationTime.map { resolve($0) } ?? present.modificationTime,
                    accessTime: change.accessTime.map { resolve($0) } ?? node.directory.metadata?.accessTime)
                return (key, node.directory.marker, posix)
            }
        let metadata = try putMarker(key, posix, keeping: old, context)
        table.withLock { table in
            guard let node = table[inode] else { return }
            node.directory.marker = metadata
            node.directory.metadata = posix
            node.directory.metadataCheckedAt = clock.monotonic
            if change.modificationTime != nil { node.directory.modificationTime = nil }
        }
    }

    private func resolve(_ time: AttributeChange.Time) -> WallTime {
        switch time {
        case .now: clock.wall
        case .at(let given): given
        }
    }
}

extension FileSystem {
    /// Whether a file can have that length.
    func isPossible(_ size: Int64?) -> Bool { size.map { $0 <= store.capabilities.maximumObjectBytes } ?? true }

    var tooLarge: FileSystemError {
        FileSystemError(
            EFBIG, "An object may have \(store.capabilities.maximumObjectBytes) bytes.", level: .warning)
    }

    /// Applies a change of attributes, and of the length, in memory. Under the file's lock.
    private func apply(_ change: AttributeChange, to state: inout FileContent.State, _ inode: InodeNumber) {
        let now = clock.wall
        if let size = change.size, size != state.size {
            truncate(&state, inode, to: size)
            if change.clearsPrivileges { state.clearPrivileges() }
        }
        state.apply(change, at: now)
    }
}

extension FileContent.State {
    /// Applies a change of attributes alone, in memory.
    fileprivate mutating func apply(_ change: AttributeChange, at now: WallTime) {
        if change.uid != nil || change.gid != nil {
            uid = change.uid ?? uid
            gid = change.gid ?? gid
            // chown(2): the marks of privilege do not pass to another owner.
            clearPrivileges()
        }
        if let permissions = change.permissions { self.permissions = permissions & 0o7777 }
        switch change.modificationTime {
        case .now?: modificationTime = now
        case .at(let time)?: modificationTime = time
        case nil: break
        }
        if change.modificationTime != nil { hasSetTimes = true }
        switch change.accessTime {
        case .now?: accessTime = now
        case .at(let time)?: accessTime = time
        case nil: break
        }
        changeTime = now
        noteChange()
    }
}
