import Glibc

/// One line of /proc/self/mountinfo (proc(5)).
struct MountEntry: Sendable, Equatable {
    /// What fdinfo's `mnt_id` names.
    let mountID: Int
    /// `0:57`: the device number, which no other mount of this moment has but bind mounts of the same.
    let device: String
    let mountPoint: [UInt8]
    /// `fuse.ossmount`.
    let type: [UInt8]
    let source: [UInt8]
    /// Of the super block: `rw,user_id=0,group_id=0`.
    let superOptions: [UInt8]

    /// The type under which our mounts stand.
    static let ownType = Array("fuse.ossmount".utf8)

    var isOurs: Bool { type == Self.ownType }

    /// Who mounted it, as FUSE notes it.
    var userID: UInt32? {
        for option in superOptions.split(separator: UInt8(ascii: ",")) where option.starts(with: "user_id=".utf8) {
            return UInt32(printable(option.dropFirst("user_id=".utf8.count)))
        }
        return nil
    }
}

/// The mounts that this process sees.
enum MountTable {
    /// 64 MiB: a machine with a hundred thousand mounts.
    private static let maximumBytes = 64 << 20

    /// All mounts, in the kernel's order: of two on one directory the later is on top.
    static func read() throws(CommandError) -> [MountEntry] {
        switch FileBytes.read("/proc/self/mountinfo", limit: maximumBytes) {
        case .success(let bytes): return parse(bytes)
        case .failure(let error):
            throw CommandError(
                .failure, "/proc/self/mountinfo can't be read: \(SystemError.text(error.number))",
                remedy: "is /proc mounted?")
        }
    }

    /// The mount on top of `path`, which is absolute and has no links; nil where nothing is mounted right there.
    static func top(at path: [UInt8], in entries: [MountEntry]) -> MountEntry? {
        entries.last { $0.mountPoint == path }
    }

    static func parse(_ bytes: [UInt8]) -> [MountEntry] {
        bytes.split(separator: UInt8(ascii: "\n")).compactMap(entry)
    }

    /// `36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw`: any number of optional fields before the dash.
    private static func entry(_ line: ArraySlice<UInt8>) -> MountEntry? {
        let fields = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard fields.count >= 7, let dash = fields[6...].firstIndex(where: { $0.elementsEqual("-".utf8) }),
            fields.count > dash + 2, let mountID = Int(printable(fields[0]))
        else { return nil }
        return MountEntry(
            mountID: mountID, device: printable(fields[2]), mountPoint: unescaped(fields[4]),
            type: unescaped(fields[dash + 1]), source: unescaped(fields[dash + 2]),
            superOptions: fields.count > dash + 3 ? unescaped(fields[dash + 3]) : [])
    }

    /// The kernel writes blank, tab, line feed, backslash and hash as a backslash and three octal digits.
    static func unescaped(_ field: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        var rest = field
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            let isOctal = digits.count == 3 && digits.allSatisfy { (0x30...0x37).contains($0) }
            guard byte == UInt8(ascii: "\\"), isOctal else {
                result.append(byte)
                continue
            }
            result.append(UInt8(truncatingIfNeeded: digits.reduce(0) { $0 * 8 + Int($1 - 0x30) }))
            rest = rest.dropFirst(3)
        }
        return result
    }
}
