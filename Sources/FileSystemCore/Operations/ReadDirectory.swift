import Glibc
import ObjectStore
import Runtime

extension FileSystem {
    package func opendir(inode: InodeNumber, context: OperationContext, reply: @escaping Reply<HandleID>) {
        let opened: Result<DirectoryStream, FileSystemError> = table.withLock { table in
            guard let node = table[inode] else { return .failure(FileSystemError(ESTALE)) }
            guard node.kind == .directory else { return .failure(FileSystemError(ENOTDIR)) }
            guard let prefix = directoryPrefix(of: node, table) else { return .failure(FileSystemError(ENOENT)) }
            node.opens += 1
            return .success(DirectoryStream(inode: inode, prefix: prefix))
        }
        switch opened {
        case .failure(let error): _ = reply(.failure(error))
        case .success(let stream):
            let id = handles.withLock { $0.add(stream) }
            answer(id, reply) { closeDirectory($0) }
        }
    }

    package func releasedir(
        inode: InodeNumber, handle: HandleID, context: OperationContext, reply: @escaping Reply<Void>
    ) {
        closeDirectory(handle)
        _ = reply(.success(()))
    }

    private func closeDirectory(_ id: HandleID) {
        guard let stream = handles.withLock({ $0.removeDirectory(id) }) else { return }
        table.withLock { table in
            guard let node = table[stream.inode] else { return }
            node.opens -= 1
            table.dropIfUnused(node)
        }
    }

    /// Nothing of a directory is unsent: mkdir and rename are in the bucket when they return.
    package func fsyncdir(
        inode: InodeNumber, handle: HandleID, context: OperationContext, reply: @escaping Reply<Void>
    ) {
        _ = reply(.success(()))
    }

    package func readdir(
        inode: InodeNumber, handle: HandleID, offset: UInt64, packer: any DirectoryPacker, context: OperationContext,
        reply: @escaping Reply<Void>
    ) {
        guard let stream = handles.withLock({ $0.directory(handle) }) else {
            _ = reply(.failure(FileSystemError(EBADF)))
            return
        }
        prepare(stream, offset: offset)
        if canServe(stream, offset: offset) {
            let counted = pack(stream, offset: offset, into: packer)
            answer((), reply) { for inode in counted { forget(inode: inode, count: 1) } }
            return
        }
        let counted = Locked<[InodeNumber]>([])
        let undo: @Sendable (()) -> Void = { [self] _ in
            for inode in counted.withLock({ $0 }) { forget(inode: inode, count: 1) }
        }
        dispatch(context, reply, undo: undo) { [self] () throws(FileSystemError) in
            let request = requestContext(context)
            while !canServe(stream, offset: offset) { try fetchPage(of: stream, request) }
            let numbers = pack(stream, offset: offset, into: packer)
            counted.withLock { $0 = numbers }
        }
    }

    /// At the start: forgets what a rewound stream had, and takes a listing that is known.
    private func prepare(_ stream: DirectoryStream, offset: UInt64) {
        guard offset == 0 else { return }
        let isNew = stream.state.withLock { state in
            if state.startedAt != nil, !state.isFetching { state.rewind() }
            return state.startedAt == nil
        }
        let listing = table.withLock { $0[stream.inode]?.directory.listing }
        guard isNew, let listing, isTrusted(listing.startedAt) else { return }
        // Sorted with no lock held, as there may be many.
        let names = listing.names.keys.sorted()
        stream.state.withLock { state in
            if state.startedAt == nil { state.fill(with: names, startedAt: listing.startedAt) }
        }
    }

    /// Whether entries from `offset` on are there, or the end is known.
    private func canServe(_ stream: DirectoryStream, offset: UInt64) -> Bool {
        stream.state.withLock { $0.isComplete || offset < UInt64($0.names.count + 2) && offset >= 2 }
    }

    /// Fetches the stream's next page, or waits for whoever does; a whole stream becomes the directory's listing.
    private func fetchPage(of stream: DirectoryStream, _ context: RequestContext) throws(FileSystemError) {
        let number = context.cancellation?.onCancel { stream.state.wakeAll() }
        defer { if let number { context.cancellation?.remove(number) } }
        let startedAt = clock.monotonic
        enum Turn { case mine(ListRequest), done, cancelled }
        let turn: Turn? = stream.state.wait(until: context.deadline) { state -> Turn? in
            if context.cancellation?.isCancelled == true { return .cancelled }
            if state.isComplete { return .done }
            if state.isFetching { return nil }
            state.isFetching = true
            if state.startedAt == nil { state.startedAt = startedAt }
            return .mine(
                ListRequest(prefix: state.builder.prefix, foldsDirectories: true, continuation: state.continuation))
        }
        switch turn {
        case nil: throw FileSystemError(EIO, "The listing did not arrive in time.", level: .warning)
        case .cancelled?: throw FileSystemError(EINTR)
        case .done?: return
        case .mine(let request)?:
            defer {
                stream.state.withLock { $0.isFetching = false }
                stream.state.wakeAll()
            }
            let page: ListPage
            do throws(ObjectStoreError) {
                page = try store.list(request, context)
            } catch {
                throw FileSystemError(error)
            }
            let complete: (ListingBuilder, Deadline)? = stream.state.withLock { state in
                state.add(page)
                return state.isComplete ? (state.builder, state.startedAt ?? startedAt) : nil
            }
            guard let (builder, begun) = complete else { return }
            install(builder, startedAt: begun, into: stream.inode)
            appendOwnNames(to: stream)
        }
    }

    /// Names that only this mount knows of come last.
    private func appendOwnNames(to stream: DirectoryStream) {
        table.withLock { table in
            guard let listing = table[stream.inode]?.directory.listing else { return }
            stream.state.withLock { state in
                let own = listing.names.keys.filter { state.builder.names[$0] == nil }
                state.names.append(contentsOf: own.sorted())
            }
        }
    }

    /// Packs entries from `offset` on; returns the inodes of which a lookup was counted.
    private func pack(_ stream: DirectoryStream, offset: UInt64, into packer: any DirectoryPacker) -> [InodeNumber] {
        var counted: [InodeNumber] = []
        table.withLock { table in
            guard let node = table[stream.inode] else { return }
            let (names, shown, startedAt) = stream.state.withLock { ($0.names, $0.builder.names, $0.startedAt) }
            let dots: [(String, InodeNumber)] = [(".", node.number), ("..", node.parent?.number ?? node.number)]
            for (index, dot) in dots.enumerated() where offset <= UInt64(index) {
                let isAdded = packer.add(
                    name: Array(dot.0.utf8), inode: dot.1, kind: .directory, entry: nil, nextOffset: UInt64(index + 1))
                guard isAdded else { return }
            }
            var position = Int(clamping: offset) < 2 ? 0 : Int(clamping: offset) - 2
            while position < names.count {
                let name = names[position]
                position += 1
                let child = node.directory.children[name]
                let isOurs = node.directory.hasChanged(name, since: startedAt ?? .now)
                guard let kind = child?.kind ?? Self.kind(of: name, in: node, shown: isOurs ? nil : shown[name])
                else { continue }
                let known = child.flatMap { packer.wantsAttributes ? knownEntry($0) : nil }
                let isAdded = packer.add(
                    name: name.bytes, inode: child?.number ?? Self.unknownInode, kind: kind, entry: known,
                    nextOffset: UInt64(position + 2))
                guard isAdded else { return }
                if known != nil, let child {
                    child.lookups += 1
                    counted.append(child.number)
                }
            }
        }
        return counted
    }

    /// d_ino of names that nobody has looked up: FUSE_UNKNOWN_INO of libfuse, which readdir(3) doesn't skip.
    private static let unknownInode = InodeNumber(0xFFFF_FFFF)

    /// What a name of the snapshot is; nil if we removed it since.
    private static func kind(of name: FileName, in directory: Node, shown: ListedName?) -> FileKind? {
        switch shown ?? directory.directory.listing?.names[name] {
        case .directory?: return .directory
        case .object?: return .regular
        case nil: return nil
        }
    }

    private func knownEntry(_ node: Node) -> Entry? {
        let entry = entry(for: node)
        return entry.attributeTimeout > .zero && entry.entryTimeout > .zero ? entry : nil
    }
}
