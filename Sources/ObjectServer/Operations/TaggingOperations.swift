/// An object's tags: put, given back and taken away without touching anything else of it.
enum TaggingOperations {
    static let routes = [
        Route("PUT", .object, query: ["tagging"], takesVersion: true, .putObjectTagging) { request, service in
            .receive(
                DocumentReceiver(limitBytes: documentLimitBytes) { document in
                    let tagging = try Tags(document).encoded
                    try ObjectHeaders.checkTagging(tagging)
                    try change(request, service, to: tagging)
                    return Reply(200)
                })
        },
        Route("GET", .object, query: ["tagging"], takesVersion: true, .getObjectTagging) { request, service in
            .reply(.xml(200, document(try ObjectLookup.unfollowed(request, service).tagging)))
        },
        Route("DELETE", .object, query: ["tagging"], takesVersion: true, .deleteObjectTagging) { request, service in
            try change(request, service, to: [])
            return .reply(Reply(204))
        },
    ]

    /// Ten tags of 128 and 256 characters, all of them escaped.
    private static let documentLimitBytes = 64 << 10

    private static func change(_ request: Request, _ service: Service, to tagging: Bytes) throws {
        try service.folder.describe(request.bucket, request.key, version: request.query["versionId"]) { old in
            var object = old
            object.tagging = tagging
            return object
        }
    }

    private static func document(_ tagging: Bytes) -> XMLWriter {
        var xml = XMLWriter()
        xml.element("Tagging") { xml in
            xml.element("TagSet") { xml in
                for tag in tagging.split(separator: 0x26) {
                    let pair = tag.split(separator: 0x3D, maxSplits: 1, omittingEmptySubsequences: false)
                    xml.element("Tag") { xml in
                        xml.element("Key", PercentCoding.decode(pair[0], plusIsSpace: true))
                        xml.element("Value", pair.count > 1 ? PercentCoding.decode(pair[1], plusIsSpace: true) : [])
                    }
                }
            }
        }
        return xml
    }

    /// The document of the request.
    struct Tags {
        /// In the form of x-oss-tagging.
        private(set) var encoded: Bytes = []

        init(_ document: Bytes) throws(ServiceError) {
            do throws(MalformedXML) { try read(document) } catch {
                throw .malformedXML("The XML you provided was not well-formed or did not validate.")
            }
        }

        private mutating func read(_ document: Bytes) throws(MalformedXML) {
            let tag = [Bytes("Tagging"), Bytes("TagSet"), Bytes("Tag")]
            var (key, value): (Bytes?, Bytes) = (nil, [])
            try SmallDocument.read(document) { path, text throws(MalformedXML) in
                if path == tag + [Bytes("Key")] { key = text }
                if path == tag + [Bytes("Value")] { value = text }
                guard path == tag else { return }
                guard let name = key else { throw MalformedXML() }
                if !encoded.isEmpty { encoded.append(0x26) }
                encoded += PercentCoding.encode(name) + [0x3D] + PercentCoding.encode(value)
                (key, value) = (nil, [])
            }
        }
    }
}

/// Reads a document whose elements hold either elements or text.
enum SmallDocument {
    /// Calls `ended` with the path to each element and the text in it, as it ends.
    static func read(
        _ document: Bytes, ended: ([Bytes], Bytes) throws(MalformedXML) -> Void
    ) throws(MalformedXML) {
        var reader = XMLReader(document)
        var path: [Bytes] = []
        var text: Bytes = []
        var isEmpty = true
        while let event = try reader.next() {
            isEmpty = false
            switch event {
            case .start(let name):
                path.append(name)
                text = []
            case .text(let piece): text += piece
            case .end:
                try ended(path, text)
                path.removeLast()
                text = []
            }
        }
        if isEmpty { throw MalformedXML() }
    }
}
