/// GetObject: the bytes, or a stretch of them, from the open file.
enum GetObject {
    static let routes = [
        Route("GET", .object, takesVersion: true, .getObject) { request, service in .reply(try get(request, service)) }
    ]

    /// Query parameters of a signed request that replace headers of the reply.
    private static let overrides: [(StaticString, StaticString)] = [
        ("response-content-type", "Content-Type"), ("response-content-language", "Content-Language"),
        ("response-expires", "Expires"), ("response-cache-control", "Cache-Control"),
        ("response-content-disposition", "Content-Disposition"),
        ("response-content-encoding", "Content-Encoding"),
    ]

    private static func get(_ request: Request, _ service: Service) throws -> Reply {
        let (object, reader) = try ObjectLookup.opened(request, service)
        try Preconditions(reading: request.headers).check(object)
        try checkClass(object, now: service.clock.now)
        var reply = try reply(request, object, reader, service)
        service.name(object, of: request.bucket, in: &reply.headers)
        return reply
    }

    static func checkClass(_ object: StoredObject, now: Int64) throws(ServiceError) {
        guard object.isArchived, object.restoredFrom > now || object.restoredUntil <= now else { return }
        throw ServiceError(
            403, "InvalidObjectState", "The operation is not valid for the object's state",
            details: [.init(name: "ObjectName", value: object.key)])
    }

    private static func reply(
        _ request: Request, _ object: StoredObject, _ reader: PieceReader, _ service: Service
    ) throws -> Reply {
        let isStandard = request.headers["x-oss-range-behavior"]?.isEqual(to: "standard") ?? false
        let range = ByteRange.resolve(request.headers["range"], size: object.size, isStandard: isStandard)
        var (status, offset, length) = (200, UInt64(0), object.size)
        var headers = Fields()
        switch range {
        case .whole: break
        case .part(let start, let count):
            (status, offset, length) = (206, start, count)
            headers.append("Content-Range", Bytes("bytes \(start)-\(start + count - 1)/\(object.size)".utf8))
        case .unsatisfiable:
            throw ServiceError.invalidRange(size: object.size, requested: request.headers["range"] ?? [])
        }
        var reply = Reply(status)
        ObjectHeaders.describe(object, in: &headers, service)
        headers.append("Accept-Ranges", Bytes("bytes"))
        for (parameter, name) in overrides {
            guard let value = request.query[parameter] else { continue }
            guard ObjectHeaders.isSayable(value) else {
                throw ServiceError.invalidArgument("A header's value has control characters.", name: parameter)
            }
            headers.all.removeAll { $0.name.isEqual(to: name) }
            headers.append(name, value)
        }
        reply.headers = headers
        reply.body = try reader.body(offset: offset, length: length)
        return reply
    }
}
