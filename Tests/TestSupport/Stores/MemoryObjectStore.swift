import Checksums
import Instrumentation
import ObjectStore
import Runtime

/// The calls of an object store, to count them and to aim faults.
package enum StoreOperation: String, Sendable, Hashable, CaseIterable {
    case probe, list, head, get, put, copy, delete
    case deleteMany, append, putLink, link, meta, tags, putTags, deleteTags, acl, putACL, restore
    case listVersions, headVersion, deleteVersion, process, usage, description
    case initiateUpload, uploadPart, copyPart, listParts, completeUpload, abortUpload, listUploads
}

/// An object store in memory with the rules of an OSS bucket, which keeps versions only once `setVersioning` said so.
///
/// ETags are of content as those of OSS are: the same bytes have the same ETag. Times are whole seconds of `clock`. No
/// call waits for anything; the context's deadline and cancellation are looked at when a call begins.
package final class MemoryObjectStore: ObjectStore {
    struct Stored {
        /// Of a symbolic link, the key that it leads to.
        var bytes: [UInt8]
        var info: ObjectInfo
        var acl: [UInt8]?
        var tags: [ObjectTag] = []
        var version = VersionID.null
        /// Of an archived object, until when it can be read.
        var restoredUntil: WallTime?

        /// Gives the object what the request says, and the bucket's own of the rest.
        mutating func apply(_ properties: ObjectProperties) {
            acl = properties.acl
            tags = properties.tagging
            info.taggingCount = tags.count
            info.storageClass = properties.storageClass ?? Array("Standard".utf8)
            info.encryption = properties.encryption
        }
    }

    struct State {
        var objects: [ObjectKey: Stored] = [:]
        /// The keys of `objects` in byte order.
        var order: [ObjectKey] = []
        var uploads: [UploadID: Upload] = [:]
        var uploadsBegun = 0
        var requests: [StoreOperation: Int] = [:]
        var versioning = Versioning.never
        /// What isn't current, of each key the latest first.
        var older: [ObjectKey: [Older]] = [:]
        var versionsMade: UInt64 = 0
    }

    package let capabilities: StoreCapabilities
    let clock: any Clock
    // Guards objects, order, uploads and counters. Bodies and receivers are called outside it.
    let state = Locked(State())

    /// How large the pieces are that a get hands over: several for all but small objects.
    static let pieceBytes = 64 * 1024

    package init(capabilities: StoreCapabilities = .ofMemory, clock: any Clock = SystemClock()) {
        self.capabilities = capabilities
        self.clock = clock
    }

    package func probe(_ context: RequestContext) throws(ObjectStoreError) {
        try enter(.probe, "ListObjectsV2", nil, context)
    }

    package func head(_ key: ObjectKey, _ context: RequestContext) throws(ObjectStoreError) -> ObjectInfo {
        try enter(.head, "HeadObject", key, context)
        return try read(key, "HeadObject").info
    }

    package func get(
        _ request: GetRequest, into receiver: any ObjectReceiver, _ context: RequestContext
    ) throws(ObjectStoreError) -> ObjectInfo {
        try enter(.get, "GetObject", request.key, context)
        let object = try read(request.key, version: request.version, "GetObject")
        guard object.canBeRead(at: clock.wall) else {
            throw failure(.archived, "GetObject", request.key, 403, "InvalidObjectState")
        }
        if let wanted = request.ifMatch, wanted != object.info.etag {
            throw failure(.preconditionFailed, "GetObject", request.key, 412, "PreconditionFailed")
        }
        var range = 0..<object.bytes.count
        if let wanted = request.range {
            guard wanted.lowerBound >= 0, wanted.lowerBound < object.info.size else {
                throw failure(.invalidRange, "GetObject", request.key, 416, "InvalidRange")
            }
            range = Int(wanted.lowerBound)..<Int(min(wanted.upperBound, object.info.size))
        }
        receiver.begin(object.info)
        var offset = range.lowerBound
        while offset < range.upperBound {
            try check("GetObject", request.key, context)
            let end = min(offset + Self.pieceBytes, range.upperBound)
            let wantsMore = object.bytes.withUnsafeBytes { bytes in
                receiver.receive(UnsafeRawBufferPointer(rebasing: bytes[offset..<end]), at: Int64(offset))
            }
            offset = end
            guard wantsMore else { throw failure(.cancelled, "GetObject", request.key, nil, "") }
        }
        return object.info
    }

    package func put(
        _ request: PutRequest, body: any ObjectBody, _ context: RequestContext
    ) throws(ObjectStoreError) -> WriteResult {
        try enter(.put, "PutObject", request.key, context)
        try checkMetadata(request.metadata, "PutObject", request.key)
        guard body.count <= capabilities.maximumPutBytes else {
            throw failure(.tooLarge, "PutObject", request.key, 400, "EntityTooLarge")
        }
        let bytes = Self.read(body)
        let crc = bytes.withUnsafeBytes { CRC64.of($0) }
        if let claimed = body.crc64, claimed != crc {
            throw failure(.corrupted, "PutObject", request.key, nil, "")
        }
        var object = Stored(bytes: bytes, info: makeInfo(bytes: bytes, crc: crc, metadata: request.metadata))
        object.apply(request.properties)
        let (new, info) = (object, object.info)
        let forbids = request.forbidOverwrite && capabilities.hasExclusiveCreate
        let isStored = state.withLock { state in
            if forbids, state.objects[request.key] != nil { return false }
            state.store(new, at: request.key)
            return true
        }
        guard isStored else { throw failure(.alreadyExists, "PutObject", request.key, 409, "FileAlreadyExists") }
        return WriteResult(etag: info.etag, crc64: info.crc64, lastModified: nil, serverDate: serverDate)
    }

    package func copy(_ request: CopyRequest, _ context: RequestContext) throws(ObjectStoreError) -> WriteResult {
        try enter(.copy, "CopyObject", request.destination, context)
        if let metadata = request.replacing { try checkMetadata(metadata, "CopyObject", request.destination) }
        let source = try stored(request.source, "CopyObject")
        if let wanted = request.sourceIfMatch, wanted != source.info.etag {
            throw failure(.preconditionFailed, "CopyObject", request.source, 412, "PreconditionFailed")
        }
        guard source.info.size <= capabilities.maximumCopyBytes else {
            throw failure(.tooLarge, "CopyObject", request.source, 400, "EntityTooLarge")
        }
        var info = source.info
        info.lastModified = serverDate
        info.serverDate = serverDate
        if info.type != .symlink { info.type = .normal }
        if let metadata = request.replacing { info.metadata = metadata }
        let copy = Self.copied(source, info, request)
        let forbids = request.forbidOverwrite && capabilities.hasExclusiveCreate
        let isStored = state.withLock { state in
            if forbids, state.objects[request.destination] != nil { return false }
            state.store(copy, at: request.destination)
            return true
        }
        guard isStored else {
            throw failure(.alreadyExists, "CopyObject", request.destination, 409, "FileAlreadyExists")
        }
        return WriteResult(
            etag: info.etag, crc64: info.crc64, lastModified: info.lastModified, serverDate: serverDate)
    }

    /// Of the source's properties a copy keeps tags and encryption, unless it is given others.
    private static func copied(_ source: Stored, _ info: ObjectInfo, _ request: CopyRequest) -> Stored {
        var copy = source
        copy.info = info
        copy.apply(request.properties)
        if !request.taggingReplaces { copy.tags = source.tags }
        copy.info.taggingCount = copy.tags.count
        copy.info.appendPosition = nil
        copy.info.restoration = nil
        copy.restoredUntil = nil
        copy.info.encryption = request.properties.encryption ?? source.info.encryption
        return copy
    }

    package func delete(_ key: ObjectKey, _ context: RequestContext) throws(ObjectStoreError) {
        try enter(.delete, "DeleteObject", key, context)
        state.withLock { $0.remove(key, at: serverDate) }
    }

    // MARK: - Rules

    /// The present second, as a server's Date says it.
    var serverDate: WallTime { WallTime(seconds: clock.wall.seconds) }

    /// Counts the call, then refuses what has no time left, is cancelled, or has a key that is none.
    func enter(
        _ operation: StoreOperation, _ name: StaticString, _ key: ObjectKey?, _ context: RequestContext
    ) throws(ObjectStoreError) {
        state.withLock { $0.requests[operation, default: 0] += 1 }
        try check(name, key, context)
        if let key { try checkKey(key, name) }
    }

    func checkKey(_ key: ObjectKey, _ name: StaticString) throws(ObjectStoreError) {
        let isText = key.bytes.withUnsafeBufferPointer { String(validating: $0, as: UTF8.self) != nil }
        let starts: Set<UInt8> = [UInt8(ascii: "/"), UInt8(ascii: "\\")]
        let isLegal = key.bytes.count <= capabilities.maximumKeyBytes && isText
        guard let first = key.bytes.first, isLegal, !starts.contains(first) else {
            throw failure(.invalidRequest, name, key, 400, "InvalidObjectName")
        }
    }

    func check(_ name: StaticString, _ key: ObjectKey?, _ context: RequestContext) throws(ObjectStoreError) {
        if context.cancellation?.isCancelled == true { throw failure(.cancelled, name, key, nil, "") }
        if context.deadline.hasPassed { throw failure(.unavailable, name, key, nil, "") }
    }

    func checkMetadata(
        _ metadata: ObjectMetadata, _ name: StaticString, _ key: ObjectKey
    ) throws(ObjectStoreError) {
        let bytes = metadata.user.reduce(0) { $0 + $1.key.utf8.count + $1.value.count }
        let areNames = metadata.user.keys.allSatisfy { name in
            !name.isEmpty && name.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 45 }
        }
        guard bytes <= capabilities.maximumMetadataBytes, areNames else {
            throw failure(.invalidRequest, name, key, 400, "InvalidArgument")
        }
    }

    func makeInfo(bytes: [UInt8], crc: UInt64, metadata: ObjectMetadata) -> ObjectInfo {
        var metadata = metadata
        if metadata.contentType == nil { metadata.contentType = Array("application/octet-stream".utf8) }
        let digits = String(crc, radix: 16, uppercase: true) + "-" + String(bytes.count, radix: 16, uppercase: true)
        return ObjectInfo(
            size: Int64(bytes.count), etag: ETag(Array("\"\(digits)\"".utf8)), lastModified: serverDate,
            crc64: capabilities.hasCRC64 ? crc : nil, storageClass: Array("Standard".utf8), metadata: metadata,
            serverDate: serverDate)
    }

    func failure(
        _ kind: ObjectStoreErrorKind, _ operation: StaticString, _ key: ObjectKey?, _ status: Int?, _ code: String
    ) -> ObjectStoreError {
        ObjectStoreError(
            kind: kind, operation: operation, key: key, status: status, code: code,
            message: "the store in memory refuses", isRetryable: false)
    }

    static func read(_ body: any ObjectBody) -> [UInt8] {
        let count = Int(body.count)
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let rest = UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: buffer[filled..<count]))
                filled += body.copy(from: Int64(filled), into: rest)
            }
        }
    }
}

extension StoreCapabilities {
    /// Those of OSS, but for the copy of an object, which has a part's limit.
    package static let ofMemory = StoreCapabilities(
        maximumKeyBytes: 1023, maximumMetadataBytes: 8 * 1024, maximumPutBytes: 5 << 30, maximumCopyBytes: 5 << 30,
        hasExclusiveCreate: true, hasCRC64: true, minimumPartBytes: 100 << 10, maximumPartBytes: 5 << 30,
        maximumParts: 10_000, maximumObjectBytes: 48_800_000_000_000, hasPartCopy: true,
        features: [.append, .links, .tags, .acl, .restore, .versions, .reports], maximumAppendedBytes: 5 << 30)
}
