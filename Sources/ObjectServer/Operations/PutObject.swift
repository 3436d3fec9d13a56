/// PutObject: the body goes to a new file as it arrives, and becomes the object at its end.
enum PutObject {
    static let routes = [
        Route("PUT", .object, .putObject) { request, service in .receive(try PutReceiver(request, service)) }
    ]

    /// The length that the client announces; nil for a chunked body.
    static func announcedLength(_ request: Request) throws(ServiceError) -> UInt64? {
        if let text = request.headers["content-length"], let length = text.decimal { return length }
        if request.headers.contains("transfer-encoding") { return nil }
        throw ServiceError(
            411, "MissingContentLength", "You must provide the Content-Length HTTP header.")
    }
}

/// One PutObject under way.
final class PutReceiver: BodyReceiver {
    private let request: Request
    private let service: Service
    private let writer: BodyWriter
    private let expectedMD5: Bytes?
    private let forbidsOverwrite: Bool
    private var row: StoredObject

    /// Checks all that the head tells, so that a body that would be refused isn't waited for.
    init(_ request: Request, _ service: Service) throws {
        self.request = request
        self.service = service
        let length = try PutObject.announcedLength(request)
        guard (length ?? 0) <= service.limits.bodyMaximum else { throw ServiceError.entityTooLarge }
        expectedMD5 = request.headers["content-md5"]
        if let expectedMD5 {
            guard expectedMD5.count == 24, Digests.fromBase64(expectedMD5)?.count == 16 else {
                throw ServiceError.invalidDigest
            }
        }
        forbidsOverwrite = try ObjectHeaders.forbidsOverwrite(request)
        row = StoredObject(
            key: request.key, size: 0, crc: 0, etag: [], md5: [], modified: 0, type: Bytes("Normal"),
            storageClass: try ObjectHeaders.storageClass(of: request) ?? Bytes("Standard"),
            acl: try ObjectHeaders.acl(of: request) ?? Bytes("default"),
            tagging: try ObjectHeaders.tagging(of: request) ?? [], fields: try ObjectHeaders.kept(of: request),
            body: .empty)
        if forbidsOverwrite, try service.folder.object(request.bucket, request.key) != nil {
            throw ServiceError.fileAlreadyExists
        }
        writer = BodyWriter(
            service.folder.bodies, service.folder.newBody(), expectedBytes: length, alwaysDigests: expectedMD5 != nil)
    }

    func receive(_ bytes: UnsafeRawBufferPointer) throws {
        guard writer.size + UInt64(bytes.count) <= service.limits.bodyMaximum else { throw ServiceError.entityTooLarge }
        try writer.write(bytes)
    }

    func finish() throws -> Reply {
        let (body, md5) = writer.finish()
        do {
            if let expectedMD5, md5.map(Digests.base64) != expectedMD5 { throw ServiceError.invalidDigest }
            row.body = body
            row.size = writer.size
            row.crc = writer.crc
            row.md5 = md5.map(Digests.base64) ?? []
            row.etag = Self.etag(size: writer.size, crc: writer.crc, md5: md5)
            row.modified = service.clock.now
            try service.folder.put(request.bucket, row) { [forbidsOverwrite] old in
                if forbidsOverwrite && old != nil { throw ServiceError.fileAlreadyExists }
            }
        } catch {
            writer.abandon()
            throw error
        }
        var reply = Reply(200)
        reply.headers.append("ETag", [0x22] + row.etag + [0x22])
        reply.headers.append("x-oss-hash-crc64ecma", Bytes(String(row.crc).utf8))
        if !row.md5.isEmpty { reply.headers.append("Content-MD5", row.md5) }
        return reply
    }

    func abandon() { writer.abandon() }

    /// OSS's MD5 up to the limit; above it, 32 digits of CRC-64 and length: opaque, and equal for equal bytes.
    static func etag(size: UInt64, crc: UInt64, md5: Bytes?) -> Bytes {
        if let md5, size <= BodyWriter.digestLimitBytes { return hexadecimal(md5, upperCase: true) }
        let numbers = withUnsafeBytes(of: (crc.bigEndian, size.bigEndian)) { Bytes($0) }
        return hexadecimal(numbers, upperCase: true)
    }
}
