import Glibc
import Instrumentation
import ObjectStore
import Runtime

extension FileSystem {
    package func rmdir(
        parent: InodeNumber, name: [UInt8], context: OperationContext, reply: @escaping Reply<Void>
    ) {
        dispatch(context, reply) { [self] () throws(FileSystemError) in
            guard !configuration.isReadOnly else { throw FileSystemError(EROFS) }
            let name = try existingName(name, under: parent)
            let request = requestContext(context)
            let prefix = try resolve(name, under: parent, request) { node, _, table throws(FileSystemError) in
                guard let node else { throw FileSystemError(ENOENT) }
                guard node.kind == .directory else { throw FileSystemError(ENOTDIR) }
                // Children that the bucket doesn't have yet.
                let hasUnsent = node.directory.children.values.contains { $0.file?.hasUnsentChanges ?? false }
                guard !hasUnsent else { throw FileSystemError(ENOTEMPTY) }
                guard let prefix = directoryPrefix(of: node, table) else { throw FileSystemError(ENOENT) }
                return prefix
            }
            if let other = try firstKey(below: prefix, request) {
                let hiddenHint = "The directory holds the key shown, which may not be visible as a file."
                log(.info, "directory not empty", [LogField("key", other.bytes), LogField("why", hiddenHint)])
                throw FileSystemError(ENOTEMPTY)
            }
            do throws(ObjectStoreError) {
                try store.delete(ObjectKey(prefix), request)
            } catch {
                throw FileSystemError(error)
            }
            table.withLock { table in
                guard let directory = table[parent] else { return }
                if let node = directory.directory.children[name] {
                    for child in Array(node.directory.children.values) { table.detach(child) }
                    table.detach(node)
                }
                directory.directory.noteChange(name, to: nil, at: clock.monotonic, wall: clock.wall)
            }
        }
    }

    /// A key below a directory other than its marker, asked afresh: another host may have put it there.
    private func firstKey(below prefix: [UInt8], _ context: RequestContext) throws(FileSystemError) -> ObjectKey? {
        do throws(ObjectStoreError) {
            // Two rows: the marker sorts first.
            let page = try store.list(ListRequest(prefix: prefix, foldsDirectories: false, limit: 2), context)
            return page.rows.first { $0.key.bytes != prefix }?.key
        } catch {
            throw FileSystemError(error)
        }
    }
}
