/// HeadObject and GetObjectMeta: an object's headers without its bytes.
enum HeadOperations {
    static let routes = [
        Route("HEAD", .object, takesVersion: true, .headObject) { request, service in .reply(try head(request, service))
        },
        Route("HEAD", .object, query: ["objectMeta"], takesVersion: true, .getObjectMeta) { request, service in
            .reply(try meta(request, service))
        },
        Route("GET", .object, query: ["objectMeta"], takesVersion: true, .getObjectMeta) { request, service in
            .reply(try meta(request, service))
        },
    ]

    static func head(_ request: Request, _ service: Service) throws -> Reply {
        let object = try ObjectLookup.followed(request, service)
        try Preconditions(reading: request.headers).check(object)
        var reply = Reply(200)
        ObjectHeaders.describe(object, in: &reply.headers, service)
        service.name(object, of: request.bucket, in: &reply.headers)
        reply.headers.append("Accept-Ranges", Bytes("bytes"))
        reply.body = .lengthOnly(object.size)
        return reply
    }

    /// The few headers of the light form; a GET of it has no bytes either, so its Content-Length is 0.
    private static func meta(_ request: Request, _ service: Service) throws -> Reply {
        let object = try ObjectLookup.unfollowed(request, service)
        var reply = Reply(200)
        ObjectHeaders.identify(object, in: &reply.headers, service)
        service.name(object, of: request.bucket, in: &reply.headers)
        if object.isLink { reply.headers.append("x-oss-object-type", object.type) }
        if request.isHead { reply.body = .lengthOnly(object.size) }
        return reply
    }
}
