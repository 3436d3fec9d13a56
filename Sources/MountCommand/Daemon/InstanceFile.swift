import Glibc
import Runtime

// How `ossmount umount` finds the process that serves a mount, and learns how its drain goes.
//
// Each serving process holds a file named by its mount's device number (`0:57`), as mountinfo shows it, in a folder of
// its user. It holds a write lock (fcntl) on it as long as it lives: F_GETLK names the holder's process id, so a file
// left by a killed process is seen as such, and a process id that was given to another program is never signalled. The
// file's content is one line of how much isn't in the bucket yet, renewed while it drains.
//
// Rejected: a process id in a file (must be checked against a reused id), a name made of the mount point (mounts can be
// moved and bound), an attribute of the mount's root (a mount that is detached can't be asked).

/// What a serving process says of its drain.
struct DrainStatus: Sendable, Equatable {
    enum Phase: String, Sendable, CaseIterable {
        case serving
        /// Detached, and served on for those who have files open.
        case draining
        /// The mount is gone, and its device number may be another's by now; what is left is sent.
        case sending
        /// Everything is in the bucket.
        case drained
        /// The deadline passed, or data was refused: what is left is lost.
        case failed
    }

    var phase = Phase.serving
    /// Files with bytes that aren't in the bucket.
    var unsentFiles = 0
    var openFiles = 0

    /// `draining unsent=3 open=1`
    var line: [UInt8] { Array("\(phase.rawValue) unsent=\(unsentFiles) open=\(openFiles)\n".utf8) }

    init(phase: Phase = .serving, unsentFiles: Int = 0, openFiles: Int = 0) {
        self.phase = phase
        self.unsentFiles = unsentFiles
        self.openFiles = openFiles
    }

    init?(line: some Sequence<UInt8>) {
        let words = printable(line.prefix { $0 != UInt8(ascii: "\n") }).split(separator: " ")
        guard words.count >= 3, let phase = Phase(rawValue: String(words[0])),
            let unsent = Self.number(words[1], after: "unsent="), let open = Self.number(words[2], after: "open=")
        else { return nil }
        self.init(phase: phase, unsentFiles: unsent, openFiles: open)
    }

    private static func number(_ word: Substring, after name: String) -> Int? {
        word.hasPrefix(name) ? Int(word.dropFirst(name.count)) : nil
    }
}

/// The folders that instance files are in.
enum InstanceFolder {
    /// Of the process's own user: `/run/ossmount` for root, else below XDG_RUNTIME_DIR, else `/tmp/ossmount-UID`.
    static func own(runtimeFolder: [UInt8]?) -> [UInt8] {
        if geteuid() == 0 { return Array("/run/ossmount".utf8) }
        if let runtimeFolder, runtimeFolder.first == UInt8(ascii: "/") {
            return runtimeFolder + Array("/ossmount".utf8)
        }
        return Array("/tmp/ossmount-\(geteuid())".utf8)
    }

    /// Where the file of a mount of user `uid` may be, nearest first.
    static func candidates(uid: UInt32?, runtimeFolder: [UInt8]?) -> [[UInt8]] {
        let uid = uid ?? geteuid()
        if uid == 0 { return [Array("/run/ossmount".utf8)] }
        var folders = uid == geteuid() ? [own(runtimeFolder: runtimeFolder)] : []
        folders += [Array("/run/user/\(uid)/ossmount".utf8), Array("/tmp/ossmount-\(uid)".utf8)]
        return folders
    }
}

/// The serving side: made once the mount stands, removed by `remove`, unlocked by the process's end at the latest.
struct InstanceFile: Sendable {
    private let path: [UInt8]
    private let descriptor: Int32

    /// Makes the file for the mount with `device` in `folder`; nil where the folder can't be used (a read-only /run):
    /// the mount works without, and `umount` then can't wait.
    init?(device: String, folder: [UInt8]) {
        path = folder + Array("/\(device)".utf8)
        // Again where the end of another mount has just removed the folder, which it does once it is empty.
        guard var opened = Self.open(path, in: folder) ?? Self.open(path, in: folder) else { return nil }
        if !Self.lock(opened) {
            // The number is this mount's now, so that process has lost its own mount and is sending what is left.
            close(opened)
            _ = withPath(path) { unlink($0) }
            guard let fresh = Self.open(path, in: folder) else { return nil }
            guard Self.lock(fresh) else {
                close(fresh)
                return nil
            }
            opened = fresh
        }
        descriptor = opened
        write(DrainStatus())
    }

    private static func lock(_ descriptor: Int32) -> Bool {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        return fcntl(descriptor, F_SETLK, &lock) == 0
    }

    private static func open(_ path: [UInt8], in folder: [UInt8]) -> Int32? {
        _ = withPath(folder) { mkdir($0, geteuid() == 0 ? 0o755 : 0o700) }
        // In /tmp somebody else may have made it: only a real folder of our own will do.
        var status = stat()
        guard withPath(folder, { lstat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFDIR,
            status.st_uid == geteuid()
        else { return nil }
        let descriptor = withPath(path) { Glibc.open($0, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644) }
        return descriptor >= 0 ? descriptor : nil
    }

    /// Replaces what the file says; readers may see the old or the new line.
    func write(_ status: DrainStatus) {
        let line = status.line
        pwrite(descriptor, line, line.count, 0)
        ftruncate(descriptor, off_t(line.count))
    }

    /// Takes the name away, and the folder with the last one; readers that have the file open still see the last line,
    /// and the lock until the process ends.
    func remove() {
        _ = withPath(path) { unlink($0) }
        let folder = path.lastIndex(of: UInt8(ascii: "/")).map { Array(path[..<$0]) } ?? []
        _ = withPath(folder) { rmdir($0) }
    }
}
