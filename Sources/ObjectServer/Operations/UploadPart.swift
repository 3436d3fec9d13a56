/// One UploadPart under way.
final class PartReceiver: BodyReceiver {
    private let request: Request
    private let service: Service
    private let number: Int64
    private let intake: BodyIntake

    /// Checks all that the head tells, so that a body that would be refused isn't waited for.
    init(_ request: Request, _ service: Service) throws {
        self.request = request
        self.service = service
        number = try MultipartUpload.partNumber(request, service.limits)
        try service.folder.checkPart(
            request.bucket, request.key, MultipartUpload.uploadID(request), number: number)
        // Parts are large and many: their ETags are of CRC-64 and length, which is as opaque as any.
        intake = try BodyIntake(request, service, limit: service.limits.bodyMaximum, takesMD5: false)
    }

    func receive(_ bytes: UnsafeRawBufferPointer) throws { try intake.receive(bytes) }

    func finish() throws -> Reply {
        let came = try intake.finish()
        let part = StoredPart(
            number: number, size: came.size, crc: came.crc,
            etag: PutReceiver.etag(size: came.size, crc: came.crc, md5: nil), modified: service.clock.now,
            pieces: came.pieces)
        do {
            try service.folder.put(request.bucket, request.key, MultipartUpload.uploadID(request), part)
        } catch {
            intake.abandon()
            throw error
        }
        var reply = Reply(200)
        reply.headers.append("ETag", [0x22] + part.etag + [0x22])
        reply.headers.append("x-oss-hash-crc64ecma", Bytes(String(part.crc).utf8))
        return reply
    }

    func abandon() { intake.abandon() }
}

/// UploadPartCopy: a part that is a stretch of an object, by links to the same files.
enum UploadPartCopy {
    static func copy(_ request: Request, _ service: Service) throws -> Reply {
        let number = try MultipartUpload.partNumber(request, service.limits)
        let id = MultipartUpload.uploadID(request)
        let source = try CopyObject.source(request.headers["x-oss-copy-source"] ?? [])
        guard service.folder.birth(ofBucket: source.bucket) != nil else {
            throw ServiceError.noSuchBucket(source.bucket)
        }
        try ObjectKeyRules.check(source.key, service.limits)
        try service.folder.checkPart(request.bucket, request.key, id, number: number)
        let (original, reader) = try service.folder.open(source.bucket, source.key, version: source.version)
        guard !original.isLink else { throw ServiceError.invalidTargetType(source.key) }
        guard !original.isAppendable || service.answers.partCopyAppendable == .accepted else {
            throw ServiceError.operationNotSupported(source.key)
        }
        try Preconditions(copying: request.headers).check(original)
        let (offset, length) = try range(request, original)
        guard length <= service.limits.bodyMaximum else { throw ServiceError.entityTooLarge }
        let isWhole = offset == 0 && length == original.size
        let crc = isWhole ? original.crc : try reader.crc(offset: offset, length: length)
        let part = StoredPart(
            number: number, size: length, crc: crc, etag: PutReceiver.etag(size: length, crc: crc, md5: nil),
            modified: service.clock.now, pieces: original.pieces.stretch(offset: offset, length: length))
        // The reader holds the files that are linked here, whatever becomes of the object meanwhile.
        try withExtendedLifetime(reader) {
            try service.folder.putLinked(request.bucket, request.key, id, part)
        }
        var xml = XMLWriter()
        xml.element("CopyPartResult") { xml in
            xml.element("LastModified", Dates.xml(part.modified))
            xml.element("ETag", [0x22] + part.etag + [0x22])
        }
        var reply = Reply.xml(200, xml)
        reply.headers.append("ETag", [0x22] + part.etag + [0x22])
        reply.headers.append("x-oss-hash-crc64ecma", Bytes(String(crc).utf8))
        return reply
    }

    /// Everything where no range is given, or one that can't be read.
    private static func range(
        _ request: Request, _ original: StoredObject
    ) throws(ServiceError) -> (offset: UInt64, length: UInt64) {
        let header = request.headers["x-oss-copy-source-range"]
        switch ByteRange.resolve(header, size: original.size, isStandard: true) {
        case .whole: return (0, original.size)
        case .part(let offset, let length): return (offset, length)
        case .unsatisfiable: throw .invalidRange(size: original.size, requested: header ?? [])
        }
    }
}
