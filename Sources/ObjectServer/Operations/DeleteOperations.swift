/// DeleteObject, and many of them in one request.
enum DeleteOperations {
    static let routes = [
        Route("DELETE", .object, takesVersion: true, .deleteObject) { request, service in
            let deletion = try service.folder.delete(
                request.bucket, request.key, version: request.query["versionId"], now: service.clock.now)
            var reply = Reply(204)
            if deletion.isMarker { reply.headers.append("x-oss-delete-marker", Bytes("true")) }
            if let label = deletion.label { reply.headers.append("x-oss-version-id", label) }
            return .reply(reply)
        },
        Route("POST", .bucket, query: ["delete"], .deleteMultipleObjects) { request, service in
            try begin(request, service)
        },
    ]

    private static let maximumKeys = 1000
    /// A thousand keys of 1,023 bytes, each byte of five characters (`&#13;`) at the worst, fit into 5.2 MB.
    private static let maximumDocumentBytes = 6 << 20

    private static let shortDocumentBytes = 2_000_000

    private static func begin(_ request: Request, _ service: Service) throws(ServiceError) -> Work {
        guard let digest = request.headers["content-md5"] else {
            throw ServiceError(400, "InvalidRequest", "Missing Some Required Arguments: Content-MD5.")
        }
        let encoding = try URLEncoding(request, service)
        let isShort = service.answers.deleteDocument == .short
        return .receive(
            DocumentReceiver(limitBytes: isShort ? shortDocumentBytes : maximumDocumentBytes) { document in
                guard Digests.base64(Digests.md5(document)) == digest else { throw ServiceError.invalidDigest }
                var order = try Order(document)
                for item in order.items { try ObjectKeyRules.check(item.key, service.limits) }
                if service.answers.deleteMany == .partial {
                    order.items.removeLast(order.items.count / 2)
                }
                let deletions = try order.items.map { item in
                    try service.folder.delete(
                        request.bucket, item.key, version: item.version, now: service.clock.now)
                }
                return order.isQuiet ? Reply(200) : .xml(200, result(order, deletions, encoding))
            })
    }

    private static func result(
        _ order: Order, _ deletions: [ObjectVersions.Deletion], _ encoding: URLEncoding
    ) -> XMLWriter {
        var xml = XMLWriter()
        xml.element("DeleteResult") { xml in
            if encoding.isWanted { xml.element("EncodingType", "url") }
            for (item, deletion) in zip(order.items, deletions) {
                xml.element("Deleted") { xml in
                    encoding.write("Key", item.key, &xml)
                    if let version = item.version { xml.element("VersionId", version) }
                    if deletion.isMarker {
                        xml.element("DeleteMarker", "true")
                        xml.element("DeleteMarkerVersionId", deletion.label ?? [])
                    }
                }
            }
        }
        return xml
    }

    /// What the document asks for.
    struct Order {
        struct Item: Equatable {
            var key: Bytes
            var version: Bytes?
        }

        var items: [Item] = []
        var isQuiet = false

        init(_ document: Bytes) throws(ServiceError) {
            do throws(MalformedXML) { try read(document) } catch {
                throw .malformedXML("The XML you provided was not well-formed or did not validate.")
            }
            guard (1...maximumKeys).contains(items.count) else {
                throw .malformedXML("The number of objects must be between 1 and 1000.")
            }
        }

        private mutating func read(_ document: Bytes) throws(MalformedXML) {
            let object = [Bytes("Delete"), Bytes("Object")]
            var version: Bytes?
            var key: Bytes?
            try SmallDocument.read(document) { path, text throws(MalformedXML) in
                if path == object + [Bytes("Key")] { key = text }
                if path == object + [Bytes("VersionId")] { version = text.isEmpty ? nil : text }
                if path == [Bytes("Delete"), Bytes("Quiet")] { isQuiet = text.isEqual(to: "true") }
                guard path == object else { return }
                if let key { items.append(Item(key: key, version: version)) }
                (key, version) = (nil, nil)
            }
            if items.isEmpty { throw MalformedXML() }
        }
    }
}
