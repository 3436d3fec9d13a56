import Runtime
import Testing

@testable import HTTPTransport

/// Deadlines, stalls and connect times.
@Suite struct TimeTests {
    /// Reads a head, then says nothing more until the client goes.
    static func silentServer(after text: String = "") throws -> ScriptedServer {
        try ScriptedServer { connection in
            guard connection.readHead() != nil else { return }
            connection.send(text)
            connection.drain()
        }
    }

    private func seconds(of work: () throws -> Void) rethrows -> Double {
        let start = Deadline.now
        try work()
        return Double(Deadline.now.nanoseconds - start.nanoseconds) / 1e9
    }

    @Test(
        "silence before, amid and after the head is a stall",
        arguments: [
            "", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n1234",
        ])
    func stall(text: String) throws {
        let server = try Self.silentServer(after: text)
        let transport = CurlTransport(.test(stall: .milliseconds(300)))
        defer { transport.stop() }
        let time = try seconds {
            let error = try transport.failure("GET", server.url("/"))
            #expect(error.kind == .stalled)
            #expect(error.mayHaveReachedServer)
        }
        #expect(time >= 0.3 && time < 2)
    }

    @Test("a server that reads none of an upload makes it stall") func stalledUpload() throws {
        let server = try ScriptedServer { connection in
            guard connection.readHead() != nil else { return }
            connection.waitForClose()
        }
        let transport = CurlTransport(.test(stall: .milliseconds(300)))
        defer { transport.stop() }
        #expect(try transport.failure("PUT", server.url("/"), body: Pattern(count: 64 << 20)).kind == .stalled)
    }

    @Test("an upload that was given up doesn't reach a server that wakes up later") func abandonedUpload() throws {
        let isGivenUp = Locked(false)
        let found = Locked<Int?>(nil)
        let server = try ScriptedServer(receiveBuffer: 65_536) { connection in
            guard let head = connection.readHead() else { return }
            _ = isGivenUp.wait(until: .after(.seconds(10))) { $0 ? true : nil }
            let count = connection.readBody(head.contentLength).count
            found.withLock { $0 = count }
            found.wakeAll()
        }
        let transport = CurlTransport(.test(stall: .milliseconds(300)))
        defer { transport.stop() }
        // As much as the kernels of both ends hold together.
        #expect(try transport.failure("PUT", server.url("/"), body: Pattern(count: 1 << 20)).kind == .stalled)
        isGivenUp.withLock { $0 = true }
        isGivenUp.wakeAll()
        let count = try #require(found.wait(until: .after(.seconds(10))) { $0 })
        #expect(count < 1 << 20)
    }

    @Test("a slow download that moves now and then is no stall") func slowDownload() throws {
        let server = try ScriptedServer { connection in
            guard connection.readHead() != nil else { return }
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n")
            for _ in 0..<8 {
                connection.pause(milliseconds: 100)
                connection.send("x")
            }
        }
        let transport = CurlTransport(.test(stall: .milliseconds(400)))
        defer { transport.stop() }
        #expect(try transport.answer("GET", server.url("/")).text == "xxxxxxxx")
    }

    @Test("an upload whose last megabytes drain slowly from the kernel's buffer is no stall") func slowUpload() throws {
        let server = try ScriptedServer(receiveBuffer: 262_144) { connection in
            guard let head = connection.readHead() else { return }
            for _ in 0..<8 {
                connection.pause(milliseconds: 100)
                _ = connection.readBody(head.contentLength / 8)
            }
            connection.send(ok("slow"))
        }
        let transport = CurlTransport(.test(stall: .milliseconds(400)))
        defer { transport.stop() }
        #expect(try transport.answer("PUT", server.url("/"), body: Pattern(count: 4 << 20)).text == "slow")
    }

    @Test("a request's own stall time counts instead of the transport's") func ownStallTime() throws {
        let server = try Self.silentServer()
        let transport = CurlTransport(.test())
        defer { transport.stop() }
        let request = HTTPRequest(method: "GET", url: server.url("/"), stallTimeout: .milliseconds(200))
        #expect(throws: TransportError.self) {
            try transport.perform(request, into: Collector(), deadline: .after(.seconds(5)), cancellation: nil)
        }
    }

    @Test("the deadline ends an exchange, also one whose bytes go on") func deadline() throws {
        let server = try ScriptedServer { connection in
            guard connection.readHead() != nil else { return }
            connection.send("HTTP/1.1 200 OK\r\n\r\n")
            while connection.send("x") { connection.pause(milliseconds: 10) }
        }
        let transport = CurlTransport(.test())
        defer { transport.stop() }
        let time = try seconds {
            let error = try transport.failure("GET", server.url("/"), deadline: .after(.milliseconds(250)))
            #expect(error.kind == .timedOut)
        }
        #expect(time >= 0.25 && time < 1.5)
    }

    @Test("a deadline that has passed sends nothing") func passedDeadline() throws {
        let server = try Self.silentServer()
        let transport = CurlTransport(.test())
        defer { transport.stop() }
        let error = try transport.failure("GET", server.url("/"), deadline: .now)
        #expect(error.kind == .timedOut)
        #expect(!error.mayHaveReachedServer)
        #expect(server.acceptedConnections == 0)
    }

    @Test("a connection that doesn't come about within the connect timeout is none") func connectTimeout() throws {
        let hole = try FullListener()
        let transport = CurlTransport(.test(stall: .milliseconds(50), connect: .milliseconds(300)))
        defer { transport.stop() }
        let error = try transport.failure("GET", hole.url)
        #expect(error.kind == .cannotConnect)
        #expect(!error.mayHaveReachedServer)
    }

    @Test("waiting for a connection is no stall, but its deadline counts") func waitingInLine() throws {
        let server = try Self.silentServer()
        let transport = CurlTransport(.test(stall: .milliseconds(300), connections: 1))
        defer { transport.stop() }
        let first = Background { try transport.failure("GET", server.url("/first")).kind }
        #expect(eventually { server.heads.count == 1 })
        let inLine = try transport.failure("GET", server.url("/second"), deadline: .after(.milliseconds(100)))
        #expect(inLine.kind == .timedOut)
        #expect(!inLine.mayHaveReachedServer)
        let third = Background { try transport.failure("GET", server.url("/third")).kind }
        #expect(first.value == .stalled)
        // Its time began only when the first was gone.
        #expect(third.value == .stalled)
        #expect(server.heads.map(\.start) == ["GET /first HTTP/1.1", "GET /third HTTP/1.1"])
    }
}
