import Glibc
import Instrumentation
import ObjectStore
import Runtime

/// What memory says of a name.
enum NameInMemory {
    case found(Node)
    case absent(trust: Duration)
    case unknown
}

/// What resolving a name does next.
private enum ResolveStep<Value> {
    case done(Value)
    case list(ListRequest, pages: Int)
    case ask(ObjectKey)
}

/// What the server says of a name.
enum NameOnServer: Sendable {
    case directory
    case file(ObjectInfo)
    case absent

    /// As a listing would show it.
    var listed: ListedName? {
        switch self {
        case .directory: .directory
        case .file(let info): .object(ListedObject(info))
        case .absent: nil
        }
    }
}

extension FileSystem {
    // MARK: From memory, under the table's lock

    /// What is known of `name` in a directory, without asking; makes the node of a name that a fresh listing shows.
    func resolveInMemory(_ name: FileName, under parent: Node, _ table: inout InodeTable) -> NameInMemory {
        let listing = parent.directory.listing.flatMap { isTrusted($0.startedAt) ? $0 : nil }
        if let child = parent.directory.children[name] {
            if let file = child.file {
                let (isLocal, checkedAt) = file.state.withLock { ($0.isLocal || $0.writers > 0, $0.checkedAt) }
                if isLocal { return .found(child) }
                // A listing younger than our last word on the file decides.
                if let listing, listing.startedAt > checkedAt {
                    return reconcile(child, file, with: listing, name: name, under: parent, &table)
                }
                return isTrusted(checkedAt) ? .found(child) : .unknown
            }
            if let listing {
                if case .directory? = listing.names[name] { return .found(child) }
            }
            return isTrusted(child.directory.checkedAt) ? .found(child) : .unknown
        }
        if let listing {
            guard let listed = listing.names[name] else { return .absent(trust: remainingTrust(listing.startedAt)) }
            return .found(makeNode(listed, name: name, under: parent, at: listing.startedAt, &table))
        }
        if let since = parent.directory.absentSince(name), isTrusted(since) {
            return .absent(trust: remainingTrust(since))
        }
        return .unknown
    }

    private func reconcile(
        _ child: Node, _ file: FileContent, with listing: DirectoryState.Listing, name: FileName, under parent: Node,
        _ table: inout InodeTable
    ) -> NameInMemory {
        switch listing.names[name] {
        case .object(let object)?:
            let isSame = file.state.withLock { state in
                guard let base = state.base, base.listed.hasSameBytes(as: object) else { return false }
                // New metadata under the same bytes changes Last-Modified alone: the attributes must be asked for again.
                if base.listed.lastModified != object.lastModified, base.listed.etag != object.etag {
                    state.metadataCheckedAt = nil
                }
                state.checkedAt = listing.startedAt
                return true
            }
            if isSame { return .found(child) }
            replace(child, &table)
            return .found(makeNode(.object(object), name: name, under: parent, at: listing.startedAt, &table))
        case .directory?:
            replace(child, &table)
            return .found(makeNode(.directory, name: name, under: parent, at: listing.startedAt, &table))
        case nil:
            replace(child, &table)
            return .absent(trust: remainingTrust(listing.startedAt))
        }
    }

    /// Takes the name from a node that the bucket no longer shows under it; the kernel is told.
    func replace(_ node: Node, _ table: inout InodeTable) {
        if let parent = node.parent, let name = node.name {
            notifier.invalidateEntry(parent: parent.number, name: name)
        }
        table.detach(node)
    }

    private func makeNode(
        _ listed: ListedName, name: FileName, under parent: Node, at time: Deadline, _ table: inout InodeTable
    ) -> Node {
        switch listed {
        case .directory:
            let node = table.add(.directory, file: nil, name: name, under: parent)
            node.directory.checkedAt = time
            return node
        case .object(let object):
            let key = ObjectKey((directoryPrefix(of: parent, table) ?? []) + name.bytes)
            let file = FileContent(.listed(object, key: key, at: time, configuration))
            return table.add(.regular, file: file, name: name, under: parent)
        }
    }

    /// Enters what the server said of a name when asked at `time`, unless we changed the name since; the node, or nil.
    func enter(
        _ answer: NameOnServer, for name: FileName, under parent: Node, at time: Deadline, _ table: inout InodeTable
    ) -> Node? {
        let child = parent.directory.children[name]
        if parent.directory.hasChanged(name, since: time) { return child }
        if let file = child?.file, file.state.withLock({ $0.isLocal || $0.writers > 0 }) { return child }
        // Newer than the listing: the next lookup must not make the old version's node again.
        parent.directory.noteAnswer(for: name, answer.listed)
        switch answer {
        case .absent:
            if let child { replace(child, &table) }
            parent.directory.noteAbsent(name, at: time)
            return nil
        case .directory:
            if let child, child.kind == .directory {
                child.directory.checkedAt = time
                return child
            }
            if let child { replace(child, &table) }
            return makeNode(.directory, name: name, under: parent, at: time, &table)
        case .file(let info):
            if let child, let file = child.file {
                let isSame = file.state.withLock { state in
                    guard let base = state.base, base.listed.hasSameBytes(as: ListedObject(info)) else { return false }
                    state.adopt(info, at: time, configuration)
                    return true
                }
                if isSame { return child }
            }
            if let child { replace(child, &table) }
            let key = ObjectKey((directoryPrefix(of: parent, table) ?? []) + name.bytes)
            let file = FileContent(.headed(info, key: key, at: time, configuration))
            return table.add(.regular, file: file, name: name, under: parent)
        }
    }

    // MARK: From the server

    /// Asks for `name`: HEAD of the key and the first key below it, side by side. The directory wins where both exist.
    func ask(for key: ObjectKey, _ context: RequestContext) throws(FileSystemError) -> NameOnServer {
        typealias Listed = Result<Bool, ObjectStoreError>
        let listed = Locked<Listed?>(nil)
        let store = store
        let request = ListRequest(prefix: key.bytes + [UInt8(ascii: "/")], foldsDirectories: false, limit: 1)
        let listFirst: @Sendable () -> Void = {
            if context.cancellation?.isCancelled == true { return }
            let result: Listed
            do throws(ObjectStoreError) {
                let page = try store.list(request, context)
                result = .success(!page.rows.isEmpty || !page.commonPrefixes.isEmpty)
            } catch {
                result = .failure(error)
            }
            listed.withLock { $0 = result }
            listed.wakeAll()
        }
        if !companions.submit(listFirst) { listFirst() }
        let head: Result<ObjectInfo, ObjectStoreError>
        do throws(ObjectStoreError) {
            head = .success(try store.head(key, context))
        } catch {
            head = .failure(error)
        }
        if case .failure(let error) = head, error.kind == .cancelled || error.isRetryable {
            throw FileSystemError(error)
        }
        let number = context.cancellation?.onCancel { listed.wakeAll() }
        defer { if let number { context.cancellation?.remove(number) } }
        // Its place in line may be long, so this wait ends by itself.
        let answer: Listed? =
            listed.wait(until: context.deadline) { result -> Listed?? in
                if let result { return .some(result) }
                return context.cancellation?.isCancelled == true ? .some(nil) : nil
            } ?? nil
        guard let answer else {
            throw context.cancellation?.isCancelled == true
                ? FileSystemError(EINTR) : FileSystemError(EIO, "The server did not answer in time.", level: .warning)
        }
        switch (head, answer) {
        case (_, .success(true)): return .directory
        case (_, .failure(let error)): throw FileSystemError(error)
        case (.success(let info), .success(false)): return .file(info)
        case (.failure(let error), .success(false)):
            if error.kind == .notFound { return .absent }
            throw FileSystemError(error)
        }
    }

    /// Finds out what `name` is, asking where memory doesn't know; then runs `body` under the table's lock with the node
    /// (nil: absent, and for how long that can be trusted).
    ///
    /// - Parameter asksAgain: whether an absence that memory knows of for more than a second is asked for again.
    func resolve<Value>(
        _ name: FileName, under parent: InodeNumber, asksAgain: Bool = false, _ context: RequestContext,
        _ body: (Node?, Duration, inout InodeTable) throws(FileSystemError) -> Value
    ) throws(FileSystemError) -> Value {
        var mayList = true
        while true {
            let startedAt = clock.monotonic
            let step: ResolveStep<Value> = try table.withLock { table throws(FileSystemError) in
                let directory = try Self.directory(parent, table)
                switch resolveInMemory(name, under: directory, &table) {
                case .found(let node): return .done(try body(node, .zero, &table))
                case .absent(let trust) where !asksAgain || isFresh(trust):
                    return .done(try body(nil, trust, &table))
                case .absent: mayList = false
                case .unknown: break
                }
                guard let key = key(of: name, under: directory, table),
                    let prefix = directoryPrefix(of: directory, table)
                else { throw FileSystemError(ENOENT) }
                let pages = mayList ? directory.directory.noteMiss() : 0
                return pages > 0
                    ? .list(ListRequest(prefix: prefix, foldsDirectories: true), pages: pages) : .ask(key)
            }
            switch step {
            case .done(let value): return value
            case .list(let request, let pages):
                mayList = false
                try listOnce(request, into: parent, pages: pages, context)
            case .ask(let key):
                let answer: NameOnServer =
                    key.bytes.count > store.capabilities.maximumKeyBytes ? .absent : try ask(for: key, context)
                return try table.withLock { table throws(FileSystemError) in
                    let directory = try Self.directory(parent, table)
                    let node = enter(answer, for: name, under: directory, at: startedAt, &table)
                    return try body(node, node == nil ? remainingTrust(startedAt) : .zero, &table)
                }
            }
        }
    }

    /// The directory of that number.
    static func directory(_ number: InodeNumber, _ table: InodeTable) throws(FileSystemError) -> Node {
        guard let node = table[number] else { throw FileSystemError(ESTALE) }
        guard node.kind == .directory else { throw FileSystemError(ENOTDIR) }
        return node
    }
}
