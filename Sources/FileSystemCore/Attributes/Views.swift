import Instrumentation
import ObjectStore
import Runtime

// What stat shows of a node, and how long that holds; under the table's lock.

extension FileSystem {
    /// A found name as the kernel gets it. Counts no lookup.
    func entry(for node: Node) -> Entry {
        let timed = timedAttributes(of: node)
        return Entry(
            attributes: timed.attributes, entryTimeout: nameTimeout(of: node), attributeTimeout: timed.timeout)
    }

    /// The attributes as far as they are known; timeout zero where the server must be asked before they are shown.
    func timedAttributes(of node: Node) -> TimedAttributes {
        if let file = node.file {
            return file.state.withLock { state in
                let timeout =
                    state.isLocal ? configuration.metadataLifetime : remainingTrust(state.metadataCheckedAt)
                var attributes = state.attributes(node.number)
                if node.parent == nil { attributes.links = 0 }
                return TimedAttributes(attributes: attributes, timeout: timeout)
            }
        }
        let directory = node.directory
        let metadata = directory.metadata
        let time = directory.modificationTime ?? metadata?.modificationTime ?? startedAt
        let attributes = Attributes(
            inode: node.number, kind: .directory, permissions: metadata?.permissions ?? (0o755 & ~configuration.umask),
            uid: metadata?.uid ?? configuration.uid, gid: metadata?.gid ?? configuration.gid, size: 0,
            accessTime: metadata?.accessTime ?? time, modificationTime: time, changeTime: time)
        return TimedAttributes(attributes: attributes, timeout: remainingTrust(directory.metadataCheckedAt))
    }

    private func nameTimeout(of node: Node) -> Duration {
        if let file = node.file {
            return file.state.withLock { state in
                state.isLocal ? configuration.metadataLifetime : remainingTrust(state.checkedAt)
            }
        }
        let directory = node.directory
        return max(remainingTrust(directory.checkedAt), remainingTrust(node.parent?.directory.listing?.startedAt))
    }
}
