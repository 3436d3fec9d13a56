import Glibc
import Instrumentation
import ObjectStore
import Runtime

extension FileSystem {
    package func getattr(
        inode: InodeNumber, handle: HandleID?, context: OperationContext, reply: @escaping Reply<TimedAttributes>
    ) {
        let known: Result<TimedAttributes?, FileSystemError> = table.withLock { table in
            guard let node = table[inode] else { return .failure(FileSystemError(ESTALE)) }
            let timed = timedAttributes(of: node)
            if timed.timeout > .zero { return .success(timed) }
            // The root is always answered at once, so that df never waits; see refreshRoot.
            // A node without a name is what some handle still holds: what we know is all there is.
            guard node.parent != nil else { return .success(timed) }
            return .success(nil)
        }
        switch known {
        case .failure(let error): _ = reply(.failure(error))
        case .success(let timed?):
            if inode == .root, timed.timeout == .zero { refreshRoot() }
            _ = reply(.success(timed))
        case .success(nil):
            dispatch(context, reply) { [self] () throws(FileSystemError) in
                try refreshAttributes(of: inode, requestContext(context))
            }
        }
    }

    /// Asks the server for an inode's attributes; ESTALE where its name now means something else and nobody has it open.
    func refreshAttributes(of inode: InodeNumber, _ context: RequestContext) throws(FileSystemError) -> TimedAttributes
    {
        let startedAt = clock.monotonic
        let (key, isDirectory): (ObjectKey, Bool) = try table.withLock { table throws(FileSystemError) in
            guard let node = table[inode] else { throw FileSystemError(ESTALE) }
            if node.kind == .directory, let key = markerKey(of: node, table) { return (key, true) }
            guard let parent = node.parent, let name = node.name, let key = self.key(of: name, under: parent, table)
            else { throw FileSystemError(ESTALE) }
            return (key, false)
        }
        let info = try headIfPresent(key, context)
        return try table.withLock { table throws(FileSystemError) in
            guard let node = table[inode] else { throw FileSystemError(ESTALE) }
            if isDirectory {
                enterMarker(info, for: node, at: startedAt)
            } else if let parent = node.parent, let name = node.name {
                let answer: NameOnServer = info.map { .file($0) } ?? .absent
                let current = enter(answer, for: name, under: parent, at: startedAt, &table)
                if current !== node, node.opens == 0 { throw FileSystemError(ESTALE) }
            }
            return timedAttributes(of: node)
        }
    }

    /// HEAD, with an absent object as nil.
    func headIfPresent(_ key: ObjectKey, _ context: RequestContext) throws(FileSystemError) -> ObjectInfo? {
        do throws(ObjectStoreError) {
            return try store.head(key, context)
        } catch {
            if error.kind == .notFound { return nil }
            throw FileSystemError(error)
        }
    }

    /// Takes over what a directory's marker says; nil: it has none. Under the table's lock.
    func enterMarker(_ info: ObjectInfo?, for node: Node, at time: Deadline) {
        if let checked = node.directory.metadataCheckedAt, checked > time { return }
        node.directory.marker = info?.metadata
        node.directory.metadata = info.map { PosixMetadata(reading: $0.metadata.user) }
        node.directory.metadataCheckedAt = time
    }

    /// Asks for the root's attributes without anybody waiting.
    private func refreshRoot() {
        let key: ObjectKey? = table.withLock { table in
            let now = clock.monotonic
            // Once a lifetime: the time is taken before the answer, so that a server that hangs is asked once.
            guard !isTrusted(table.root.directory.checkedAt) else { return nil }
            table.root.directory.checkedAt = now
            return markerKey(of: table.root, table)
        }
        guard let key else { return }
        let context = RequestContext(deadline: .after(configuration.deadline))
        operations.submit { [self] in
            let startedAt = clock.monotonic
            do throws(FileSystemError) {
                let info = try headIfPresent(key, context)
                table.withLock { enterMarker(info, for: $0.root, at: startedAt) }
            } catch {
                log(.debug, "the root's attributes could not be read", [LogField("why", error.message)])
            }
        }
    }
}
