import CFuse
import FileSystemCore
import Glibc
import Instrumentation

// The core's attributes in the kernel's terms, and back.

extension Attributes {
    /// What programs take as the best size of a read. cp and cat read at least 128 KiB anyway; but Python's open() and
    /// some libc's stdio fill a buffer of this size to read a header, so 1 MiB would cost small readers a lot. One slab.
    private static let ioBytes = 256 * 1024

    var status: stat {
        var status = stat()
        status.st_ino = UInt(inode.rawValue)
        status.st_mode = permissions & 0o7777 | kind.modeBits
        // 1 for directories that have their name too: find(1) and fts(3) take any other number as two plus the number of subdirectories and
        // skip what seems to have none; below 2 they look for themselves.
        status.st_nlink = nlink_t(links)
        status.st_uid = uid
        status.st_gid = gid
        status.st_size = Int(size)
        status.st_blksize = numericCast(Self.ioBytes)
        status.st_blocks = Int(size / 512 + (size % 512 > 0 ? 1 : 0))
        status.st_atim = accessTime.timespec
        status.st_mtim = modificationTime.timespec
        status.st_ctim = changeTime.timespec
        return status
    }
}

extension FileKind {
    /// The S_IF… bits of st_mode.
    var modeBits: UInt32 {
        switch self {
        case .regular: S_IFREG
        case .directory: S_IFDIR
        }
    }
}

extension WallTime {
    var timespec: Glibc.timespec { Glibc.timespec(tv_sec: Int(seconds), tv_nsec: Int(nanoseconds)) }

    init(_ time: Glibc.timespec) {
        self.init(seconds: Int64(time.tv_sec), nanoseconds: UInt32(clamping: time.tv_nsec))
    }
}

extension Duration {
    /// libfuse takes timeouts as seconds in a double.
    var timeoutSeconds: Double {
        let (seconds, attoseconds) = components
        return max(Double(seconds) + Double(attoseconds) / 1e18, 0)
    }
}

extension Entry {
    var parameter: fuse_entry_param {
        var parameter = fuse_entry_param()
        parameter.ino = fuse_ino_t(attributes.inode.rawValue)
        // Numbers are never used twice, so the generation stays 0.
        parameter.generation = 0
        parameter.attr = attributes.status
        parameter.attr_timeout = attributeTimeout.timeoutSeconds
        parameter.entry_timeout = entryTimeout.timeoutSeconds
        return parameter
    }
}

extension FileSystemStatistics {
    var statvfs: Glibc.statvfs {
        var result = Glibc.statvfs()
        result.f_bsize = UInt(blockBytes)
        result.f_frsize = UInt(blockBytes)
        result.f_blocks = UInt(totalBlocks)
        result.f_bfree = UInt(freeBlocks)
        result.f_bavail = UInt(freeBlocks)
        result.f_files = UInt(totalInodes)
        result.f_ffree = UInt(freeInodes)
        result.f_favail = UInt(freeInodes)
        result.f_namemax = UInt(maximumNameBytes)
        return result
    }
}

extension AttributeChange {
    /// - Parameter fields: FUSE_SET_ATTR_…. The kernel's wish to drop suid and sgid comes with changes of size or owner,
    ///   at which the core drops them by itself; ctime is the core's own.
    init(status: stat, fields: Int32, handle: HandleID?) {
        self.init()
        func has(_ flag: Int32) -> Bool { fields & flag != 0 }
        if has(FUSE_SET_ATTR_MODE) { permissions = status.st_mode & 0o7777 }
        if has(FUSE_SET_ATTR_UID) { uid = status.st_uid }
        if has(FUSE_SET_ATTR_GID) { gid = status.st_gid }
        if has(FUSE_SET_ATTR_SIZE) { size = Int64(status.st_size) }
        if has(FUSE_SET_ATTR_ATIME_NOW) {
            accessTime = .now
        } else if has(FUSE_SET_ATTR_ATIME) {
            accessTime = .at(WallTime(status.st_atim))
        }
        if has(FUSE_SET_ATTR_MTIME_NOW) {
            modificationTime = .now
        } else if has(FUSE_SET_ATTR_MTIME) {
            modificationTime = .at(WallTime(status.st_mtim))
        }
        self.handle = handle
    }
}
