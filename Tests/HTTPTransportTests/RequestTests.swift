import Runtime
import Testing

@testable import HTTPTransport

/// What goes out.
@Suite struct RequestTests {
    private static func echoServer() throws -> ScriptedServer {
        try ScriptedServer { connection in
            while let head = connection.readHead() {
                _ = connection.readBody(head.contentLength)
                connection.send(ok(head.start))
            }
        }
    }

    private func linesSent(
        _ method: String, headers: [HTTPHeader] = [], body: (any HTTPBody)? = nil,
        configuration: CurlTransport.Configuration = .test()
    ) throws -> Set<String> {
        let server = try Self.echoServer()
        let transport = CurlTransport(configuration)
        defer { transport.stop() }
        try transport.answer(method, server.url("/x"), headers: headers, body: body)
        let head = try #require(server.heads.first)
        let host = "Host: 127.0.0.1:\(server.port)"
        let lines = head.lines.map { String(decoding: $0, as: UTF8.self) }
        #expect(lines.contains(host) || headers.contains { $0.name == "Host" })
        #expect(Set(lines).count == lines.count)
        return Set(lines).subtracting([host])
    }

    @Test(
        "path and query are sent byte by byte as given",
        arguments: [
            "/", "/a/../b/./c", "//a//b/", "/%2e%2e/%41?x=%2F&y", "/a?b?c=/../d", "/~'()!*;:@&=+$,", "/a%00b",
            "/%E4%B8%AD", "/a?",
        ])
    func pathAsIs(path: String) throws {
        let server = try Self.echoServer()
        let transport = CurlTransport(.test())
        defer { transport.stop() }
        let answer = try transport.answer("GET", server.url(path))
        #expect(answer.text == "GET \(path) HTTP/1.1")
    }

    @Test("a GET carries Host and nothing else of its own") func bareGet() throws {
        #expect(try linesSent("GET") == [])
    }

    @Test("a DELETE and a HEAD carry Host and nothing else of their own", arguments: ["DELETE", "HEAD"])
    func bareOthers(method: String) throws {
        #expect(try linesSent(method) == [])
    }

    @Test("a PUT or POST without a body announces length 0 and no type", arguments: ["PUT", "POST"])
    func bodyless(method: String) throws {
        #expect(try linesSent(method) == ["Content-Length: 0"])
        #expect(try linesSent(method, body: Bytes(bytes: [])) == ["Content-Length: 0"])
    }

    @Test("a large PUT or POST waits for no 100-continue and gets no type", arguments: ["PUT", "POST"])
    func noExpect(method: String) throws {
        #expect(try linesSent(method, body: Pattern(count: 3 << 20)) == ["Content-Length: 3145728"])
    }

    @Test("the caller's headers go out as they are, an empty value and bytes from 0x80 on included")
    func customHeaders() throws {
        let server = try Self.echoServer()
        let transport = CurlTransport(.test())
        defer { transport.stop() }
        let headers = [
            HTTPHeader("x-oss-meta-a", [0xE4, 0xB8, 0xAD, 0xFF, 0x80]), HTTPHeader("x-empty", ""),
            HTTPHeader("Accept", "a/b"), HTTPHeader("Host", "bucket.example"), HTTPHeader("Content-Type", "t/x"),
        ]
        try transport.answer("PUT", server.url("/"), headers: headers, body: Bytes(bytes: [1]))
        let lines = try #require(server.heads.first).lines
        #expect(lines.contains(Array("x-oss-meta-a: ".utf8) + [0xE4, 0xB8, 0xAD, 0xFF, 0x80]))
        let texts = Set(lines.map { String(decoding: $0, as: UTF8.self) })
        #expect(texts.isSuperset(of: ["Accept: a/b", "Host: bucket.example", "Content-Type: t/x", "x-empty:"]))
        #expect(lines.count == 6)
    }

    @Test("the user agent is the configuration's, or the request's") func userAgent() throws {
        var configuration = CurlTransport.Configuration.test()
        configuration.userAgent = Array("ossmount/1".utf8)
        #expect(try linesSent("GET", configuration: configuration) == ["User-Agent: ossmount/1"])
        let own = [HTTPHeader("User-Agent", "mine")]
        #expect(try linesSent("GET", headers: own, configuration: configuration) == ["User-Agent: mine"])
    }

    @Test(
        "what can't be sent as it stands is refused and reaches no server",
        arguments: [
            "ftp://127.0.0.1/", "127.0.0.1/x", "http://", "http://a b/", "http://u:p@127.0.0.1/", "http://h/#f",
            "http://h:0/", "http://h:70000/", "http://:80/", "http://h/\u{e9}", "http://h/\n",
        ])
    func badURLs(url: String) throws {
        let transport = CurlTransport(.test())
        defer { transport.stop() }
        let error = try transport.failure("GET", Array(url.utf8))
        #expect(error.kind == .invalidRequest)
        #expect(!error.mayHaveReachedServer)
    }

    @Test("headers that would break the message or its length are refused") func badHeaders() throws {
        let server = try Self.echoServer()
        let transport = CurlTransport(.test())
        defer { transport.stop() }
        for header in [
            HTTPHeader("a", "b\r\nc: d"), HTTPHeader("a b", "c"), HTTPHeader("", "c"), HTTPHeader("a", [0]),
            HTTPHeader("content-length", "5"), HTTPHeader("Transfer-Encoding", "chunked"),
        ] {
            let error = try transport.failure("GET", server.url("/"), headers: [header])
            #expect(error.kind == .invalidRequest)
        }
        #expect(try transport.failure("A B", server.url("/")).kind == .invalidRequest)
        #expect(try transport.failure("HEAD", server.url("/"), body: Bytes(bytes: [1])).kind == .invalidRequest)
        #expect(server.acceptedConnections == 0)
    }

    @Test("a body that ends before its length fails the exchange instead of hanging it") func shortBody() throws {
        let server = try Self.echoServer()
        let transport = CurlTransport(.test())
        defer { transport.stop() }
        #expect(try transport.failure("PUT", server.url("/"), body: ShortBody()).kind == .invalidRequest)
    }
}
