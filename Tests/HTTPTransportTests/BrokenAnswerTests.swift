import Runtime
import Testing

@testable import HTTPTransport

/// Answers that end too early, come too early, or are none.
@Suite struct BrokenAnswerTests {
    /// Sends `text` after the request's head, then closes, by a reset if wanted.
    private func error(after text: String, reset: Bool = false, method: String = "GET") throws -> TransportError {
        let server = try ScriptedServer { connection in
            guard connection.readHead() != nil else { return }
            connection.send(text)
            if reset { connection.reset() }
        }
        let transport = CurlTransport(.test())
        defer { transport.stop() }
        return try transport.failure(method, server.url("/secret?signature=hush"), headers: [HTTPHeader("x", "hush")])
    }

    @Test("a body shorter than announced is an error of its own") func cutBody() throws {
        let error = try error(after: "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345")
        #expect(error.kind == .bodyTooShort)
        #expect(error.mayHaveReachedServer)
    }

    @Test("a chunked body without its end is too short") func cutChunks() throws {
        let error = try error(after: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n")
        #expect(error.kind == .bodyTooShort)
    }

    @Test("a close before or amid the head is a lost connection", arguments: ["", "HTTP/1.1 200 OK\r\nContent-Le"])
    func cutHead(text: String) throws {
        let error = try error(after: text)
        #expect(error.kind == .connectionLost)
        #expect(error.mayHaveReachedServer)
    }

    @Test("a reset is a lost connection") func reset() throws {
        let error = try error(after: "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345", reset: true)
        #expect(error.kind == .connectionLost)
    }

    @Test(
        "what isn't HTTP/1.1 is malformed",
        arguments: [
            "SSH-2.0-OpenSSH\r\n", "HTTP/2 200\r\n\r\n", "HTTP/1.1 99 No\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n",
            "hello\r\n\r\n",
        ])
    func malformed(text: String) throws { #expect(try error(after: text).kind == .malformedAnswer) }

    @Test("headers past 64 KiB are malformed") func longHeaders() throws {
        let line = "X: " + String(repeating: "y", count: 1000) + "\r\n"
        let long = "HTTP/1.1 200 OK\r\n" + String(repeating: line, count: 70) + "\r\n"
        #expect(try error(after: long).kind == .malformedAnswer)
    }

    @Test("errors name host and port, never path, query or headers") func messages() throws {
        let error = try error(after: "")
        #expect(error.message.contains("127.0.0.1:"))
        #expect(!error.message.contains("hush") && !error.message.contains("secret"))
    }

    @Test("nobody listening is no connection, and nothing reached a server") func refused() throws {
        let server = try ScriptedServer { _ in }
        let url = server.url("/")
        server.stop()
        let transport = CurlTransport(.test())
        defer { transport.stop() }
        let error = try transport.failure("PUT", url, body: Bytes(bytes: [1]))
        #expect(error.kind == .cannotConnect)
        #expect(!error.mayHaveReachedServer)
    }

    @Test("a name without address is named as such, also the second time") func unknownName() throws {
        let transport = CurlTransport(.test())
        defer { transport.stop() }
        for _ in 0..<3 {
            let error = try transport.failure("GET", Array("http://nowhere.invalid/".utf8))
            #expect(error.kind == .nameNotResolved)
            #expect(error.message.contains("nowhere.invalid:80"))
        }
    }

    @Test("an exchange that fails costs other hosts none of their kept connections") func keptConnections() throws {
        let server = try ScriptedServer { connection in
            while connection.readHead() != nil { connection.send(ok()) }
        }
        let refusing = try ScriptedServer { _ in }
        refusing.stop()
        let transport = CurlTransport(.test())
        defer { transport.stop() }
        for _ in 0..<10 {
            try transport.answer("GET", server.url("/"))
            #expect(try transport.failure("GET", refusing.url("/")).kind == .cannotConnect)
        }
        #expect(server.acceptedConnections == 1)
    }

    enum Ending: CaseIterable { case keepsReading, closes, closesUnread, resets }

    @Test(
        "a refusal that comes while 64 MiB go up is an answer", arguments: Ending.allCases,
        [
            "", "Connection: close\r\n",
        ])
    func earlyRefusal(ending: Ending, header: String) throws {
        let server = try ScriptedServer { connection in
            guard connection.readHead() != nil else { return }
            _ = connection.readBody(1 << 20)
            connection.send(ok("refused", status: "403 Forbidden", headers: header))
            switch ending {
            case .keepsReading: connection.drain()
            case .closes: connection.finish()
            case .closesUnread: break
            case .resets: connection.reset()
            }
        }
        let transport = CurlTransport(.test())
        defer { transport.stop() }
        for _ in 0..<5 {
            let collector = try transport.answer("PUT", server.url("/"), body: Pattern(count: 64 << 20))
            #expect(collector.status == 403)
            #expect(collector.text == "refused")
        }
    }

    @Test(
        "an early refusal of unknown length is whole",
        arguments: [
            "Transfer-Encoding: chunked\r\n\r\n7\r\nrefused\r\n0\r\n\r\n",
            "Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n7\r\nrefused\r\n0\r\n\r\n",
            "Connection: close\r\n\r\nrefused",
        ])
    func earlyRefusalOfUnknownLength(rest: String) throws {
        let server = try ScriptedServer { connection in
            guard connection.readHead() != nil else { return }
            connection.send("HTTP/1.1 400 Bad Request\r\n" + rest)
            connection.finish()
        }
        let transport = CurlTransport(.test())
        defer { transport.stop() }
        let collector = try transport.answer("PUT", server.url("/"), body: Pattern(count: 64 << 20))
        #expect(collector.status == 400)
        #expect(collector.text == "refused")
    }

    @Test("an early 200 lets the body go on to its end") func earlySuccess() throws {
        let received = Locked(0)
        let server = try ScriptedServer { connection in
            guard let head = connection.readHead() else { return }
            connection.send(ok("early"))
            connection.readBody(head.contentLength) { piece in received.withLock { $0 += piece.count } }
        }
        let transport = CurlTransport(.test())
        defer { transport.stop() }
        #expect(try transport.answer("PUT", server.url("/"), body: Pattern(count: 8 << 20)).text == "early")
        #expect(eventually { received.withLock { $0 == 8 << 20 } })
    }
}
