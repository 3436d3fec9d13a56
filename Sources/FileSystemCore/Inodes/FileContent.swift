import Glibc
import Instrumentation
import ObjectStore
import Runtime
import Transfer

/// What one regular file is: its version in the bucket, what is unsent, and whether somebody is sending.
final class FileContent: Sendable {
    /// The version in the bucket that this inode shows, or showed before its unsent changes.
    struct Base {
        /// Where it stands now; changes with our own renames.
        var key: ObjectKey
        var listed: ListedObject
        /// All metadata of the object; nil where only a listing spoke of it.
        var metadata: ObjectMetadata?
        var isArchived = false
        /// What else the object has, as far as it is known; see `FileSystem.properties`.
        var properties = ObjectProperties()
        var taggingCount = 0
        var hasAllProperties = false
    }

    struct State {
        /// Nil for a file that was never in the bucket.
        var base: Base?
        /// Attributes as they are or will be; those from a listing alone are the defaults until a HEAD.
        var permissions: UInt32
        var uid: UInt32
        var gid: UInt32
        var modificationTime: WallTime
        var accessTime: WallTime?
        var changeTime: WallTime
        /// When the server last spoke of the bytes, and of the attributes (nil: never).
        var checkedAt: Deadline
        var metadataCheckedAt: Deadline?
        /// Unsent bytes; nil where the base is the file.
        var session: UploadSession?
        /// Whether a program set the time of modification since the last write, so that the object must carry it.
        var hasSetTimes = false
        /// Handles that may read: what was sent and dropped must be readable for them.
        var readers = 0
        /// Whether the unsent bytes are an edit of the base, so that its replacement is a conflict.
        var buildsOnBase = false
        /// Whether the unsent bytes came by other handles than those that append.
        var hasPlainWrites = false
        /// The base was replaced before its bytes were read: what there is may only go under a conflict name.
        var hasLostBase = false
        /// Renamed over an object before it was ever sent, so that a removal must delete that.
        var coversObject = false
        /// The first commit must not replace an object (O_EXCL).
        var isExclusive = false
        /// Counts every change; a commit is whole if none came while it was sending.
        var changes: UInt64 = 0
        /// One thread at a time sends, copies or deletes.
        var isSending = false
        /// Handles open for writing.
        var writers = 0
        /// Failures of sending so far, and the last one.
        var errorCount = 0
        var lastError: FileSystemError?
        /// The value of `changes` that the last failed commit tried to send.
        var failedAt: UInt64?
        /// A write failed: what is there is not what the program wrote, and is not sent until truncated or closed by all.
        var isPoisoned = false
        /// Its object is about to go: who opens it now waits for what comes of that.
        var isLeaving = false
        /// The hidden object that has its bytes for who has it open, as its own object went.
        var orphan: ObjectKey?
        /// The name was taken away: there is nothing to send any more.
        var isUnlinked = false
        var reader: ObjectReader?

        var size: Int64 { session?.size ?? base?.listed.size ?? 0 }
        var isDirty: Bool { session != nil }
        /// Whether what we know is the truth until the next commit, whatever the server says.
        var isLocal: Bool { isDirty || isSending || base == nil }
    }

    /// Guards everything; rank: file. Threads wait here for `isSending` to end.
    let state: Locked<State>

    init(_ state: State) { self.state = Locked(state) }

    var hasUnsentChanges: Bool { state.withLock { ($0.isDirty || $0.isSending || $0.writers > 0) && !$0.isUnlinked } }

    /// Whether the bucket doesn't have it at all, or not under its present name.
    var isUnsent: Bool { state.withLock { $0.base == nil && !$0.isUnlinked } }

    /// As a listing would show it.
    var listed: ListedName {
        state.withLock { state in
            if let base = state.base, state.session == nil { return .object(base.listed) }
            return .object(ListedObject(size: state.size, etag: ETag([]), lastModified: state.modificationTime))
        }
    }

    /// Waits until nobody else sends, and then is the one who does; must be ended by `endSending`.
    func beginSending(by deadline: Deadline, _ cancellation: Cancellation?) throws(FileSystemError) {
        let number = cancellation?.onCancel { [self] in state.wakeAll() }
        defer { if let number { cancellation?.remove(number) } }
        let outcome: Bool? = state.wait(until: deadline) { state -> Bool? in
            if cancellation?.isCancelled == true { return false }
            if state.isSending { return nil }
            state.isSending = true
            return true
        }
        switch outcome {
        case true?: return
        case false?: throw FileSystemError(EINTR)
        case nil: throw FileSystemError(EIO, "The server did not answer in time.", level: .warning)
        }
    }

    func endSending() {
        state.withLock { $0.isSending = false }
        state.wakeAll()
    }
}

extension FileContent.State {
    /// A file that the bucket doesn't have yet; it still lacks its session.
    static func new(permissions: UInt32, caller: Caller, isExclusive: Bool, clock: any Clock) -> Self {
        let now = clock.wall
        return Self(
            base: nil, permissions: permissions, uid: caller.uid, gid: caller.gid, modificationTime: now,
            changeTime: now, checkedAt: clock.monotonic, metadataCheckedAt: clock.monotonic,
            isExclusive: isExclusive)
    }

    /// A file of the bucket as a listing shows it, with the defaults for what a listing doesn't tell.
    static func listed(
        _ object: ListedObject, key: ObjectKey, at time: Deadline, _ configuration: FileSystemConfiguration
    ) -> Self {
        Self(
            base: FileContent.Base(key: key, listed: object, metadata: nil), permissions: 0o644 & ~configuration.umask,
            uid: configuration.uid, gid: configuration.gid, modificationTime: object.lastModified,
            changeTime: object.lastModified, checkedAt: time)
    }

    /// A file of the bucket as a HEAD shows it.
    static func headed(
        _ info: ObjectInfo, key: ObjectKey, at time: Deadline, _ configuration: FileSystemConfiguration
    ) -> Self {
        var state = listed(ListedObject(info), key: key, at: time, configuration)
        state.adopt(info, at: time, configuration)
        return state
    }

    /// Takes over the attributes that a HEAD of the present base shows.
    mutating func adopt(_ info: ObjectInfo, at time: Deadline, _ configuration: FileSystemConfiguration) {
        let posix = PosixMetadata(reading: info.metadata.user)
        guard let old = base else { return }
        let isKnown = old.hasAllProperties && old.listed.etag == info.etag
        base = FileContent.Base(
            key: old.key, listed: ListedObject(info), metadata: info.metadata,
            isArchived: !info.storageClass.isEmpty
                && info.storageClass.suffix(7).elementsEqual("Archive".utf8),
            properties: isKnown ? old.properties : ObjectProperties(info), taggingCount: info.taggingCount,
            hasAllProperties: isKnown)
        permissions = posix.permissions ?? (0o644 & ~configuration.umask)
        uid = posix.uid ?? configuration.uid
        gid = posix.gid ?? configuration.gid
        modificationTime = posix.modificationTime ?? info.lastModified
        accessTime = posix.accessTime
        changeTime = info.lastModified
        checkedAt = time
        metadataCheckedAt = time
    }

    /// All metadata of the object that a put or copy is to make: ours, and what the base has that isn't ours.
    func metadata(contentType: [UInt8]) -> ObjectMetadata {
        var metadata = base?.metadata ?? ObjectMetadata()
        if metadata.contentType == nil { metadata.contentType = contentType }
        let posix = PosixMetadata(
            permissions: permissions, uid: uid, gid: gid, modificationTime: modificationTime, accessTime: accessTime)
        posix.write(into: &metadata.user, kind: .regular)
        return metadata
    }

    /// The same for an object that is begun before its last write: only times that a program has set.
    func metadataWithoutTimes(contentType: [UInt8]) -> ObjectMetadata {
        var metadata = metadata(contentType: contentType)
        if !hasSetTimes { PosixMetadata.removeTimes(from: &metadata.user) }
        return metadata
    }

    /// What stat shows; `number` is not known here.
    func attributes(_ number: InodeNumber) -> Attributes {
        Attributes(
            inode: number, kind: .regular, permissions: permissions, uid: uid, gid: gid, size: size,
            accessTime: accessTime ?? modificationTime, modificationTime: modificationTime, changeTime: changeTime)
    }

    /// Notes a change of bytes or attributes by a program.
    mutating func noteChange() {
        changes += 1
        failedAt = nil
    }
}

extension ObjectProperties {
    /// Those that a HEAD tells; nil for a class that a bucket has anyway.
    fileprivate init(_ info: ObjectInfo) {
        self.init(storageClass: info.storageClass.isEmpty ? nil : info.storageClass, encryption: info.encryption)
    }
}

extension ListedObject {
    init(_ info: ObjectInfo) {
        self.init(size: info.size, etag: info.etag, lastModified: info.lastModified, crc64: info.crc64)
    }

    init(_ row: ListRow) {
        self.init(size: row.size, etag: row.etag, lastModified: row.lastModified, crc64: nil)
    }

    /// Whether both are the same bytes: of one ETag, or of one length and CRC-64 (a copy onto itself may change the ETag).
    func hasSameBytes(as other: ListedObject) -> Bool {
        guard size == other.size else { return false }
        if etag == other.etag { return true }
        guard let crc64, let otherCRC = other.crc64 else { return false }
        return crc64 == otherCRC
    }
}
