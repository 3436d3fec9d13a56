/// RestoreObject: an archived object can be read for some days, at once or after the delay that a test sets.
enum RestoreObject {
    static let routes = [
        Route("POST", .object, query: ["restore"], .restoreObject) { request, service in
            .receive(
                DocumentReceiver(limitBytes: documentLimitBytes) { document in
                    try restore(request, service, days: try days(document))
                })
        }
    ]

    private static let documentLimitBytes = 4 << 10
    private static let longestDays: UInt64 = 365
    private static let secondsPerDay: Int64 = 86_400

    /// 202 where the restoration begins, 200 where it had ended and now lasts longer.
    private static func restore(_ request: Request, _ service: Service, days: Int64) throws -> Reply {
        let now = service.clock.now
        var wasReadable = false
        _ = try service.folder.change(request.bucket, request.key) { old in
            guard var object = old else { throw ServiceError.noSuchKey(request.key) }
            guard object.isArchived else {
                throw ServiceError(
                    400, "OperationNotSupported", "The operation is not supported for this resource",
                    ec: "0016-00000703", details: [.init(name: "ObjectName", value: request.key)])
            }
            if object.restoredUntil > now, object.restoredFrom > now {
                throw ServiceError(409, "RestoreAlreadyInProgress", "The restore operation is in progress.")
            }
            wasReadable = object.restoredUntil > now
            if !wasReadable { object.restoredFrom = now + Int64(clamping: service.limits.restoreSeconds) }
            object.restoredUntil = max(object.restoredFrom, now) + days * secondsPerDay
            return object
        }
        return Reply(wasReadable ? 200 : 202)
    }

    /// One day where the request says nothing.
    private static func days(_ document: Bytes) throws(ServiceError) -> Int64 {
        guard !document.isEmpty else { return 1 }
        var days: UInt64? = 1
        do throws(MalformedXML) {
            try SmallDocument.read(document) { path, text throws(MalformedXML) in
                if path == [Bytes("RestoreRequest"), Bytes("Days")] { days = text.trimmed.decimal }
            }
        } catch {
            throw .malformedXML("The XML you provided was not well-formed or did not validate.")
        }
        guard let days, (1...longestDays).contains(days) else {
            throw .malformedXML("The number of days is out of range.")
        }
        return Int64(days)
    }
}
