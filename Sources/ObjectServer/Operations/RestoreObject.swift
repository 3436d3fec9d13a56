/// RestoreObject: an archived object can be read for some days, at once or after the delay that a test sets; and
/// CleanRestoredObject, which ends that.
enum RestoreObject {
    static let routes = [
        Route("POST", .object, query: ["restore"], takesVersion: true, .restoreObject) { request, service in
            .receive(
                DocumentReceiver(limitBytes: documentLimitBytes) { document in
                    try restore(request, service, try Order(document))
                })
        },
        Route("POST", .object, query: ["cleanRestoredObject"], takesVersion: true, .cleanRestoredObject) {
            .reply(try clean($0, $1))
        },
    ]

    private static let documentLimitBytes = 4 << 10
    private static let secondsPerDay: Int64 = 86_400

    /// 202 where the restoration begins, 200 where it had ended and now lasts longer.
    private static func restore(_ request: Request, _ service: Service, _ order: Order) throws -> Reply {
        let now = service.clock.now
        var wasReadable = false
        try service.folder.describe(request.bucket, request.key, version: request.query["versionId"]) { old in
            var object = old
            guard object.isArchived else { throw ServiceError.operationNotSupported(request.key) }
            try order.check(for: object)
            if object.restoredUntil > now, object.restoredFrom > now {
                throw ServiceError(409, "RestoreAlreadyInProgress", "The restore operation is in progress.")
            }
            wasReadable = object.restoredUntil > now
            if !wasReadable { object.restoredFrom = now + Int64(clamping: service.limits.restoreSeconds) }
            object.restoredUntil = max(object.restoredFrom, now) + order.days * secondsPerDay
            return object
        }
        return switch service.answers.restoreStatus {
        case .byState: Reply(wasReadable ? 200 : 202)
        case .ok: Reply(200)
        case .accepted: Reply(202)
        }
    }

    /// Ends the time in which the object can be read.
    private static func clean(_ request: Request, _ service: Service) throws -> Reply {
        let now = service.clock.now
        try service.folder.describe(request.bucket, request.key, version: request.query["versionId"]) { old in
            var object = old
            guard object.isArchived, object.restoredUntil > now else {
                throw ServiceError(409, "ArchiveRestoreFileStale", "The archive file or restore info stale")
            }
            guard object.restoredFrom <= now else {
                throw ServiceError(409, "ArchiveRestoreNotFinished", "The archive file's restore is not finished.")
            }
            (object.restoredFrom, object.restoredUntil) = (0, 0)
            return object
        }
        return Reply(200)
    }

    /// The document of the request; one day where it says nothing.
    private struct Order {
        private static let tiers: Set<Bytes> = [Bytes("Expedited"), Bytes("Standard"), Bytes("Bulk")]

        private(set) var days: Int64 = 1

        init(_ document: Bytes) throws(ServiceError) {
            guard !document.isEmpty else { return }
            var (given, tier): (UInt64?, Bytes?) = (1, nil)
            do throws(MalformedXML) {
                try SmallDocument.read(document) { path, text throws(MalformedXML) in
                    let request = Bytes("RestoreRequest")
                    if path == [request, Bytes("Days")] { given = text.trimmed.decimal }
                    if path == [request, Bytes("JobParameters"), Bytes("Tier")] { tier = text.trimmed }
                }
            } catch {
                throw .malformedXML("The XML you provided was not well-formed or did not validate.")
            }
            if let tier, !Self.tiers.contains(tier) {
                throw ServiceError(400, "MalformedXML", "The restore tier is invalid.", ec: "0016-00000703")
            }
            days = given.map { Int64(clamping: $0) } ?? 0
        }

        /// Up to a week for Archive, a year for what is colder.
        func check(for object: StoredObject) throws(ServiceError) {
            let isArchive = object.storageClass.isEqual(to: "Archive")
            guard (1...(isArchive ? 7 : 365)).contains(days) else {
                throw ServiceError(
                    400, "MalformedXML", "The number of days is out of range.",
                    ec: isArchive ? "0016-00000708" : "0016-00000704")
            }
        }
    }
}
