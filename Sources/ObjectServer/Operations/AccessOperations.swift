/// Object ACLs, which are kept and given back; that one account may do everything doesn't change by them.
enum AccessOperations {
    static let routes = [
        Route("PUT", .object, query: ["acl"], takesVersion: true, .putObjectACL) { request, service in
            guard let acl = try ObjectHeaders.acl(of: request) else {
                throw ServiceError.invalidArgument("x-oss-object-acl is missing.", name: "x-oss-object-acl")
            }
            try service.folder.describe(request.bucket, request.key, version: request.query["versionId"]) { old in
                var object = old
                object.acl = acl
                return object
            }
            return .reply(Reply(200))
        },
        Route("GET", .object, query: ["acl"], takesVersion: true, .getObjectACL) { request, service in
            .reply(.xml(200, document(try ObjectLookup.unfollowed(request, service).acl)))
        },
        Route("GET", .bucket, query: ["acl"], .getBucketACL) { _, _ in .reply(.xml(200, document(Bytes("private")))) },
    ]

    private static func document(_ acl: Bytes) -> XMLWriter {
        var xml = XMLWriter()
        xml.element("AccessControlPolicy") { xml in
            xml.element("Owner") { BucketOperations.owner(&$0) }
            xml.element("AccessControlList") { $0.element("Grant", acl) }
        }
        return xml
    }
}
