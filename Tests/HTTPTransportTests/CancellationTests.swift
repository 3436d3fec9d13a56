import Runtime
import Testing

@testable import HTTPTransport

/// Cancellation in every phase, and the stop.
@Suite struct CancellationTests {
    /// Cancels once `condition` holds; the exchange must then end as cancelled, soon.
    private func cancelled(
        _ transport: CurlTransport, _ method: String, _ url: [UInt8], body: (any HTTPBody)? = nil,
        into collector: Collector = Collector(), when condition: @escaping () -> Bool
    ) throws -> TransportError? {
        let cancellation = Cancellation()
        let exchange = Background {
            try transport.failure(method, url, body: body, cancellation: cancellation, into: collector)
        }
        #expect(eventually(condition))
        let start = Deadline.now
        cancellation.cancel()
        let error = exchange.value
        #expect(error?.kind == .cancelled)
        #expect(Deadline.now.nanoseconds - start.nanoseconds < 1_000_000_000)
        return error
    }

    @Test("a cancellation that was set before sends nothing") func before() throws {
        let server = try TimeTests.silentServer()
        let transport = CurlTransport(.test())
        defer { transport.stop() }
        let cancellation = Cancellation()
        cancellation.cancel()
        #expect(try transport.failure("GET", server.url("/"), cancellation: cancellation).kind == .cancelled)
        #expect(server.acceptedConnections == 0)
    }

    @Test("while the server is silent") func waiting() throws {
        let server = try TimeTests.silentServer()
        let transport = CurlTransport(.test())
        defer { transport.stop() }
        let error = try cancelled(transport, "GET", server.url("/")) { server.heads.count == 1 }
        #expect(error?.mayHaveReachedServer == true)
        #expect(eventually { server.openConnections == 0 })
    }

    @Test("while it connects") func connecting() throws {
        let hole = try FullListener()
        let transport = CurlTransport(.test())
        defer { transport.stop() }
        let error = try cancelled(transport, "GET", hole.url) { true }
        #expect(error?.mayHaveReachedServer == false)
    }

    @Test("while the answer's body arrives") func reading() throws {
        let server = try ScriptedServer { connection in
            guard connection.readHead() != nil else { return }
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(1 << 40)\r\n\r\n")
            connection.sendPattern(1 << 40)
        }
        let transport = CurlTransport(.test())
        defer { transport.stop() }
        let collector = Collector(keepsBody: false)
        _ = try cancelled(transport, "GET", server.url("/"), into: collector) { collector.count > 10 << 20 }
        #expect(eventually { server.openConnections == 0 })
    }

    @Test("while a body goes up") func sending() throws {
        let received = Locked(0)
        let server = try ScriptedServer { connection in
            guard let head = connection.readHead() else { return }
            connection.readBody(head.contentLength) { piece in received.withLock { $0 += piece.count } }
        }
        let transport = CurlTransport(.test())
        defer { transport.stop() }
        _ = try cancelled(transport, "PUT", server.url("/"), body: Pattern(count: 1 << 40)) {
            received.withLock { $0 > 10 << 20 }
        }
    }

    @Test("while it waits in line, and the line moves on") func queued() throws {
        let server = try TimeTests.silentServer()
        let transport = CurlTransport(.test(connections: 1))
        defer { transport.stop() }
        let first = Cancellation()
        let blocking = Background { try transport.failure("GET", server.url("/1"), cancellation: first).kind }
        #expect(eventually { server.heads.count == 1 })
        let error = try cancelled(transport, "GET", server.url("/2")) { true }
        #expect(error?.mayHaveReachedServer == false)
        first.cancel()
        #expect(blocking.value == .cancelled)
        _ = try cancelled(transport, "GET", server.url("/3")) { server.heads.count == 2 }
        #expect(server.heads.map(\.start) == ["GET /1 HTTP/1.1", "GET /3 HTTP/1.1"])
    }

    @Test("a receiver that wants no more ends the exchange") func receiver() throws {
        let server = try ScriptedServer { connection in
            guard connection.readHead() != nil else { return }
            connection.send("HTTP/1.1 200 OK\r\n\r\n")
            connection.sendPattern(1 << 40)
        }
        let transport = CurlTransport(.test())
        defer { transport.stop() }
        let collector = Collector(limit: 100_000)
        #expect(try transport.failure("GET", server.url("/"), into: collector).kind == .cancelled)
        #expect(collector.count > 100_000 && collector.count < 10 << 20)
    }

    @Test("a stop ends what is under way and in line, closes the connections, and refuses what comes after")
    func stop() throws {
        let server = try TimeTests.silentServer()
        let transport = CurlTransport(.test(connections: 2))
        let exchanges = (0..<5).map { _ in Background { try transport.failure("GET", server.url("/")).kind } }
        #expect(eventually { server.heads.count == 2 })
        transport.stop()
        #expect(exchanges.allSatisfy { $0.value == .cancelled })
        #expect(eventually { server.openConnections == 0 })
        #expect(try transport.failure("GET", server.url("/")).kind == .cancelled)
        transport.stop()
    }

    @Test("a transport that was never used stops at once") func unused() throws {
        let transport = CurlTransport(.test())
        transport.stop()
        #expect(try transport.failure("GET", Array("http://127.0.0.1:9/".utf8)).kind == .cancelled)
    }
}
