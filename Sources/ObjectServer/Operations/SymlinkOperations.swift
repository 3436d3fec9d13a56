import CObjectServer

/// PutSymlink and GetSymlink: objects that hold another object's key in the place of bytes.
enum SymlinkOperations {
    static let routes = [
        Route("PUT", .object, query: ["symlink"], .putSymlink) { .reply(try put($0, $1)) },
        Route("GET", .object, query: ["symlink"], takesVersion: true, .getSymlink) { .reply(try get($0, $1)) },
    ]

    private static func put(_ request: Request, _ service: Service) throws -> Reply {
        guard let header = request.headers["x-oss-symlink-target"], !header.isEmpty else {
            throw ServiceError.invalidArgument(
                "Symlink target object should not be empty.", name: "x-oss-symlink-target")
        }
        let target = PercentCoding.decode(header)
        try ObjectKeyRules.check(target, service.limits)
        let forbidsOverwrite = try ObjectHeaders.forbidsOverwrite(request, service)
        var row = try PutObject.row(request, type: "Symlink")
        row.link = target
        // In listings a link is as long as its target's key.
        row.size = UInt64(target.count)
        row.crc = cobjectserver_crc64(0, target, target.count)
        row.etag = hexadecimal(Digests.md5(target), upperCase: true)
        row.modified = service.clock.now
        row = try service.folder.put(request.bucket, row) { old in
            if forbidsOverwrite && old != nil { throw ServiceError.fileAlreadyExists }
        }
        var reply = Reply(200)
        reply.headers.append("ETag", [0x22] + row.etag + [0x22])
        service.name(row, of: request.bucket, in: &reply.headers)
        return reply
    }

    private static func get(_ request: Request, _ service: Service) throws -> Reply {
        let object = try ObjectLookup.unfollowed(request, service)
        guard object.isLink else {
            throw ServiceError(
                400, "NotSymlink", "Object is not symlink.", ec: "0043-00000101",
                details: [.init(name: "ObjectName", value: object.key)])
        }
        var reply = Reply(200)
        reply.headers.append("x-oss-symlink-target", PercentCoding.encode(object.link))
        service.name(object, of: request.bucket, in: &reply.headers)
        reply.headers.append("ETag", [0x22] + object.etag + [0x22])
        reply.headers.append("Last-Modified", Dates.header(object.modified))
        for field in object.fields.all where field.name.hasPrefix(ObjectHeaders.userPrefix) {
            reply.headers.append(field.name, field.value)
        }
        return reply
    }
}
