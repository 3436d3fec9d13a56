import Glibc
import Instrumentation
import ObjectStore

/// The attributes of POSIX that travel with an object as user metadata, in the form of ossfs and s3fs.
///
/// `mode` is the decimal of st_mode, `uid` and `gid` decimal, `mtime` and `atime` seconds with nine digits of fraction.
struct PosixMetadata: Hashable, Sendable {
    /// The lower twelve bits of st_mode; nil where the object says none.
    var permissions: UInt32?
    var uid: UInt32?
    var gid: UInt32?
    var modificationTime: WallTime?
    var accessTime: WallTime?

    init(permissions: UInt32?, uid: UInt32?, gid: UInt32?, modificationTime: WallTime?, accessTime: WallTime?) {
        self.permissions = permissions
        self.uid = uid
        self.gid = gid
        self.modificationTime = modificationTime
        self.accessTime = accessTime
    }

    /// Reads what ossfs, s3fs and rclone write; what makes no sense counts as not said.
    init(reading user: [String: [UInt8]]) {
        permissions = user["mode"].flatMap(Self.mode).map { $0 & 0o7777 }
        uid = user["uid"].flatMap { Self.decimal($0[...]) }.flatMap { UInt32(exactly: $0) }
        gid = user["gid"].flatMap { Self.decimal($0[...]) }.flatMap { UInt32(exactly: $0) }
        modificationTime = user["mtime"].flatMap(Self.time)
        accessTime = user["atime"].flatMap(Self.time)
    }

    /// Sets these attributes among `user`, whose other entries stay.
    func write(into user: inout [String: [UInt8]], kind: FileKind) {
        if let permissions {
            let type: UInt32 = kind == .directory ? S_IFDIR : S_IFREG
            user["mode"] = Array(String(permissions | type).utf8)
        }
        if let uid { user["uid"] = Array(String(uid).utf8) }
        if let gid { user["gid"] = Array(String(gid).utf8) }
        if let modificationTime { user["mtime"] = Self.text(modificationTime) }
        if let accessTime { user["atime"] = Self.text(accessTime) }
    }

    /// Takes the times out: the object's own then stand for them.
    static func removeTimes(from user: inout [String: [UInt8]]) {
        user["mtime"] = nil
        user["atime"] = nil
    }

    /// Decimal as ossfs and s3fs write it, C's 0 and 0x forms as ossfs reads them, and rclone's octal digits without a
    /// prefix: those whose octal reading names a file type where the decimal reading doesn't.
    static func mode(_ text: [UInt8]) -> UInt32? {
        let string = String(validating: text, as: UTF8.self) ?? ""
        let value: UInt32?
        if string.hasPrefix("0x") || string.hasPrefix("0X") {
            value = UInt32(string.dropFirst(2), radix: 16)
        } else if string.hasPrefix("0") {
            value = UInt32(string, radix: 8)
        } else if let decimal = UInt32(string), namesType(decimal) {
            value = decimal
        } else if let octal = UInt32(string, radix: 8), string.utf8.count >= 5, namesType(octal) {
            value = octal
        } else {
            value = UInt32(string)
        }
        guard let value, value <= 0o177777 else { return nil }
        return value
    }

    private static func namesType(_ mode: UInt32) -> Bool {
        mode <= 0o177777 && [S_IFREG, S_IFDIR, S_IFLNK, S_IFIFO, S_IFSOCK, S_IFCHR, S_IFBLK].contains(mode & S_IFMT)
    }

    /// `SECONDS` or `SECONDS.FRACTION`, the fraction being decimal; nil at or before 1970, which means "not known".
    static func time(_ text: [UInt8]) -> WallTime? {
        let parts = text.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let seconds = decimal(first), seconds > 0 else { return nil }
        guard parts.count == 2 else { return WallTime(seconds: seconds) }
        let digits = Array(parts[1].prefix(9))
        guard let fraction = decimal(digits[...]) else { return nil }
        let nanoseconds = (digits.count..<9).reduce(fraction) { value, _ in value * 10 }
        return WallTime(seconds: seconds, nanoseconds: UInt32(nanoseconds))
    }

    static func text(_ time: WallTime) -> [UInt8] {
        let fraction = String(Int(time.nanoseconds) + 1_000_000_000).dropFirst()
        return Array("\(time.seconds).\(fraction)".utf8)
    }

    private static func decimal(_ text: ArraySlice<UInt8>) -> Int64? {
        guard !text.isEmpty, text.count <= 18, text.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
        return text.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }
}
