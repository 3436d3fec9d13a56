import Glibc
import ObjectStore
import Runtime

extension FileSystem {
    package func lookup(
        parent: InodeNumber, name: [UInt8], context: OperationContext, reply: @escaping Reply<LookupResult>
    ) {
        do throws(FileSystemError) {
            let name = try existingName(name, under: parent)
            let known: LookupResult? = try table.withLock { table throws(FileSystemError) in
                let directory = try Self.directory(parent, table)
                switch resolveInMemory(name, under: directory, &table) {
                case .found(let node): return .found(count(node))
                case .absent(let trust): return .absent(timeout: trust)
                case .unknown: return nil
                }
            }
            if let known { return answer(known, reply, undo: takeBack) }
            dispatch(context, reply, undo: { [self] in takeBack($0) }) { [self] () throws(FileSystemError) in
                try resolve(name, under: parent, requestContext(context)) { node, trust, _ in
                    node.map { .found(count($0)) } ?? .absent(timeout: trust)
                }
            }
        } catch {
            _ = reply(error.errno == ENOENT ? .success(.absent(timeout: .zero)) : .failure(error))
        }
    }

    package func forget(inode: InodeNumber, count: UInt64) {
        table.withLock { $0.forget(inode, count: count) }
    }

    /// The entry of a node with one lookup counted; under the table's lock.
    func count(_ node: Node) -> Entry {
        node.lookups += 1
        return entry(for: node)
    }

    private func takeBack(_ result: LookupResult) {
        if case .found(let entry) = result { forget(inode: entry.attributes.inode, count: 1) }
    }
}
