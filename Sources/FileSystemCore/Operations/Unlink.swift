import Glibc
import ObjectStore
import Runtime

extension FileSystem {
    package func unlink(
        parent: InodeNumber, name: [UInt8], context: OperationContext, reply: @escaping Reply<Void>
    ) {
        dispatch(context, reply) { [self] () throws(FileSystemError) in
            guard !configuration.isReadOnly else { throw FileSystemError(EROFS) }
            let name = try existingName(name, under: parent)
            let request = requestContext(context)
            let (inode, file, key): (InodeNumber, FileContent, ObjectKey) =
                try resolve(name, under: parent, request) { node, _, table throws(FileSystemError) in
                    guard let node else { throw FileSystemError(ENOENT) }
                    guard let file = node.file else { throw FileSystemError(EISDIR) }
                    let directory = try Self.directory(parent, table)
                    guard let key = self.key(of: name, under: directory, table) else { throw FileSystemError(ENOENT) }
                    return (node.number, file, key)
                }
            try file.beginSending(by: request.deadline, request.cancellation)
            defer { file.endSending() }
            try letGo(of: file, inode: inode, request) { () throws(FileSystemError) in
                // A file that was never sent has no object, unless it took the place of one by a rename.
                let hasObject = file.state.withLock { $0.base != nil || $0.coversObject }
                if hasObject {
                    do throws(ObjectStoreError) {
                        try store.delete(key, request)
                    } catch {
                        throw FileSystemError(error)
                    }
                }
                removeName(name, of: inode, file, under: parent)
            }
        }
    }

    /// Takes the name from a file whose object is gone; for open handles its bytes were kept before.
    func removeName(_ name: FileName, of inode: InodeNumber, _ file: FileContent, under parent: InodeNumber) {
        file.state.withLock { $0.isUnlinked = true }
        table.withLock { table in
            guard let directory = table[parent] else { return }
            if let node = table[inode], directory.directory.children[name] === node { table.detach(node) }
            directory.directory.noteChange(name, to: nil, at: clock.monotonic, wall: clock.wall)
        }
    }
}
