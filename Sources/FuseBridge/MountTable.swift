import Glibc

/// One line of /proc/self/mountinfo (proc(5)).
struct MountTableEntry: Equatable {
    /// `major:minor` of st_dev: the mount's identity.
    var device: String
    var path: [UInt8]
    var type: [UInt8]
}

/// The mounts of this process' namespace, read without touching any of them.
enum MountTable {
    /// The topmost mount at `path` (absolute, resolved), or nil.
    static func topmost(at path: [UInt8]) -> MountTableEntry? {
        guard let text = contents(of: "/proc/self/mountinfo") else { return nil }
        // Later lines are mounted later; those over the same path stand on top.
        return entries(in: text).last { $0.path == path }
    }

    static func entries(in text: [UInt8]) -> [MountTableEntry] {
        text.split(separator: UInt8(ascii: "\n")).compactMap { line in
            let fields = line.split(separator: UInt8(ascii: " "))
            guard fields.count >= 6, let dash = fields.firstIndex(of: [UInt8(ascii: "-")]), dash + 1 < fields.count
            else { return nil }
            let device = fields[2]
            guard device.allSatisfy({ $0 == UInt8(ascii: ":") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
            else { return nil }
            return MountTableEntry(
                device: words(device), path: unescaped(fields[4]),
                type: Array(fields[dash + 1]))
        }
    }

    /// Blanks, tabs, line feeds and backslashes stand as three octal digits behind a backslash.
    private static func unescaped(_ field: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        var rest = field
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            guard byte == UInt8(ascii: "\\"), digits.count == 3,
                let value = UInt8(words(digits), radix: 8)
            else {
                result.append(byte)
                continue
            }
            result.append(value)
            rest = rest.dropFirst(3)
        }
        return result
    }
}
