/// Finds the object that a read asks for: the one under the key, or the one that a symlink there leads to.
enum ObjectLookup {
    /// The object under the key itself, link or not.
    static func unfollowed(_ request: Request, _ service: Service) throws -> StoredObject {
        try service.folder.find(request.bucket, request.key, version: request.query["versionId"])
    }

    /// The object that HEAD describes. Of a link the bytes and what goes with them are the target's, the rest its own.
    static func followed(_ request: Request, _ service: Service) throws -> StoredObject {
        let object = try unfollowed(request, service)
        guard object.isLink else { return object }
        guard let target = try service.folder.object(request.bucket, object.link) else {
            throw ServiceError.symlinkTargetNotExist(object.link)
        }
        return try merged(object, target)
    }

    /// The same with what reads the bytes.
    static func opened(_ request: Request, _ service: Service) throws -> (StoredObject, PieceReader) {
        let (object, reader) = try service.folder.open(
            request.bucket, request.key, version: request.query["versionId"])
        guard object.isLink else { return (object, reader) }
        guard try service.folder.object(request.bucket, object.link) != nil else {
            throw ServiceError.symlinkTargetNotExist(object.link)
        }
        let (target, bytes) = try service.folder.open(request.bucket, object.link)
        return (try merged(object, target), bytes)
    }

    private static func merged(_ link: StoredObject, _ target: StoredObject) throws(ServiceError) -> StoredObject {
        guard !target.isLink else { throw .invalidTargetType(link.link) }
        var seen = link
        seen.size = target.size
        seen.crc = target.crc
        seen.etag = target.etag
        seen.md5 = target.md5
        seen.storageClass = target.storageClass
        seen.restoredFrom = target.restoredFrom
        seen.restoredUntil = target.restoredUntil
        seen.modified = max(link.modified, target.modified)
        return seen
    }
}

extension StoredObject {
    var isLink: Bool { type.isEqual(to: "Symlink") }
    var isAppendable: Bool { type.isEqual(to: "Appendable") }

    /// True for classes that are read only after a restoration.
    var isArchived: Bool {
        storageClass.isEqual(to: "Archive") || storageClass.isEqual(to: "ColdArchive")
            || storageClass.isEqual(to: "DeepColdArchive")
    }

    /// The value of x-oss-restore; nil where nothing was restored, or not any more.
    func restoration(now: Int64) -> Bytes? {
        guard isArchived, restoredUntil > now else { return nil }
        guard restoredFrom <= now else { return Bytes(#"ongoing-request="true""#) }
        return Bytes(#"ongoing-request="false", expiry-date=""#) + Dates.header(restoredUntil) + [0x22]
    }
}
