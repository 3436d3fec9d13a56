import Glibc

/// One line of /proc/self/mountinfo (proc(5)).
package struct MountTableEntry: Equatable, Sendable {
    /// What `mnt_id` in a descriptor's fdinfo names.
    package var mountID: Int
    /// `major:minor` of st_dev: the mount's identity.
    package var device: String
    package var path: [UInt8]
    /// `fuse.ossmount`.
    package var type: [UInt8]
    package var source: [UInt8]
    /// Of the super block: `rw,user_id=0,group_id=0`.
    package var superOptions: [UInt8]

    /// Whether it is a mount of this program.
    package var isOurs: Bool { type == Array("fuse.\(FuseConfiguration.subtype)".utf8) }

    /// Who mounted it, as FUSE notes it; nil for other types.
    package var userID: UInt32? {
        let name = Array("user_id=".utf8)
        for option in superOptions.split(separator: UInt8(ascii: ",")) where option.starts(with: name) {
            return MountTable.number(option.dropFirst(name.count))
        }
        return nil
    }
}

/// The mounts of this process' namespace, read without touching any of them.
package enum MountTable {
    /// The topmost mount at `path` (absolute, resolved), or nil.
    package static func topmost(at path: [UInt8]) -> MountTableEntry? {
        guard let text = contents(of: "/proc/self/mountinfo") else { return nil }
        // Later lines are mounted later; those over the same path stand on top.
        return entries(in: text).last { $0.path == path }
    }

    /// Whether a file whose status names this device (stat(2), `st_dev`) lies in a mount of this program.
    package static func isOurs(device: UInt64) -> Bool {
        guard let text = contents(of: "/proc/self/mountinfo") else { return false }
        // As gnu_dev_major and gnu_dev_minor of glibc take it apart.
        let major = device >> 8 & 0xFFF | device >> 32 & 0xFFFF_F000
        let minor = device & 0xFF | device >> 12 & 0xFFFF_FF00
        return entries(in: text).contains { $0.isOurs && $0.device == "\(major):\(minor)" }
    }

    /// `36 35 98:0 / /mnt rw,noatime shared:1 - ext3 /dev/root rw`: any number of optional fields before the dash.
    static func entries(in text: [UInt8]) -> [MountTableEntry] {
        text.split(separator: UInt8(ascii: "\n")).compactMap { line in
            let fields = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            guard fields.count >= 7, let dash = fields[6...].firstIndex(of: [UInt8(ascii: "-")]),
                dash + 2 < fields.count, let mountID: Int = number(fields[0]),
                let device = String(validating: fields[2], as: UTF8.self)
            else { return nil }
            return MountTableEntry(
                mountID: mountID, device: device, path: unescaped(fields[4]), type: unescaped(fields[dash + 1]),
                source: unescaped(fields[dash + 2]),
                superOptions: dash + 3 < fields.count ? unescaped(fields[dash + 3]) : [])
        }
    }

    static func number<Number: FixedWidthInteger>(_ digits: ArraySlice<UInt8>) -> Number? {
        String(validating: digits, as: UTF8.self).flatMap { Number($0) }
    }

    /// Blanks, tabs, line feeds and backslashes stand as three octal digits behind a backslash.
    private static func unescaped(_ field: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        var rest = field
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            guard byte == UInt8(ascii: "\\"), digits.count == 3, digits.allSatisfy({ (0x30...0x37).contains($0) })
            else {
                result.append(byte)
                continue
            }
            result.append(UInt8(truncatingIfNeeded: digits.reduce(0) { $0 * 8 + Int($1 - 0x30) }))
            rest = rest.dropFirst(3)
        }
        return result
    }
}
