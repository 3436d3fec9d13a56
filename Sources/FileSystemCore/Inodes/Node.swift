import ObjectStore
import Runtime

/// One inode. Its fields are guarded by the inode table's lock, but for `file`, which has a lock of its own.
final class Node {
    let number: InodeNumber
    let kind: FileKind
    /// Nil for directories.
    let file: FileContent?
    /// Both nil for the root and for a node without a name.
    var parent: Node?
    var name: FileName?
    /// How often the kernel was given this number, less what it took back.
    var lookups: UInt64 = 0
    /// Open handles.
    var opens = 0
    /// Empty for files.
    var directory = DirectoryState()

    init(number: InodeNumber, kind: FileKind, file: FileContent?) {
        self.number = number
        self.kind = kind
        self.file = file
    }
}
