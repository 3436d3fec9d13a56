import CObjectServer

/// CompleteMultipartUpload: the object becomes the list of its parts' files; no bytes move.
enum CompleteUpload {
    /// Ten thousand parts, each described in two hundred bytes, are 2 MB.
    static let documentLimitBytes = 4 << 20

    static func complete(_ request: Request, _ service: Service, document: Bytes) throws -> Reply {
        let id = MultipartUpload.uploadID(request)
        let takesAll = try ObjectHeaders.choice(request, "x-oss-complete-all", of: ["yes"]) != nil
        guard !takesAll || document.isEmpty else {
            throw ServiceError.invalidArgument(
                "Should not speficy both complete all header and http body.", name: "x-oss-complete-all")
        }
        let wanted = takesAll ? nil : try PartList(document).parts
        let acl = try ObjectHeaders.acl(of: request)
        let rule = try OverwriteRule(request, service)
        let encoding = try URLEncoding(request, service)
        let made = try service.folder.complete(request.bucket, request.key, id) { upload, stored, old in
            let parts = try chosen(wanted, of: stored)
            try checkSizes(parts, service.limits)
            if upload.forbidsOverwrite && old != nil { throw ServiceError.fileAlreadyExists }
            try rule.check(old)
            return object(upload, parts, acl: acl ?? upload.acl, now: service.clock.now)
        }
        var xml = XMLWriter()
        xml.element("CompleteMultipartUploadResult") { xml in
            if encoding.isWanted { xml.element("EncodingType", "url") }
            let path = PercentCoding.encode(request.bucket + [0x2F] + request.key, keepsSlash: true)
            xml.element("Location", Bytes("http://") + (request.headers["host"] ?? []) + [0x2F] + path)
            xml.element("Bucket", request.bucket)
            encoding.write("Key", request.key, &xml)
            xml.element("ETag", [0x22] + made.etag + [0x22])
        }
        var reply = Reply.xml(200, xml)
        reply.headers.append("ETag", [0x22] + made.etag + [0x22])
        service.name(made, of: request.bucket, in: &reply.headers)
        reply.headers.append("x-oss-hash-crc64ecma", Bytes(String(made.crc).utf8))
        return reply
    }

    /// The parts that the list names, or all.
    private static func chosen(
        _ wanted: [PartList.Item]?, of stored: [StoredPart]
    ) throws(ServiceError) -> [StoredPart] {
        guard let wanted else {
            guard !stored.isEmpty else { throw .invalidPart(nil) }
            return stored
        }
        let known = Dictionary(stored.map { ($0.number, $0) }) { first, _ in first }
        var parts: [StoredPart] = []
        for item in wanted {
            if let last = parts.last, last.number >= item.number {
                throw ServiceError(
                    400, "InvalidPartOrder",
                    "The list of parts was not in ascending order. Parts list must specified in order by part number.",
                    ec: "0042-00000202")
            }
            guard let part = known[item.number], part.etag == item.etag else { throw .invalidPart(item.number) }
            parts.append(part)
        }
        return parts
    }

    private static func checkSizes(_ parts: [StoredPart], _ limits: ServerLimits) throws(ServiceError) {
        for part in parts.dropLast() where part.size < limits.partMinimum {
            throw ServiceError(
                400, "EntityTooSmall", "Your proposed upload smaller than the minimum allowed size.",
                ec: "0042-00000204",
                details: [
                    .init(name: "ProposedSize", value: Bytes(String(part.size).utf8)),
                    .init(name: "MinSizeAllowed", value: Bytes(String(limits.partMinimum).utf8)),
                    .init(name: "PartNumber", value: Bytes(String(part.number).utf8)),
                    .init(name: "ETag", value: part.etag),
                ])
        }
        var size: UInt64 = 0
        for part in parts { size += part.size }
        guard size <= limits.objectMaximum else { throw .entityTooLarge }
    }

    private static func object(
        _ upload: StoredUpload, _ parts: [StoredPart], acl: Bytes, now: Int64
    ) -> StoredObject {
        let crc = parts.reduce(UInt64(0)) { cobjectserver_crc64_combine($0, $1.crc, $1.size) }
        let digest = Digests.md5(parts.flatMap(\.etag))
        let etag = hexadecimal(digest, upperCase: true) + Bytes("-\(parts.count)".utf8)
        let pieces = parts.flatMap(\.pieces)
        return StoredObject(
            key: upload.key, size: pieces.length, crc: crc, etag: etag, md5: [], modified: now,
            type: Bytes("Multipart"), storageClass: upload.storageClass, acl: acl, tagging: upload.tagging,
            fields: upload.fields, pieces: pieces)
    }

    /// The document of the request.
    struct PartList {
        struct Item: Equatable {
            var number: Int64
            /// Without its quotes.
            var etag: Bytes
        }

        private(set) var parts: [Item] = []

        init(_ document: Bytes) throws(ServiceError) {
            do throws(MalformedXML) { try read(document) } catch {
                throw .malformedXML("The XML you provided was not well-formed or did not validate.")
            }
        }

        private mutating func read(_ document: Bytes) throws(MalformedXML) {
            var reader = XMLReader(document)
            var path: [Bytes] = []
            var text: Bytes = []
            var (number, etag): (Int64?, Bytes?) = (nil, nil)
            while let event = try reader.next() {
                switch event {
                case .start(let name):
                    path.append(name)
                    text = []
                    if path.count == 2 { (number, etag) = (nil, nil) }
                case .text(let piece): text += piece
                case .end(let name):
                    path.removeLast()
                    if path.count == 2, name.isEqual(to: "PartNumber") {
                        number = text.trimmed.decimal.map { Int64(clamping: $0) }
                    } else if path.count == 2, name.isEqual(to: "ETag") {
                        etag = Bytes(text.trimmed.filter { $0 != 0x22 }.map { $0 >= 0x61 ? $0 & ~0x20 : $0 })
                    } else if path.count == 1, name.isEqual(to: "Part") {
                        guard let number, let etag else { throw MalformedXML() }
                        parts.append(Item(number: number, etag: etag))
                    }
                }
            }
            if parts.isEmpty { throw MalformedXML() }
        }
    }
}
