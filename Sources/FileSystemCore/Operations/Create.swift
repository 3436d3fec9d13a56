import Glibc
import ObjectStore
import Runtime

extension FileSystem {
    package func create(
        parent: InodeNumber, name: [UInt8], mode: UInt32, flags: Int32, context: OperationContext,
        reply: @escaping Reply<(entry: Entry, file: OpenedFile)>
    ) {
        typealias Created = (entry: Entry, file: OpenedFile)
        let undo: @Sendable (Created) -> Void = { [self] created in
            close(created.file.handle)
            forget(inode: created.entry.attributes.inode, count: 1)
        }
        // A file that is opened to be added to, or just touched, must not take the place of one that another host made
        // since; a truncated one may, and an exclusive one is settled at its commit.
        let mustNotCover = flags & (O_TRUNC | O_EXCL) == 0
        let opener = Processes.process(of: context.caller.pid) ?? 0
        do throws(FileSystemError) {
            let name = try newName(name, under: parent)
            let created: Created? = try table.withLock { table throws(FileSystemError) in
                let directory = try Self.directory(parent, table)
                guard case .absent(let trust) = resolveInMemory(name, under: directory, &table) else { return nil }
                guard !mustNotCover || isFresh(trust) else { return nil }
                return try createFile(name, under: directory, mode: mode, flags: flags, opener: opener, context, &table)
            }
            if let created { return answer(created, reply, undo: undo) }
            // The kernel looked the name up before, but that may be long ago, or another host made it since.
            dispatch(context, reply, undo: undo) { [self] () throws(FileSystemError) in
                try resolve(name, under: parent, asksAgain: mustNotCover, requestContext(context)) {
                    node, _, table throws(FileSystemError) in
                    let directory = try Self.directory(parent, table)
                    guard let node else {
                        return try createFile(
                            name, under: directory, mode: mode, flags: flags, opener: opener, context, &table)
                    }
                    guard flags & O_EXCL == 0 else { throw FileSystemError(EEXIST) }
                    guard let file = node.file else { throw FileSystemError(EISDIR) }
                    let opened = try openKnown(node.number, file, flags: flags, opener: opener, &table)
                    return (count(node), opened)
                }
            }
        } catch {
            _ = reply(.failure(error))
        }
    }

    /// Makes a file in memory; nothing is sent before it is closed or synced. Under the table's lock.
    private func createFile(
        _ name: FileName, under directory: Node, mode: UInt32, flags: Int32, opener: Int32,
        _ context: OperationContext, _ table: inout InodeTable
    ) throws(FileSystemError) -> (entry: Entry, file: OpenedFile) {
        guard let key = key(of: name, under: directory, table) else { throw FileSystemError(ENOENT) }
        try check(key)
        let state = FileContent.State.new(
            permissions: mode & 0o7777 & ~context.caller.umask, caller: context.caller,
            isExclusive: flags & O_EXCL != 0, clock: clock)
        let node = table.add(.regular, file: FileContent(state), name: name, under: directory)
        guard let file = node.file else { throw FileSystemError(EIO) }
        let session = session(of: node.number, over: nil)
        file.state.withLock { $0.session = session }
        directory.directory.noteChange(name, to: file.listed, at: clock.monotonic, wall: clock.wall)
        // The file is empty already, so O_TRUNC has nothing left to do.
        let opened = try openKnown(node.number, file, flags: flags & ~O_TRUNC, opener: opener, &table)
        return (count(node), opened)
    }
}
