/// Both listings: V1 goes on at a marker, V2 at an opaque token.
enum ListOperations {
    static let routes = [
        Route("GET", .bucket, .listObjects) { .reply(try List($0, $1, isV2: false).reply($0, $1)) },
        Route("GET", .bucket, query: ["list-type"], .listObjectsV2) {
            .reply(try List($0, $1, isV2: true).reply($0, $1))
        },
    ]

    /// As many as one page has unless asked for, and at most.
    private static let defaultMaximum = 100
    private static let greatestMaximum = 1000
    /// Prefixes and markers are as long as keys at the most, whatever a test sets for keys.
    private static let longestMarkerBytes = 1023

    /// One listing, as asked for.
    private struct List {
        var query = ListingQuery()
        let isV2: Bool
        let encoding: URLEncoding
        let hasOwner: Bool

        init(_ request: Request, _ service: Service, isV2: Bool) throws(ServiceError) {
            self.isV2 = isV2
            let parameters = request.query
            if isV2, let type = parameters["list-type"], !type.isEqual(to: "2") {
                throw .invalidArgument("list-type must be 2.", name: "list-type", value: type)
            }
            encoding = try URLEncoding(request, service)
            hasOwner = !isV2 || parameters["fetch-owner"]?.isEqual(to: "true") ?? false
            query.prefix = try Self.bounded(parameters, "prefix")
            query.delimiter = try Self.bounded(parameters, "delimiter")
            query.maximum = try Self.maximum(parameters)
            query.carriesAnyKey = encoding.isWanted
            query.after = try Self.after(parameters, isV2: isV2)
        }

        private static func bounded(_ parameters: Fields, _ name: StaticString) throws(ServiceError) -> Bytes {
            let value = parameters[name] ?? []
            guard value.count <= longestMarkerBytes else {
                throw .invalidArgument("The length of a parameter is out of range.", name: name, value: value)
            }
            return value
        }

        private static func maximum(_ parameters: Fields) throws(ServiceError) -> Int {
            guard let text = parameters["max-keys"] else { return defaultMaximum }
            guard let number = text.decimal, number <= greatestMaximum else {
                throw .invalidArgument(
                    "Argument maxKeys must be an integer between 0 and 1000.", name: "max-keys", value: text)
            }
            return Int(number)
        }

        private static func after(_ parameters: Fields, isV2: Bool) throws(ServiceError) -> ListingQuery.After? {
            guard isV2 else {
                let marker = try bounded(parameters, "marker")
                return marker.isEmpty ? nil : .key(marker)
            }
            if let token = parameters["continuation-token"], !token.isEmpty {
                guard let after = ListingQuery.After(token: token) else {
                    throw .invalidArgument(
                        "The continuation token provided is incorrect.", name: "continuation-token", value: token)
                }
                return after
            }
            let start = try bounded(parameters, "start-after")
            return start.isEmpty ? nil : .key(start)
        }

        func reply(_ request: Request, _ service: Service) throws -> Reply {
            let page = try page(request, service)
            let now = service.clock.now
            var xml = XMLWriter()
            xml.element("ListBucketResult") { xml in
                xml.element("Name", request.bucket)
                write("Prefix", query.prefix, &xml)
                xml.element("MaxKeys", query.maximum)
                if !query.delimiter.isEmpty || !isV2 { write("Delimiter", query.delimiter, &xml) }
                xml.element("IsTruncated", page.next == nil ? "false" : "true")
                if encoding.isWanted { xml.element("EncodingType", "url") }
                writeBounds(request, page, &xml)
                for object in page.objects { write(object, &xml, now: now) }
                for common in page.commonPrefixes {
                    xml.element("CommonPrefixes") { write("Prefix", common, &$0) }
                }
            }
            return .xml(200, xml)
        }

        private func writeBounds(_ request: Request, _ page: ListingPage, _ xml: inout XMLWriter) {
            if isV2 {
                if let start = request.query["start-after"] { write("StartAfter", start, &xml) }
                if let token = request.query["continuation-token"] { write("ContinuationToken", token, &xml) }
                if let next = page.next { write("NextContinuationToken", next.token, &xml) }
                xml.element("KeyCount", page.count)
            } else {
                write("Marker", request.query["marker"] ?? [], &xml)
                if let next = page.next { write("NextMarker", next.bytes, &xml) }
            }
        }

        private func write(_ object: StoredObject, _ xml: inout XMLWriter, now: Int64) {
            xml.element("Contents") { xml in
                write("Key", object.key, &xml)
                xml.element("LastModified", Dates.xml(object.modified))
                xml.element("ETag", [0x22] + object.etag + [0x22])
                xml.element("Type", object.type)
                xml.element("Size", object.size)
                xml.element("StorageClass", object.storageClass)
                if let restoration = object.restoration(now: now) { xml.element("RestoreInfo", restoration) }
                if hasOwner { xml.element("Owner") { BucketOperations.owner(&$0) } }
            }
        }

        private func write(_ name: StaticString, _ value: Bytes, _ xml: inout XMLWriter) {
            encoding.write(name, value, &xml)
        }

        /// The page itself, or before the first one an empty one that says that there is more.
        private func page(_ request: Request, _ service: Service) throws -> ListingPage {
            let isFirst = request.query["continuation-token"]?.isEmpty ?? true
            guard service.answers.firstPage == .empty, isV2, isFirst, query.maximum > 0 else {
                return try service.folder.list(request.bucket, query)
            }
            var page = ListingPage()
            page.next = query.after ?? .key([])
            return page
        }
    }
}

extension ListingQuery.After {
    var bytes: Bytes {
        switch self {
        case .key(let key): key
        case .prefix(let common): common
        }
    }

    /// What a client hands back unread: a letter for the kind, then the bytes, in base64.
    var token: Bytes {
        switch self {
        case .key(let key): Digests.base64(Bytes("k") + key)
        case .prefix(let common): Digests.base64(Bytes("p") + common)
        }
    }

    init?(token: Bytes) {
        guard let bytes = Digests.fromBase64(token), let kind = bytes.first else { return nil }
        switch kind {
        case UInt8(ascii: "k"): self = .key(Bytes(bytes.dropFirst()))
        case UInt8(ascii: "p"): self = .prefix(Bytes(bytes.dropFirst()))
        default: return nil
        }
    }
}
