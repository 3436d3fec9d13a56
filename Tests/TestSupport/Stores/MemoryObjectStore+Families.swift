import Checksums
import Instrumentation
import ObjectStore
import Runtime

// Sets, appends, links, annotations and reports, by the rules of OSS.

extension MemoryObjectStore {
    package func deleteMany(_ keys: [ObjectKey], _ context: RequestContext) throws(ObjectStoreError) {
        try enter(.deleteMany, "DeleteMultipleObjects", nil, context)
        for key in keys { try checkKey(key, "DeleteMultipleObjects") }
        let now = serverDate
        state.withLock { state in
            for key in Set(keys) { state.remove(key, at: now) }
        }
    }

    package func append(
        _ request: AppendRequest, body: any ObjectBody, _ context: RequestContext
    ) throws(ObjectStoreError) -> AppendResult {
        let name: StaticString = "AppendObject"
        try enter(.append, name, request.key, context)
        try need(.append, name, request.key)
        try checkMetadata(request.metadata, name, request.key)
        guard request.position + body.count <= capabilities.maximumAppendedBytes else {
            throw failure(.tooLarge, name, request.key, 400, "EntityTooLarge")
        }
        let added = Self.read(body)
        let fresh = makeInfo(bytes: [], crc: 0, metadata: request.metadata)
        let outcome = state.withLock { state -> Result<Stored, ObjectStoreError> in
            let old = state.objects[request.key]
            if let old, old.info.type != .appendable {
                return .failure(failure(.unsupported, name, request.key, 409, "ObjectNotAppendable"))
            }
            let end = old?.info.size ?? 0
            guard end == request.position else {
                var error = failure(.preconditionFailed, name, request.key, 409, "PositionNotEqualToLength")
                error.appendPosition = end
                return .failure(error)
            }
            var grown = old ?? Stored(bytes: [], info: fresh)
            grown.bytes += added
            let crc = grown.bytes.withUnsafeBytes { CRC64.of($0) }
            let made = makeInfo(bytes: grown.bytes, crc: crc, metadata: grown.info.metadata)
            grown.info.size = made.size
            grown.info.etag = made.etag
            grown.info.crc64 = made.crc64
            grown.info.lastModified = made.lastModified
            grown.info.type = .appendable
            grown.info.appendPosition = made.size
            if old == nil { state.store(grown, at: request.key) } else { state.setCurrent(grown, at: request.key) }
            return .success(grown)
        }
        let grown = try outcome.get()
        let crc = added.withUnsafeBytes { CRC64.of($0) }
        if let before = request.crc64, let now = grown.info.crc64,
            CRC64.combine(before, crc, lengthOfB: Int64(added.count)) != now
        {
            throw failure(.corrupted, name, request.key, nil, "")
        }
        return AppendResult(position: grown.info.size, crc64: grown.info.crc64, serverDate: serverDate)
    }

    package func putLink(_ request: LinkRequest, _ context: RequestContext) throws(ObjectStoreError) {
        let name: StaticString = "PutSymlink"
        try enter(.putLink, name, request.key, context)
        try need(.links, name, request.key)
        try checkKey(request.target, name)
        try checkMetadata(request.metadata, name, request.key)
        let target = request.target.bytes
        var info = makeInfo(bytes: target, crc: target.withUnsafeBytes { CRC64.of($0) }, metadata: request.metadata)
        info.type = .symlink
        let link = Stored(bytes: target, info: info)
        let forbids = request.forbidOverwrite && capabilities.hasExclusiveCreate
        let isStored = state.withLock { state in
            if forbids, state.objects[request.key] != nil { return false }
            state.store(link, at: request.key)
            return true
        }
        guard isStored else { throw failure(.alreadyExists, name, request.key, 409, "FileAlreadyExists") }
    }

    package func link(_ key: ObjectKey, _ context: RequestContext) throws(ObjectStoreError) -> LinkInfo {
        try enter(.link, "GetSymlink", key, context)
        let object = try stored(key, "GetSymlink")
        guard object.info.type == .symlink else { throw failure(.invalidRequest, "GetSymlink", key, 400, "NotSymlink") }
        return LinkInfo(
            target: ObjectKey(object.bytes), etag: object.info.etag, lastModified: object.info.lastModified,
            user: object.info.metadata.user)
    }

    package func meta(_ key: ObjectKey, _ context: RequestContext) throws(ObjectStoreError) -> ObjectInfo {
        try enter(.meta, "GetObjectMeta", key, context)
        let info = try stored(key, "GetObjectMeta").info
        var light = ObjectInfo(
            size: info.size, etag: info.etag, lastModified: info.lastModified, crc64: info.crc64,
            type: info.type == .symlink ? .symlink : .other, serverDate: info.serverDate)
        light.version = info.version
        return light
    }

    package func tags(_ key: ObjectKey, _ context: RequestContext) throws(ObjectStoreError) -> [ObjectTag] {
        try enter(.tags, "GetObjectTagging", key, context)
        try need(.tags, "GetObjectTagging", key)
        return try stored(key, "GetObjectTagging").tags
    }

    package func putTags(
        _ tags: [ObjectTag], of key: ObjectKey, _ context: RequestContext
    ) throws(ObjectStoreError) {
        try enter(.putTags, "PutObjectTagging", key, context)
        let areLegal = tags.allSatisfy { (1...128).contains($0.key.count) && $0.value.count <= 256 }
        guard tags.count <= 10, areLegal else {
            throw failure(.invalidRequest, "PutObjectTagging", key, 400, "InvalidTag")
        }
        try amend(key, .tags, "PutObjectTagging") { object in
            object.tags = tags
            object.info.taggingCount = tags.count
        }
    }

    package func deleteTags(of key: ObjectKey, _ context: RequestContext) throws(ObjectStoreError) {
        try enter(.deleteTags, "DeleteObjectTagging", key, context)
        try amend(key, .tags, "DeleteObjectTagging") { object in
            object.tags = []
            object.info.taggingCount = 0
        }
    }

    package func acl(_ key: ObjectKey, _ context: RequestContext) throws(ObjectStoreError) -> [UInt8] {
        try enter(.acl, "GetObjectACL", key, context)
        try need(.acl, "GetObjectACL", key)
        return try stored(key, "GetObjectACL").acl ?? Array("default".utf8)
    }

    package func putACL(
        _ acl: [UInt8], of key: ObjectKey, _ context: RequestContext
    ) throws(ObjectStoreError) {
        try enter(.putACL, "PutObjectACL", key, context)
        let words = ["default", "private", "public-read", "public-read-write"]
        guard words.contains(where: { acl.elementsEqual($0.utf8) }) else {
            throw failure(.invalidRequest, "PutObjectACL", key, 400, "InvalidArgument")
        }
        try amend(key, .acl, "PutObjectACL") { $0.acl = acl }
    }

    package func restore(
        _ request: RestoreRequest, _ context: RequestContext
    ) throws(ObjectStoreError) -> RestoreOutcome {
        try enter(.restore, "RestoreObject", request.key, context)
        guard try stored(request.key, "RestoreObject").isArchived else {
            throw failure(.unsupported, "RestoreObject", request.key, 400, "OperationNotSupported")
        }
        let now = clock.wall
        var wasReadable = false
        try amend(request.key, .restore, "RestoreObject") { object in
            wasReadable = object.canBeRead(at: now)
            let expiry = WallTime(seconds: now.seconds + Int64(request.days ?? 1) * 86_400)
            object.restoredUntil = expiry
            object.info.restoration = Restoration(isOngoing: false, expiry: expiry)
        }
        return wasReadable ? .readable : .begun
    }

    package func process(
        _ key: ObjectKey, _ instructions: [UInt8], into receiver: any StreamReceiver, _ context: RequestContext
    ) throws(ObjectStoreError) {
        try enter(.process, "GetObject", key, context)
        throw failure(.unsupported, "GetObject", key, 501, "NotImplemented")
    }

    package func usage(_ context: RequestContext) throws(ObjectStoreError) -> BucketUsage {
        try enter(.usage, "GetBucketStat", nil, context)
        try need(.reports, "GetBucketStat", nil)
        return state.withLock { state in
            let older = state.older.values.joined().compactMap(\.object)
            let all = Array(state.objects.values) + older
            return BucketUsage(
                bytes: all.reduce(0) { $0 + Int64($1.bytes.count) }, objects: Int64(all.count),
                uploads: Int64(state.uploads.count))
        }
    }

    package func description(_ context: RequestContext) throws(ObjectStoreError) -> BucketDescription {
        try enter(.description, "GetBucketInfo", nil, context)
        try need(.reports, "GetBucketInfo", nil)
        return BucketDescription(
            location: Array("oss-memory".utf8), storageClass: Array("Standard".utf8),
            versioning: state.withLock { $0.versioning })
    }

    private func need(
        _ feature: StoreFeatures, _ name: StaticString, _ key: ObjectKey?
    ) throws(ObjectStoreError) {
        guard capabilities.features.contains(feature) else {
            throw failure(.unsupported, name, key, 501, "NotImplemented")
        }
    }

    private func amend(
        _ key: ObjectKey, _ feature: StoreFeatures, _ name: StaticString, _ change: (inout Stored) -> Void
    ) throws(ObjectStoreError) {
        try need(feature, name, key)
        _ = try stored(key, name)
        state.withLock { state in
            guard var object = state.objects[key] else { return }
            change(&object)
            state.setCurrent(object, at: key)
        }
    }
}

extension MemoryObjectStore.Stored {
    var isArchived: Bool {
        ["Archive", "ColdArchive", "DeepColdArchive"].contains { info.storageClass.elementsEqual($0.utf8) }
    }

    func canBeRead(at time: WallTime) -> Bool { !isArchived || restoredUntil.map { time < $0 } ?? false }
}
