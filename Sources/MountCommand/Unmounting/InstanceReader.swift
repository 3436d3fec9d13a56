import Glibc

/// The asking side.
struct InstanceReader: Sendable {
    private let descriptor: Int32
    private let path: [UInt8]

    /// Opens the file of the mount with `device` in the first of `folders` that has one; nil where none has.
    ///
    /// Where something has removed the name (what cleans `/tmp` does), the file is looked for among what processes have
    /// open, as far as this user may see that.
    init?(device: String, folders: [[UInt8]]) {
        let paths = folders.map { $0 + Array("/\(device)".utf8) }
        for path in paths {
            let opened = withPath(path) { open($0, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) }
            if opened >= 0 {
                descriptor = opened
                self.path = path
                return
            }
        }
        let links = paths.map { $0 + Array(" (deleted)".utf8) }
        for process in OpenFiles.numbers(in: "/proc") {
            for number in OpenFiles.numbers(in: "/proc/\(process)/fd") {
                let file = "/proc/\(process)/fd/\(number)"
                guard let index = links.firstIndex(of: OpenFiles.link(file)) else { continue }
                let opened = open(file, O_RDONLY | O_CLOEXEC)
                guard opened >= 0 else { continue }
                // One that is only sending has lost its mount: the number in its file's name is this mount's by now.
                switch Self.status(opened)?.phase {
                case .serving, .draining:
                    descriptor = opened
                    path = paths[index]
                    return
                case .sending, .drained, .failed, nil: Glibc.close(opened)
                }
            }
        }
        return nil
    }

    /// Takes away the name that a dead process left.
    func removeLeftOver() { _ = withPath(path) { unlink($0) } }

    /// The process that holds the lock; nil once it has ended, 0 where it lives in a process namespace not visible here.
    var holder: Int32? {
        var lock = flock()
        // Asking for a write lock conflicts with the holder's; F_GETLK needs no right to write.
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        guard fcntl(descriptor, F_GETLK, &lock) == 0, lock.l_type != Int16(F_UNLCK) else { return nil }
        return lock.l_pid
    }

    var status: DrainStatus? { Self.status(descriptor) }

    private static func status(_ descriptor: Int32) -> DrainStatus? {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return count > 0 ? DrainStatus(line: bytes[..<count]) : nil
    }

    func close() { Glibc.close(descriptor) }
}
