/// PutObject: the body goes to a new file as it arrives, and becomes the object at its end.
enum PutObject {
    static let routes = [
        Route("PUT", .object, .putObject) { request, service in .receive(try PutReceiver(request, service)) }
    ]

    /// What a new object has of the request that makes it, with no bytes yet.
    static func row(_ request: Request, type: StaticString) throws(ServiceError) -> StoredObject {
        StoredObject(
            key: request.key, size: 0, crc: 0, etag: [], md5: [], modified: 0, type: Bytes(type),
            storageClass: try ObjectHeaders.storageClass(of: request) ?? Bytes("Standard"),
            acl: try ObjectHeaders.acl(of: request) ?? Bytes("default"),
            tagging: try ObjectHeaders.tagging(of: request) ?? [], fields: try ObjectHeaders.kept(of: request),
            pieces: [])
    }
}

/// One PutObject under way.
final class PutReceiver: BodyReceiver {
    private let request: Request
    private let service: Service
    private let intake: BodyIntake
    private let rule: OverwriteRule
    private var row: StoredObject

    /// Checks all that the head tells, so that a body that would be refused isn't waited for.
    init(_ request: Request, _ service: Service) throws {
        self.request = request
        self.service = service
        rule = try OverwriteRule(request, service)
        row = try PutObject.row(request, type: "Normal")
        intake = try BodyIntake(request, service, limit: service.limits.bodyMaximum, takesMD5: true)
        if !rule.isEmpty { try rule.check(try service.folder.object(request.bucket, request.key)) }
    }

    func receive(_ bytes: UnsafeRawBufferPointer) throws { try intake.receive(bytes) }

    func finish() throws -> Reply {
        let came = try intake.finish()
        do {
            row.pieces = came.pieces
            row.size = came.size
            row.crc = came.crc
            row.md5 = came.md5.map(Digests.base64) ?? []
            row.etag = Self.etag(size: came.size, crc: came.crc, md5: came.md5)
            row.modified = service.clock.now
            row = try service.folder.put(request.bucket, row) { [rule] in try rule.check($0) }
        } catch {
            intake.abandon()
            throw error
        }
        var reply = Reply(200)
        reply.headers.append("ETag", [0x22] + row.etag + [0x22])
        reply.headers.append("x-oss-hash-crc64ecma", Bytes(String(row.crc).utf8))
        service.name(row, of: request.bucket, in: &reply.headers)
        if !row.md5.isEmpty { reply.headers.append("Content-MD5", row.md5) }
        return reply
    }

    func abandon() { intake.abandon() }

    /// OSS's MD5 up to the limit; above it, 32 digits of CRC-64 and length: opaque, and equal for equal bytes.
    static func etag(size: UInt64, crc: UInt64, md5: Bytes?) -> Bytes {
        if let md5, size <= BodyWriter.digestLimitBytes { return hexadecimal(md5, upperCase: true) }
        let numbers = withUnsafeBytes(of: (crc.bigEndian, size.bigEndian)) { Bytes($0) }
        return hexadecimal(numbers, upperCase: true)
    }
}
