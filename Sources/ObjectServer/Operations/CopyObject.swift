/// CopyObject: a new row on a second link to the same bytes, onto another key or the same.
enum CopyObject {
    static let routes = [
        Route("PUT", .object, header: "x-oss-copy-source", .copyObject) { request, service in
            .reply(try copy(request, service))
        }
    ]

    private static func copy(_ request: Request, _ service: Service) throws -> Reply {
        let source = try source(request.headers["x-oss-copy-source"] ?? [])
        guard service.folder.birth(ofBucket: source.bucket) != nil else {
            throw ServiceError.noSuchBucket(source.bucket)
        }
        try ObjectKeyRules.check(source.key, service.limits)
        let change = try Change(request)
        let conditions = Preconditions(copying: request.headers)
        let rule = try OverwriteRule(request, service)
        let takesAppendable = takesAppendable(from: source.bucket, service)
        let copied = try service.folder.copy(
            from: (source.bucket, source.key), version: source.version, to: (request.bucket, request.key)
        ) { original, old in
            try conditions.check(original)
            guard takesAppendable || !original.isAppendable else {
                throw ServiceError.operationNotSupported(source.key)
            }
            try rule.check(old)
            let isWithinBucket = source.bucket == request.bucket
            guard isWithinBucket || original.size <= service.limits.bodyMaximum else {
                throw ServiceError.entityTooLarge
            }
            let copy = change.applied(to: original, service)
            let limit = service.limits.bodyMaximum / (service.answers.copyClassLimit == .one ? 5 : 1)
            guard copy.storageClass == original.storageClass || original.size <= limit else {
                throw ServiceError.entityTooLarge
            }
            return copy
        }
        var xml = XMLWriter()
        xml.element("CopyObjectResult") { xml in
            xml.element("LastModified", Dates.xml(copied.modified))
            xml.element("ETag", [0x22] + copied.etag + [0x22])
        }
        var reply = Reply.xml(200, xml)
        reply.headers.append("ETag", [0x22] + copied.etag + [0x22])
        service.name(copied, of: request.bucket, in: &reply.headers)
        reply.headers.append("x-oss-hash-crc64ecma", Bytes(String(copied.crc).utf8))
        return reply
    }

    private static func takesAppendable(from bucket: Bytes, _ service: Service) -> Bool {
        switch service.answers.copyAppendable {
        case .unversioned: service.folder.versioning(bucket) == .off
        case .accepted: true
        case .refused: false
        }
    }

    /// `/bucket/key`, percent-encoded, the slashes too or not.
    static func source(_ header: Bytes) throws(ServiceError) -> (bucket: Bytes, key: Bytes, version: Bytes?) {
        let parts = header.split(separator: 0x3F, maxSplits: 1, omittingEmptySubsequences: false)
        let version = parts.count > 1 ? Request.parameters(parts[1])["versionId"] : nil
        let path = PercentCoding.decode(parts[0])
        let names = path.dropFirst().split(separator: 0x2F, maxSplits: 1, omittingEmptySubsequences: false)
        guard path.first == 0x2F, names.count == 2, !names[0].isEmpty else {
            throw .invalidArgument(
                "Copy Source must mention the source bucket and key: /sourcebucket/sourcekey.",
                name: "x-oss-copy-source", value: header, ec: "0042-00000301")
        }
        return (Bytes(names[0]), Bytes(names[1]), version)
    }

    /// What the copy has of its own.
    private struct Change {
        var fields: Fields?
        var tagging: Bytes?
        let storageClass: Bytes?
        let acl: Bytes?

        init(_ request: Request) throws(ServiceError) {
            let replaces = try ObjectHeaders.choice(
                request, "x-oss-metadata-directive", of: ["COPY", "REPLACE", "Copy", "Replace"])
            if replaces?.lowercasedASCII.isEqual(to: "replace") ?? false {
                fields = try ObjectHeaders.kept(of: request)
            }
            let retags = try ObjectHeaders.choice(
                request, "x-oss-tagging-directive", of: ["COPY", "REPLACE", "Copy", "Replace"])
            if retags?.lowercasedASCII.isEqual(to: "replace") ?? false {
                tagging = try ObjectHeaders.tagging(of: request) ?? []
            }
            storageClass = try ObjectHeaders.storageClass(of: request)
            acl = try ObjectHeaders.acl(of: request)
        }

        /// The storage class is the request's or the default, and so is the ACL, unless it is to be kept.
        func applied(to original: StoredObject, _ service: Service) -> StoredObject {
            var copy = original
            if let fields { copy.fields = fields }
            if let tagging { copy.tagging = tagging }
            copy.storageClass = storageClass ?? Bytes("Standard")
            copy.acl = acl ?? (service.answers.copyACL == .kept ? original.acl : Bytes("default"))
            copy.modified = service.clock.now
            return copy
        }
    }
}
