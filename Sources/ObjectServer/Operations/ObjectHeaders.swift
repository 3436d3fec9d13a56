/// Headers between requests, rows and replies.
enum ObjectHeaders {
    private static let contentHeaders: [Bytes] = [
        Bytes("content-type"), Bytes("cache-control"), Bytes("content-disposition"), Bytes("content-encoding"),
        Bytes("content-language"), Bytes("expires"), Bytes("x-oss-server-side-encryption"),
        Bytes("x-oss-server-side-encryption-key-id"), Bytes("x-oss-server-side-data-encryption"),
    ]

    /// All names and values of x-oss-meta-* together.
    static let userMetadataLimitBytes = 8 * 1024

    static let userPrefix: StaticString = "x-oss-meta-"

    /// What an object keeps of the headers of the request that makes it.
    static func kept(of request: Request) throws(ServiceError) -> Fields {
        var fields = Fields()
        for name in contentHeaders {
            if let value = request.headers[name] { fields.append(name, try checked(value, name)) }
        }
        if fields["content-type"] == nil {
            fields.append("content-type", MediaTypes.type(forKey: request.key))
        }
        var metadataBytes = 0
        for header in request.headers.all where header.name.hasPrefix(userPrefix) {
            let name = header.name.dropFirst(userPrefix.utf8CodeUnitCount)
            guard !name.isEmpty, name.allSatisfy(isNameByte) else {
                throw .invalidArgument(
                    "The user metadata's name is invalid.", name: "x-oss-meta", value: header.name, ec: "0011-00000004")
            }
            metadataBytes += name.count + header.value.count
            fields.append(header.name, try checked(header.value, header.name))
        }
        guard metadataBytes <= userMetadataLimitBytes else {
            throw .invalidArgument("The user metadata is too large.", name: "x-oss-meta", ec: "0011-00000002")
        }
        return fields
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D: true
        default: false
        }
    }

    /// Whether a header can carry the value: control bytes end it, or its line.
    static func isSayable(_ value: Bytes) -> Bool { value.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }

    /// Control bytes in a value couldn't come back as stored.
    private static func checked(_ value: Bytes, _ name: Bytes) throws(ServiceError) -> Bytes {
        guard isSayable(value) else {
            throw .invalidArgument("A header's value has control characters.", name: "Header", value: name)
        }
        return value
    }

    /// The value of a header that takes one of a few words; nil where it isn't sent.
    static func choice(
        _ request: Request, _ name: StaticString, of words: [StaticString]
    ) throws(ServiceError) -> Bytes? {
        guard let value = request.headers[name] else { return nil }
        guard words.contains(where: { value.isEqual(to: $0) }) else {
            throw .invalidArgument("A header's value is none of those allowed.", name: name, value: value)
        }
        return value
    }

    static func storageClass(of request: Request) throws(ServiceError) -> Bytes? {
        try choice(
            request, "x-oss-storage-class", of: ["Standard", "IA", "Archive", "ColdArchive", "DeepColdArchive"])
    }

    static func acl(of request: Request) throws(ServiceError) -> Bytes? {
        try choice(request, "x-oss-object-acl", of: ["default", "private", "public-read", "public-read-write"])
    }

    /// Without force where the bucket has, or had, versions, as OSS's documentation says.
    static func forbidsOverwrite(_ request: Request, _ service: Service) throws(ServiceError) -> Bool {
        let value = try choice(request, "x-oss-forbid-overwrite", of: ["true", "false"])
        let counts = service.folder.versioning(request.bucket) == .off || service.answers.forbidOverwrite == .honoured
        return value?.isEqual(to: "true") ?? false && counts
    }

    /// The x-oss-tagging header, which stays encoded: at most ten tags, keys up to 128 and values up to 256 bytes.
    static func tagging(of request: Request) throws(ServiceError) -> Bytes? {
        guard let text = request.headers["x-oss-tagging"] else { return nil }
        try checkTagging(text)
        return text
    }

    static func checkTagging(_ text: Bytes) throws(ServiceError) {
        let tags = text.split(separator: 0x26)
        let isValid = tags.allSatisfy { tag in
            let pair = tag.split(separator: 0x3D, maxSplits: 1, omittingEmptySubsequences: false)
            let key = PercentCoding.decode(pair[0], plusIsSpace: true)
            let value = pair.count > 1 ? PercentCoding.decode(pair[1], plusIsSpace: true) : []
            return (1...128).contains(key.count) && value.count <= 256
        }
        guard tags.count <= 10, isValid else {
            throw ServiceError(400, "InvalidTag", "The tag you provided is invalid.")
        }
    }

    /// ETag, date and checksum, which every description has.
    static func identify(_ object: StoredObject, in headers: inout Fields, _ service: Service) {
        headers.append("ETag", [0x22] + object.etag + [0x22])
        headers.append("Last-Modified", Dates.header(object.modified))
        guard service.answers.checksum == .told else { return }
        headers.append("x-oss-hash-crc64ecma", Bytes(String(object.crc).utf8))
    }

    /// All headers of HeadObject and GetObject.
    static func describe(_ object: StoredObject, in headers: inout Fields, _ service: Service) {
        identify(object, in: &headers, service)
        headers.append("x-oss-object-type", object.type)
        headers.append("x-oss-storage-class", object.storageClass)
        if !object.md5.isEmpty { headers.append("Content-MD5", object.md5) }
        if object.isAppendable {
            headers.append("x-oss-next-append-position", Bytes(String(object.size).utf8))
        }
        if let restoration = object.restoration(now: service.clock.now) { headers.append("x-oss-restore", restoration) }
        if !object.tagging.isEmpty {
            let count = object.tagging.split(separator: 0x26).count
            headers.append("x-oss-tagging-count", Bytes(String(count).utf8))
        }
        for field in object.fields.all { headers.append(canonical(field.name), field.value) }
    }

    /// `content-type` as `Content-Type`; x-oss-… as it is.
    private static func canonical(_ name: Bytes) -> Bytes {
        guard !name.hasPrefix("x-oss-") else { return name }
        var isFirst = true
        return name.map { byte in
            defer { isFirst = byte == 0x2D }
            return isFirst && byte >= 0x61 && byte <= 0x7A ? byte & ~0x20 : byte
        }
    }
}

/// Content-Type by a key's extension, where the client sends none.
enum MediaTypes {
    private static let types: [Bytes: Bytes] = [
        Bytes("txt"): Bytes("text/plain"), Bytes("html"): Bytes("text/html"), Bytes("htm"): Bytes("text/html"),
        Bytes("css"): Bytes("text/css"), Bytes("js"): Bytes("application/javascript"),
        Bytes("json"): Bytes("application/json"), Bytes("xml"): Bytes("application/xml"),
        Bytes("jpg"): Bytes("image/jpeg"), Bytes("jpeg"): Bytes("image/jpeg"), Bytes("png"): Bytes("image/png"),
        Bytes("gif"): Bytes("image/gif"), Bytes("webp"): Bytes("image/webp"), Bytes("svg"): Bytes("image/svg+xml"),
        Bytes("pdf"): Bytes("application/pdf"), Bytes("zip"): Bytes("application/zip"),
        Bytes("mp4"): Bytes("video/mp4"), Bytes("mp3"): Bytes("audio/mpeg"),
    ]

    static func type(forKey key: Bytes) -> Bytes {
        let name = key.split(separator: 0x2F).last ?? []
        guard let dot = name.lastIndex(of: 0x2E) else { return Bytes("application/octet-stream") }
        return types[Bytes(name[(dot + 1)...]).lowercasedASCII] ?? Bytes("application/octet-stream")
    }
}
