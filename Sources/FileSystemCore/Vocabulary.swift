import Instrumentation
import ObjectStore
import Runtime

/// The 64-bit name that the kernel holds for an inode; never used for two files under one mount.
package struct InodeNumber: Hashable, Comparable, Sendable {
    package let rawValue: UInt64
    package init(_ rawValue: UInt64) { self.rawValue = rawValue }

    /// The root's number, fixed by the FUSE protocol.
    package static let root = InodeNumber(1)

    package static func < (left: InodeNumber, right: InodeNumber) -> Bool { left.rawValue < right.rawValue }
}

/// The number of one `open` or `opendir`.
package struct HandleID: Hashable, Sendable {
    package let rawValue: UInt64
    package init(_ rawValue: UInt64) { self.rawValue = rawValue }
}

/// Who asks.
package struct Caller: Sendable {
    package var uid: UInt32
    package var gid: UInt32
    /// The thread's id as the kernel sends it; 0 where it can't be named in this namespace.
    package var pid: Int32
    /// Only meaningful in calls that make something.
    package var umask: UInt32

    package init(uid: UInt32, gid: UInt32, pid: Int32, umask: UInt32 = 0) {
        self.uid = uid
        self.gid = gid
        self.pid = pid
        self.umask = umask
    }
}

/// One operation: who asks, and its wish to end early.
package struct OperationContext: Sendable {
    package let caller: Caller
    /// Set when the caller is being killed: what waits for the operation ends soon, with EINTR.
    package let cancellation: Cancellation

    package init(caller: Caller, cancellation: Cancellation) {
        self.caller = caller
        self.cancellation = cancellation
    }
}

/// Answers one operation, at most once; called from any thread, never with a lock held. False when the answer reached
/// nobody (the caller was killed, or the mount is gone): what it gave away is then taken back by the file system.
package typealias Reply<Value> = @Sendable (Result<Value, FileSystemError>) -> Bool

/// What an inode is.
package enum FileKind: Sendable, Hashable {
    case regular, directory
}

/// What `stat` shows.
package struct Attributes: Sendable, Hashable {
    package var inode: InodeNumber
    package var kind: FileKind
    /// The lower twelve bits of st_mode.
    package var permissions: UInt32
    package var uid: UInt32
    package var gid: UInt32
    /// Bytes.
    package var size: Int64
    package var accessTime: WallTime
    package var modificationTime: WallTime
    package var changeTime: WallTime
    /// How many names it has: none once it was removed and is still open, else one.
    package var links: UInt32 = 1

    package init(
        inode: InodeNumber, kind: FileKind, permissions: UInt32, uid: UInt32, gid: UInt32, size: Int64,
        accessTime: WallTime, modificationTime: WallTime, changeTime: WallTime
    ) {
        self.inode = inode
        self.kind = kind
        self.permissions = permissions
        self.uid = uid
        self.gid = gid
        self.size = size
        self.accessTime = accessTime
        self.modificationTime = modificationTime
        self.changeTime = changeTime
    }
}

/// A found name: its inode, one lookup count more, and how long the kernel may trust both.
package struct Entry: Sendable {
    package var attributes: Attributes
    package var entryTimeout: Duration
    package var attributeTimeout: Duration

    package init(attributes: Attributes, entryTimeout: Duration, attributeTimeout: Duration) {
        self.attributes = attributes
        self.entryTimeout = entryTimeout
        self.attributeTimeout = attributeTimeout
    }
}

/// What a lookup says: a name found, or a name known to be absent for a while (zero: don't remember it).
package enum LookupResult: Sendable {
    case found(Entry)
    case absent(timeout: Duration)
}

/// Attributes and how long the kernel may trust them.
package struct TimedAttributes: Sendable {
    package var attributes: Attributes
    package var timeout: Duration
}

/// What setattr changes; nil leaves a value as it is.
package struct AttributeChange: Sendable {
    /// A time to set: one given, or the present.
    package enum Time: Sendable, Hashable {
        case now
        case at(WallTime)
    }

    package var permissions: UInt32?
    package var uid: UInt32?
    package var gid: UInt32?
    package var size: Int64?
    package var accessTime: Time?
    package var modificationTime: Time?
    /// Whether a change of the length drops suid and sgid; set by the core, by who asks.
    var clearsPrivileges = false
    /// The open file that the call came through (ftruncate, futimens), if any.
    package var handle: HandleID?

    package init() {}
}

/// An opened file.
package struct OpenedFile: Sendable {
    package var handle: HandleID
    /// Whether pages that the kernel has of this inode are still right.
    package var keepsPageCache: Bool
}

/// What statfs shows; large and finite, as a bucket has no size of its own.
package struct FileSystemStatistics: Sendable {
    package var blockBytes: UInt64
    package var totalBlocks: UInt64
    package var freeBlocks: UInt64
    package var totalInodes: UInt64
    package var freeInodes: UInt64
    package var maximumNameBytes: UInt64
}

/// Takes directory entries in the kernel's format, one after the other, until its buffer is full.
///
/// Used by one thread at a time; `add` may be called with a lock held and must not block.
package protocol DirectoryPacker: Sendable {
    /// Whether entries go out with attributes (readdirplus).
    var wantsAttributes: Bool { get }

    /// Adds one entry, whose successor stands at `nextOffset`; false if it has no room, and then it isn't added.
    ///
    /// - Parameter inode: for d_ino. - Parameter kind: nil is DT_UNKNOWN.
    /// - Parameter entry: nil in readdirplus makes the kernel look the name up itself (node id 0).
    func add(name: [UInt8], inode: InodeNumber, kind: FileKind?, entry: Entry?, nextOffset: UInt64) -> Bool
}

/// Tells the kernel what it must forget; calls return at once, are carried out in order by one thread, and may be
/// folded together.
package protocol KernelNotifier: Sendable {
    /// The name no longer means what the kernel thinks.
    func invalidateEntry(parent: InodeNumber, name: FileName)

    /// The inode's attributes, and its cached pages where `dropsPages`, are no longer right.
    func invalidateInode(_ inode: InodeNumber, dropsPages: Bool)
}
