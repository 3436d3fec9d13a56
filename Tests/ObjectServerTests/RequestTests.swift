import Testing

@testable import ObjectServer

@Suite struct RequestTests {
    private func request(_ target: String, host: String, method: String = "GET") -> Request {
        var headers = Fields()
        headers.append("host", Bytes(host.utf8))
        return Request(method: Bytes(method.utf8), target: Bytes(target.utf8), headers: headers)
    }

    @Test(
        "an address or a bare name has the bucket in the path",
        arguments: ["127.0.0.1:80", "localhost", "[::1]:9000", ""])
    func pathStyle(_ host: String) {
        let request = request("/bucket/a/b", host: host)
        #expect(request.bucket == Bytes("bucket"))
        #expect(request.key == Bytes("a/b"))
        #expect(!request.isVirtualHosted)
    }

    @Test("a name with dots has the bucket in front", arguments: ["bucket.localhost:80", "bucket.oss-x.aliyuncs.com"])
    func virtualHosted(_ host: String) {
        let request = request("/a/b", host: host)
        #expect(request.bucket == Bytes("bucket"))
        #expect(request.key == Bytes("a/b"))
    }

    @Test("slashes and dots in a path stay as they came") func pathsAsTheyAre() {
        #expect(request("/b//x", host: "localhost").key == Bytes("/x"))
        #expect(request("/b/%2F", host: "localhost").key == Bytes("/"))
        #expect(request("/b/a/../b/./c", host: "localhost").key == Bytes("a/../b/./c"))
        #expect(request("/b/a+b%2B", host: "localhost").key == Bytes("a+b+"))
    }

    @Test("parameters are decoded, with and without values") func parameters() {
        let query = request("/b/?acl&prefix=a%20b+c%2B&x=", host: "localhost").query
        #expect(query["acl"] == [])
        #expect(query["prefix"] == Bytes("a b c+"))
        #expect(query["x"] == [])
        #expect(query["y"] == nil)
    }

    @Test("each request finds its operation") func routes() {
        let expected: [(String, String, Operation?)] = [
            ("GET", "/b/?bucketInfo", .getBucketInfo), ("GET", "/b?location", .getBucketLocation),
            ("GET", "/b/?prefix=x", .listObjects), ("GET", "/b/?list-type=2", .listObjectsV2),
            ("HEAD", "/b/k", .headObject), ("HEAD", "/b/k?objectMeta", .getObjectMeta), ("GET", "/b/k", .getObject),
            ("GET", "/b/k?response-expires=x&unknown=1", .getObject), ("PUT", "/b/k", .putObject),
            ("DELETE", "/b/k", .deleteObject), ("POST", "/b/?delete&encoding-type=url", .deleteMultipleObjects),
            ("PUT", "/b/k?x-oss-process=y", nil), ("GET", "/b/k?select", nil), ("GET", "/b/?website", nil),
            ("DELETE", "/b/", nil), ("PUT", "/", nil), ("PATCH", "/b/k", nil), ("GET", "/", .listBuckets),
            ("POST", "/b/k?uploads", .initiateMultipartUpload), ("PUT", "/b/k?partNumber=1&uploadId=2", .uploadPart),
            ("POST", "/b/k?uploadId=2", .completeMultipartUpload), ("GET", "/b/k?uploadId=2", .listParts),
            ("DELETE", "/b/k?uploadId=2", .abortMultipartUpload), ("GET", "/b/?uploads", .listMultipartUploads),
            ("POST", "/b/k?append&position=5", .appendObject), ("PUT", "/b/k?symlink", .putSymlink),
            ("DELETE", "/b/k?tagging", .deleteObjectTagging), ("GET", "/b/?stat", .getBucketStat),
        ]
        for (method, target, operation) in expected {
            let (route, _) = Router.route(request(target, host: "localhost", method: method))
            #expect(route?.operation == operation, "\(method) \(target)")
        }
    }

    @Test("a source header makes a copy of a put") func copies() throws {
        var copy = request("/b/k", host: "localhost", method: "PUT")
        copy.headers.append("x-oss-copy-source", Bytes("/b/s"))
        #expect(Router.route(copy).route?.operation == .copyObject)
        for header in ["/b/a%20b/c", "/b%2Fa%20b%2Fc", "%2Fb/a b/c"] {
            let source = try CopyObject.source(Bytes(header.utf8))
            #expect(source.bucket == Bytes("b"))
            #expect(source.key == Bytes("a b/c"))
        }
        for header in ["", "b/k", "/b", "//k"] {
            #expect(throws: ServiceError.self) { try CopyObject.source(Bytes(header.utf8)) }
        }
    }

    @Test("addresses to listen on are numbers, and only some are this machine's alone") func addresses() {
        #expect(ListenAddress("127.0.0.1:0")?.isLoopback == true)
        #expect(ListenAddress("[::1]:80")?.isLoopback == true)
        #expect(ListenAddress("localhost:80")?.host == "127.0.0.1")
        #expect(ListenAddress("0.0.0.0:80")?.isLoopback == false)
        #expect(ListenAddress("[::]:80")?.isLoopback == false)
        for text in ["", "80", "127.0.0.1", "127.0.0.1:x", "127.0.0.1:65536", "host:80", "127.1:80"] {
            #expect(ListenAddress(text) == nil, "\(text)")
        }
    }
}
