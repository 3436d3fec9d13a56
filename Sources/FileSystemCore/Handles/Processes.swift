import Glibc

/// What /proc tells of the callers.
enum Processes {
    /// The process (thread group) that a thread belongs to; nil if it is gone or can't be seen.
    static func process(of thread: Int32) -> Int32? {
        guard thread > 0, let text = contents(of: "/proc/\(thread)/status") else { return nil }
        return value(of: "Tgid:", in: text).flatMap { Int32($0) }
    }

    /// Whether a process is there, or can't be told not to be.
    static func exists(_ process: Int32) -> Bool { kill(process, 0) == 0 || errno != ESRCH }

    /// Whether a process holds a descriptor of the inode that can write; true where that can't be seen.
    ///
    /// Reads fdinfo, whose `ino:` line is our inode number, unique among all files of this mount and with its epoch
    /// practically among all mounts; looking at the links in /proc/PID/fd would need paths as that process sees them.
    static func holds(_ process: Int32, inode: InodeNumber) -> Bool {
        guard let directory = opendir("/proc/\(process)/fdinfo") else { return errno != ENOENT }
        defer { closedir(directory) }
        while let entry = Glibc.readdir(directory) {
            let number = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { atoi($0) }
            }
            let isDot = entry.pointee.d_name.0 == CChar(bitPattern: UInt8(ascii: "."))
            if isDot { continue }
            guard let text = contents(of: "/proc/\(process)/fdinfo/\(number)") else { continue }
            guard let ino = value(of: "ino:", in: text) else { return true }
            guard UInt64(ino) == inode.rawValue else { continue }
            // Octal, as in open(2). One that only reads doesn't put off what closing the last writer means.
            let flags = value(of: "flags:", in: text).flatMap { Int32($0, radix: 8) }
            if flags.map({ $0 & O_ACCMODE != O_RDONLY }) ?? true { return true }
        }
        return false
    }

    /// The first word after `name` at the start of a line.
    private static func value(of name: String, in text: [UInt8]) -> Substring? {
        for line in text.split(separator: 0x0A) where line.starts(with: name.utf8) {
            guard let rest = String(validating: line.dropFirst(name.utf8.count), as: UTF8.self) else { return nil }
            return rest.split { $0 == " " || $0 == "\t" }.first.map { Substring(String($0)) }
        }
        return nil
    }

    /// Up to 4 KiB of a file of /proc; nil if it can't be read.
    private static func contents(of path: String) -> [UInt8]? {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { Glibc.close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return nil }
        return Array(buffer[..<count])
    }
}
