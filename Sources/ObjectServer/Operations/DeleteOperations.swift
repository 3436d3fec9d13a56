/// DeleteObject, and many of them in one request.
enum DeleteOperations {
    static let routes = [
        Route("DELETE", .object, .deleteObject) { request, service in
            try service.folder.delete(request.bucket, [request.key])
            return .reply(Reply(204))
        },
        Route("POST", .bucket, query: ["delete"], .deleteMultipleObjects) { request, service in
            try begin(request, service)
        },
    ]

    private static let maximumKeys = 1000
    /// A thousand keys of 1,023 bytes, each byte of five characters (`&#13;`) at the worst, fit into 5.2 MB.
    private static let maximumDocumentBytes = 6 << 20

    private static func begin(_ request: Request, _ service: Service) throws(ServiceError) -> Work {
        guard let digest = request.headers["content-md5"] else {
            throw ServiceError(400, "InvalidRequest", "Missing Some Required Arguments: Content-MD5.")
        }
        let encodesURL = request.query["encoding-type"]?.isEqual(to: "url") ?? false
        return .receive(
            DocumentReceiver(limitBytes: maximumDocumentBytes) { document in
                guard Digests.base64(Digests.md5(document)) == digest else { throw ServiceError.invalidDigest }
                let order = try Order(document)
                for key in order.keys { try ObjectKeyRules.check(key, service.limits) }
                try service.folder.delete(request.bucket, order.keys)
                return order.isQuiet ? Reply(200) : .xml(200, result(order, encodesURL))
            })
    }

    private static func result(_ order: Order, _ encodesURL: Bool) -> XMLWriter {
        var xml = XMLWriter()
        xml.element("DeleteResult") { xml in
            if encodesURL { xml.element("EncodingType", "url") }
            for key in order.keys {
                xml.element("Deleted") { $0.element("Key", encodesURL ? PercentCoding.encode(key) : key) }
            }
        }
        return xml
    }

    /// What the document asks for.
    struct Order {
        var keys: [Bytes] = []
        var isQuiet = false

        init(_ document: Bytes) throws(ServiceError) {
            do throws(MalformedXML) { try read(document) } catch {
                throw .malformedXML("The XML you provided was not well-formed or did not validate.")
            }
            guard (1...maximumKeys).contains(keys.count) else {
                throw .malformedXML("The number of objects must be between 1 and 1000.")
            }
        }

        private mutating func read(_ document: Bytes) throws(MalformedXML) {
            var reader = XMLReader(document)
            var path: [Bytes] = []
            var text: Bytes = []
            while let event = try reader.next() {
                switch event {
                case .start(let name):
                    path.append(name)
                    text = []
                case .text(let piece): text += piece
                case .end:
                    take(path, text)
                    path.removeLast()
                }
            }
            if keys.isEmpty { throw MalformedXML() }
        }

        private mutating func take(_ path: [Bytes], _ text: Bytes) {
            if path == [Bytes("Delete"), Bytes("Object"), Bytes("Key")] { keys.append(text) }
            if path == [Bytes("Delete"), Bytes("Quiet")] { isQuiet = text.isEqual(to: "true") }
        }
    }
}
