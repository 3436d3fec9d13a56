import Glibc

/// A descriptor that some process holds on a mount.
struct OpenFile: Sendable, Equatable {
    let process: Int32
    /// The program's name as ps shows it.
    let program: [UInt8]
    let path: [UInt8]
}

/// Who holds files of a mount open, as far as /proc lets this user see it.
enum OpenFiles {
    /// All descriptors on the mount `mountID`, at most `limit`.
    ///
    /// fdinfo's `mnt_id` is compared, which asks nothing of the mount, and still tells it when it is detached and its
    /// paths no longer begin with the mount point.
    static func find(mountID: Int, limit: Int) -> [OpenFile] {
        var found: [OpenFile] = []
        for process in numbers(in: "/proc") where process != getpid() {
            for descriptor in numbers(in: "/proc/\(process)/fdinfo") {
                guard self.mountID(process: process, descriptor: descriptor) == mountID else { continue }
                found.append(
                    OpenFile(
                        process: process, program: program(process),
                        path: link("/proc/\(process)/fd/\(descriptor)")))
                if found.count == limit { return found }
            }
        }
        return found
    }

    private static func mountID(process: Int32, descriptor: Int32) -> Int? {
        guard case .success(let bytes) = FileBytes.read("/proc/\(process)/fdinfo/\(descriptor)", limit: 1 << 16)
        else { return nil }
        return mountID(inFdinfo: bytes)
    }

    /// The number after `mnt_id:` (proc(5)).
    static func mountID(inFdinfo bytes: [UInt8]) -> Int? {
        for line in bytes.split(separator: UInt8(ascii: "\n")) where line.starts(with: "mnt_id:".utf8) {
            let number = line.dropFirst("mnt_id:".utf8.count).drop { $0 == 0x20 || $0 == 0x09 }
            return Int(printable(number))
        }
        return nil
    }

    private static func program(_ process: Int32) -> [UInt8] {
        guard case .success(let name) = FileBytes.read("/proc/\(process)/comm", limit: 256) else { return [] }
        return name.filter { $0 != UInt8(ascii: "\n") }
    }

    /// Where the link at `path` points; empty where it can't be read.
    static func link(_ path: String) -> [UInt8] {
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &target, target.count)
        return count > 0 ? target[..<count].map { UInt8(bitPattern: $0) } : []
    }

    /// The entries of `folder` whose names are numbers; none where it can't be read.
    static func numbers(in folder: String) -> [Int32] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var numbers: [Int32] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { $0.prefix { $0 != 0 }.map { $0 } }
            if let number = Int32(printable(name)) { numbers.append(number) }
        }
        return numbers
    }
}
