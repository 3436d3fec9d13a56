import Runtime
import Transfer

/// One open file.
final class FileHandle: Sendable {
    struct State {
        var window: ReadWindow
        /// How many of the file's errors this handle has been told of.
        var toldErrors: Int
    }

    let inode: InodeNumber
    let file: FileContent
    let isWritable: Bool
    let isReadable: Bool
    let appends: Bool
    /// The process that opened it; 0 if it could not be named.
    let openerProcess: Int32
    /// Guards the window and what was told; rank: file (never held together with the file's own).
    let state: Locked<State>

    init(
        inode: InodeNumber, file: FileContent, isWritable: Bool, isReadable: Bool, appends: Bool, openerProcess: Int32,
        window: ReadWindow, toldErrors: Int
    ) {
        self.inode = inode
        self.file = file
        self.isWritable = isWritable
        self.isReadable = isReadable
        self.appends = appends
        self.openerProcess = openerProcess
        state = Locked(State(window: window, toldErrors: toldErrors))
    }
}

/// Everything that is open.
struct HandleTable {
    private var lastID: UInt64 = 0
    private var files: [HandleID: FileHandle] = [:]
    private var directories: [HandleID: DirectoryStream] = [:]

    mutating func add(_ handle: FileHandle) -> HandleID {
        lastID += 1
        files[HandleID(lastID)] = handle
        return HandleID(lastID)
    }

    mutating func add(_ stream: DirectoryStream) -> HandleID {
        lastID += 1
        directories[HandleID(lastID)] = stream
        return HandleID(lastID)
    }

    func file(_ id: HandleID) -> FileHandle? { files[id] }
    func directory(_ id: HandleID) -> DirectoryStream? { directories[id] }
    mutating func removeFile(_ id: HandleID) -> FileHandle? { files.removeValue(forKey: id) }
    mutating func removeDirectory(_ id: HandleID) -> DirectoryStream? { directories.removeValue(forKey: id) }
    var openFiles: Int { files.count }
}
