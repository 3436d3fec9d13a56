/// Under which conditions a write takes the place of what is there: `x-oss-forbid-overwrite`, and where the service is
/// taken to know them the conditions of HTTP, `If-Match` and `If-None-Match`.
struct OverwriteRule: Sendable {
    private let forbidsOverwrite: Bool
    private var ifMatch: Bytes?
    private var ifNoneMatch: Bytes?

    init(_ request: Request, _ service: Service) throws(ServiceError) {
        forbidsOverwrite = try ObjectHeaders.forbidsOverwrite(request, service)
        let (match, noneMatch) = (request.headers["if-match"], request.headers["if-none-match"])
        switch service.answers.writeConditions {
        case .ignored: break
        case .honoured: (ifMatch, ifNoneMatch) = (match, noneMatch)
        case .refused:
            if match != nil { throw .notImplemented(Bytes("If-Match")) }
            if noneMatch != nil { throw .notImplemented(Bytes("If-None-Match")) }
        }
    }

    /// True where nothing is refused.
    var isEmpty: Bool { !forbidsOverwrite && ifMatch == nil && ifNoneMatch == nil }

    /// Throws FileAlreadyExists or PreconditionFailed. `old` is what is there.
    func check(_ old: StoredObject?) throws(ServiceError) {
        if forbidsOverwrite && old != nil { throw .fileAlreadyExists }
        if let ifMatch {
            guard let old, Preconditions.matches(ifMatch, old.etag) else { throw .preconditionFailed("If-Match") }
        }
        if let ifNoneMatch, let old, Preconditions.matches(ifNoneMatch, old.etag) {
            throw .preconditionFailed("If-None-Match")
        }
    }
}
