import Instrumentation
import ObjectStore
import Runtime

// Lock ranks, outer first. A thread may take a lock only of a rank below all that it holds; none is held across network,
// disk, a reply, or a notification being carried out.
//
//   1  inode table     nodes, names, directory caches            FileSystem.table
//   2  handle table    what is open                              FileSystem.handles
//   3  file            one file's bytes, attributes, sending     FileContent.state
//   4  stream          one opendir's snapshot                    DirectoryStream.state
//   5  session         one file's unsent bytes and uploads       Transfer.UploadSession.state
//   6  block cache     clean blocks, waiters, fetches            Transfer.BlockCache.state
//   7  slab pool, log, queues of other modules                   leaves

/// All inodes by number, and the tree of their names.
///
/// A value behind `FileSystem.table`'s lock; nodes are reachable only through it and never leave the lock.
struct InodeTable {
    private var nodes: [InodeNumber: Node] = [:]
    private var lastNumber: UInt64
    let root: Node
    /// How many keys could not be shown as files since the start.
    var hiddenKeys = 0

    /// - Parameter epoch: the start's own number; inode numbers are epoch × 2^40 + count, so that no number means two
    ///   files under one mount, whatever restarts lie between (2^24 epochs).
    /// - Parameter firstCount: where counting begins, below 2^39, and by chance: mounts that start in the same second
    ///   share an epoch, and a process's descriptors of files in both are told apart by these numbers alone.
    init(epoch: UInt64, firstCount: UInt64) {
        lastNumber = (epoch & 0xFF_FFFF) << 40 | firstCount & 0x7F_FFFF_FFFF
        root = Node(number: .root, kind: .directory, file: nil)
        root.lookups = 1
        nodes[.root] = root
    }

    subscript(number: InodeNumber) -> Node? { nodes[number] }

    /// All files that are in the table.
    var files: [(InodeNumber, FileContent)] {
        nodes.values.compactMap { node in node.file.map { (node.number, $0) } }
    }

    /// A new node under `parent`, which has no child of that name.
    mutating func add(_ kind: FileKind, file: FileContent?, name: FileName, under parent: Node) -> Node {
        lastNumber += 1
        let node = Node(number: InodeNumber(lastNumber), kind: kind, file: file)
        nodes[node.number] = node
        attach(node, name: name, under: parent)
        return node
    }

    /// Gives a node a name.
    func attach(_ node: Node, name: FileName, under parent: Node) {
        node.parent = parent
        node.name = name
        parent.directory.children[name] = node
    }

    /// Takes a node's name away: it is unlinked, renamed, or its bytes were replaced. Open handles go on.
    mutating func detach(_ node: Node) {
        if let parent = node.parent, let name = node.name, parent.directory.children[name] === node {
            parent.directory.children[name] = nil
        }
        node.parent = nil
        node.name = nil
        dropIfUnused(node)
    }

    /// Takes back `count` lookups.
    mutating func forget(_ number: InodeNumber, count: UInt64) {
        guard let node = nodes[number], number != .root else { return }
        node.lookups -= min(count, node.lookups)
        dropIfUnused(node)
    }

    /// Removes a node that nobody knows any more: no lookups, no handles, no children, nothing unsent.
    mutating func dropIfUnused(_ node: Node) {
        guard node.lookups == 0, node.opens == 0, node.number != .root, node.directory.children.isEmpty else { return }
        if let file = node.file, node.parent != nil, file.hasUnsentChanges { return }
        nodes[node.number] = nil
        guard let parent = node.parent, let name = node.name else { return }
        if parent.directory.children[name] === node { parent.directory.children[name] = nil }
        node.parent = nil
        dropIfUnused(parent)
    }

    /// The path's bytes from the root, without a slash at either end; nil for a node without a name.
    func path(of node: Node) -> [UInt8]? {
        var names: [[UInt8]] = []
        var current = node
        while current !== root {
            guard let parent = current.parent, let name = current.name else { return nil }
            names.append(name.bytes)
            current = parent
        }
        return Array(names.reversed().joined(separator: [UInt8(ascii: "/")]))
    }
}
