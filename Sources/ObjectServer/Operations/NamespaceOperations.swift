/// Rename, CreateDirectory and DeleteDirectory of buckets with a hierarchical namespace (`--hns`).
///
/// A directory is there while its marker `name/` or anything below it is; the service itself also keeps one whose last
/// file was deleted. https://www.alibabacloud.com/help/en/oss/developer-reference/rename and its neighbours.
enum NamespaceOperations {
    static let routes = [
        Route("POST", .object, query: ["x-oss-rename"], .rename) { .reply(try rename($0, $1)) },
        Route("POST", .object, query: ["x-oss-dir"], .createDirectory) { .reply(try create($0, $1)) },
        Route("POST", .object, query: ["x-oss-delete"], .deleteDirectory) { .reply(try delete($0, $1)) },
    ]

    /// How many objects one DeleteDirectory takes; as many as other calls work on at once.
    private static let deletedAtOnce = 1000

    private static func check(_ service: Service) throws(ServiceError) {
        guard !service.isHierarchical else { return }
        switch service.answers.namespaceRefusal {
        case .denied: throw ServiceError(403, "AccessDenied", "Hierarchical namespace is disabled.")
        case .unknown: throw .notImplemented(Bytes("x-oss-rename"))
        }
    }

    private static func rename(_ request: Request, _ service: Service) throws -> Reply {
        try check(service)
        let header = request.headers["x-oss-rename-source"] ?? []
        let source = path(service.answers.renameSource == .encoded ? PercentCoding.decode(header) : header)
        guard !source.isEmpty else {
            throw ServiceError.invalidArgument(
                "The source of the rename is missing.", name: "x-oss-rename-source", value: header)
        }
        try service.folder.rename(request.bucket, from: source, to: path(request.key))
        return Reply(200)
    }

    private static func create(_ request: Request, _ service: Service) throws -> Reply {
        try check(service)
        let directory = path(request.key)
        guard !directory.split(separator: 0x2F, omittingEmptySubsequences: false).contains([]) else {
            throw ServiceError(
                400, "InvalidObjectName", "The specified object is not valid.",
                details: [.init(name: "ObjectName", value: request.key)])
        }
        var marker = try PutObject.row(request, type: "Normal")
        marker.key = directory + [0x2F]
        marker.etag = hexadecimal(Digests.md5([]), upperCase: true)
        marker.modified = service.clock.now
        marker.fields.all.removeAll { $0.name.isEqual(to: "content-type") }
        marker.fields.append("content-type", Bytes("application/x-directory"))
        let made = try service.folder.makeDirectory(request.bucket, marker)
        var reply = Reply(200)
        reply.headers.append("Last-Modified", Dates.header(made.modified))
        return reply
    }

    private static func delete(_ request: Request, _ service: Service) throws -> Reply {
        try check(service)
        let recursive = try ObjectHeaders.choice(request, "x-oss-delete-recursive", of: ["true", "false"])
        let isRecursive = recursive?.isEqual(to: "true") ?? false
        let directory = path(request.key)
        let token = request.headers["x-oss-delete-token"].map { Digests.fromBase64($0) ?? [] } ?? []
        let deleted = try service.folder.removeDirectory(
            request.bucket, directory, after: token, maximum: isRecursive ? deletedAtOnce : 1,
            isRecursive: isRecursive)
        var xml = XMLWriter()
        xml.element("DeleteDirectoryResult") { xml in
            xml.element("DirectoryName", XMLText.canCarry(directory) ? directory : PercentCoding.encode(directory))
            xml.element("DeleteNumber", deleted.count)
            if let next = deleted.next { xml.element("NextDeleteToken", Digests.base64(next)) }
        }
        return .xml(200, xml)
    }

    /// A path names the same directory with and without a slash at its end.
    private static func path(_ name: Bytes) -> Bytes { name.last == 0x2F ? Bytes(name.dropLast()) : name }
}
