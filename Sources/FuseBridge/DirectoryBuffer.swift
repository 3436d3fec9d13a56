import CFuse
import FileSystemCore
import Glibc

/// Directory entries in the kernel's format, up to the size that one READDIR asked for.
final class DirectoryBuffer: DirectoryPacker, @unchecked Sendable {
    // Unchecked: the core uses it from one thread at a time, and it is read only after the core replied.
    let wantsAttributes: Bool
    let base: UnsafeMutablePointer<CChar>
    private let capacity: Int
    private(set) var count = 0

    /// 1 MiB is the most that the kernel asks for; a longer answer than asked for would be refused.
    private static let limit = 1 << 20

    init(requestedBytes: Int, wantsAttributes: Bool) {
        self.wantsAttributes = wantsAttributes
        capacity = min(max(requestedBytes, 0), Self.limit)
        base = .allocate(capacity: max(capacity, 1))
    }

    deinit { base.deallocate() }

    func add(name: [UInt8], inode: InodeNumber, kind: FileKind?, entry: Entry?, nextOffset: UInt64) -> Bool {
        let space = capacity - count
        // Larger offsets than off_t holds can't come back from the kernel.
        guard let offset = Int(exactly: nextOffset), !name.contains(0) else { return false }
        // Both functions of libfuse ignore their request, which may have been answered EINTR and freed by now.
        let needed = terminated(name).withUnsafeBufferPointer { name in
            if wantsAttributes {
                var parameter = entry?.parameter ?? Self.unknown(inode, kind)
                return fuse_add_direntry_plus(nil, base + count, space, name.baseAddress, &parameter, offset)
            }
            var status = Self.unknown(inode, kind).attr
            return fuse_add_direntry(nil, base + count, space, name.baseAddress, &status, offset)
        }
        guard needed <= space else { return false }
        count += needed
        return true
    }

    /// Node id 0, which makes the kernel look the name up when it wants more than its number and kind.
    private static func unknown(_ inode: InodeNumber, _ kind: FileKind?) -> fuse_entry_param {
        var parameter = fuse_entry_param()
        parameter.attr.st_ino = UInt(inode.rawValue)
        parameter.attr.st_mode = kind?.modeBits ?? 0
        return parameter
    }
}
