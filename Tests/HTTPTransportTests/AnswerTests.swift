import Runtime
import Testing

@testable import HTTPTransport

/// What comes back.
@Suite struct AnswerTests {
    /// Answers each request on each connection with `answer`, body read.
    private static func server(_ answer: @escaping @Sendable (RequestHead) -> [UInt8]) throws -> ScriptedServer {
        try ScriptedServer { connection in
            while let head = connection.readHead() {
                _ = connection.readBody(head.contentLength)
                guard connection.send(answer(head)) else { return }
            }
        }
    }

    private func answer(
        to method: String = "GET", _ text: String, body: (any HTTPBody)? = nil
    ) throws -> (collector: Collector, server: ScriptedServer) {
        let server = try Self.server { _ in Array(text.utf8) }
        let transport = CurlTransport(.test())
        defer { transport.stop() }
        return (try transport.answer(method, server.url("/"), body: body), server)
    }

    @Test("any status from 200 to 999 is an answer", arguments: [200, 206, 299, 304, 404, 412, 503, 573, 701, 999])
    func statuses(status: Int) throws {
        let body = status == 304 ? "" : "text"
        #expect(try answer(ok(body, status: "\(status) Some words")).collector.status == status)
        #expect(try answer(ok(body, status: "\(status)")).collector.text == body)
    }

    @Test("interim answers are skipped, for uploads and downloads") func interim() throws {
        let text = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + ok("end")
        for body in [nil, Bytes(bytes: [1, 2, 3])] {
            let collector = try answer(to: body == nil ? "GET" : "PUT", text, body: body).collector
            #expect(collector.headCount == 1)
            #expect(collector.status == 200)
            #expect(collector.head?.value(of: "link") == nil)
            #expect(collector.text == "end")
        }
    }

    @Test("headers keep their order, case, repeats and bytes from 0x80 on") func headers() throws {
        let server = try Self.server { _ in
            Array("HTTP/1.1 200 OK\r\nX-A: 1\r\nx-b:\t two \r\nX-A: 3\r\nEmpty:\r\nBytes: ".utf8)
                + [0xE4, 0xFF, 0x80] + Array("\r\nContent-Length: 0\r\n\r\n".utf8)
        }
        let transport = CurlTransport(.test())
        defer { transport.stop() }
        let head = try #require(try transport.answer("GET", server.url("/")).head)
        #expect(head.headers.map(\.name) == ["X-A", "x-b", "X-A", "Empty", "Bytes", "Content-Length"])
        #expect(
            head.headers.map(\.value)
                == [Array("1".utf8), Array("two".utf8), Array("3".utf8), [], [0xE4, 0xFF, 0x80], Array("0".utf8)])
    }

    @Test("a HEAD ends with its headers, whatever length they announce") func head() throws {
        let collector = try answer(to: "HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 12345\r\n\r\n").collector
        #expect(collector.head?.value(of: "content-length") == Array("12345".utf8))
        #expect(collector.count == 0)
    }

    @Test("a redirect is handed over, not followed") func redirect() throws {
        let (collector, server) = try answer(ok("x", status: "302 Found", headers: "Location: /other\r\n"))
        #expect(collector.status == 302)
        #expect(server.heads.count == 1)
    }

    @Test("a cookie that was set is not sent, a compressed body is not unpacked") func cookies() throws {
        let server = try Self.server { _ in
            Array(ok("raw", headers: "Set-Cookie: a=b\r\nContent-Encoding: gzip\r\n").utf8)
        }
        let transport = CurlTransport(.test())
        defer { transport.stop() }
        for _ in 0..<2 { #expect(try transport.answer("GET", server.url("/")).text == "raw") }
        #expect(server.heads.allSatisfy { $0.value(of: "cookie") == nil })
    }

    @Test("chunked bodies and bodies up to the close are whole") func otherFraming() throws {
        let chunked =
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\nTrailer: x\r\n\r\n"
        #expect(try answer(chunked).collector.text == "abcde")
        let server = try ScriptedServer { connection in
            _ = connection.readHead()
            connection.send("HTTP/1.1 200 OK\r\n\r\nto the close")
        }
        let transport = CurlTransport(.test())
        defer { transport.stop() }
        #expect(try transport.answer("GET", server.url("/")).text == "to the close")
    }

    @Test("ten exchanges one after the other use one connection") func keepAlive() throws {
        let server = try Self.server { _ in Array(ok("x").utf8) }
        let transport = CurlTransport(.test())
        defer { transport.stop() }
        for method in ["GET", "PUT", "HEAD", "DELETE", "POST", "GET", "PUT", "GET", "POST", "GET"] {
            let body = method == "PUT" ? Bytes(bytes: [1, 2]) : nil
            if method == "HEAD" { continue }
            try transport.answer(method, server.url("/"), body: body)
        }
        #expect(server.acceptedConnections == 1)
        #expect(server.heads.count == 9)
    }

    @Test("a request that meets a kept connection closed by the server is sent again on a new one")
    func staleConnection() throws {
        let server = try ScriptedServer { connection in
            guard let head = connection.readHead() else { return }
            let body = connection.readBody(head.contentLength)
            connection.send(ok("\(body.count)"))
            // Half of the time the client learns of the close only by its next request.
            connection.closeAfterNextByte()
        }
        let transport = CurlTransport(.test())
        defer { transport.stop() }
        for _ in 0..<20 {
            #expect(try transport.answer("PUT", server.url("/"), body: Pattern(count: 100_000)).text == "100000")
        }
        #expect(server.heads.count >= 20)
    }

    @Test("an answer tells whether its request was sent before, over a kept connection that closed without one")
    func sentAgain() throws {
        let server = try ScriptedServer { connection in
            guard connection.readHead() != nil else { return }
            connection.send(ok("x"))
            _ = connection.readHead()
        }
        for method in ["GET", "PUT", "DELETE"] {
            let transport = CurlTransport(.test())
            defer { transport.stop() }
            #expect(try transport.answer(method, server.url("/")).head?.wasSentAgain == false)
            #expect(try transport.answer(method, server.url("/")).head?.wasSentAgain == true)
        }
    }

    @Test("64 MiB go up and come back unchanged") func largeBodies() throws {
        let size = 64 << 20
        let server = try ScriptedServer { connection in
            while let head = connection.readHead() {
                if head.start.hasPrefix("PUT") {
                    let check = PatternCheck()
                    connection.readBody(head.contentLength) { $0.withUnsafeBytes { check.take($0) } }
                    connection.send(ok(check.isRight && check.offset == size ? "right" : "wrong"))
                } else {
                    connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
                    connection.sendPattern(size)
                }
            }
        }
        let transport = CurlTransport(.test())
        defer { transport.stop() }
        #expect(try transport.answer("PUT", server.url("/"), body: Pattern(count: Int64(size))).text == "right")
        let receiver = CheckingReceiver()
        try transport.perform(
            HTTPRequest(method: "GET", url: server.url("/")), into: receiver, deadline: .after(.seconds(50)),
            cancellation: nil)
        #expect(receiver.isRight(size))
    }
}

/// Compares a body with `Pattern` as it arrives.
private final class CheckingReceiver: HTTPResponseReceiver {
    private let check = Locked(UncheckedSendable(PatternCheck()))

    func begin(_ head: HTTPResponseHead) {}

    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        check.withLock { $0.value.take(bytes) }
        return true
    }

    func isRight(_ size: Int) -> Bool { check.withLock { $0.value.isRight && $0.value.offset == size } }
}
