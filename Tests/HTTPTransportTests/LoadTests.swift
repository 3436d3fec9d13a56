import Runtime
import Testing

@testable import HTTPTransport

/// Many exchanges at once.
@Suite struct LoadTests {
    @Test("200 exchanges over at most 16 connections all complete", arguments: [200, 1000])
    func manyExchanges(count: Int) throws {
        let server = try ScriptedServer { connection in
            while let head = connection.readHead() {
                let body = connection.readBody(head.contentLength)
                connection.send(ok(head.start + " \(body.count)"))
            }
        }
        let transport = CurlTransport(.test(connections: 16))
        defer { transport.stop() }
        let exchanges = (0..<count).map { number in
            Background {
                let body = number % 2 == 0 ? nil : Pattern(count: Int64(number) * 100)
                let method = body == nil ? "GET" : "PUT"
                let text = try transport.answer(method, server.url("/\(number)"), body: body).text
                return text == "\(method) /\(number) HTTP/1.1 \(body?.count ?? 0)"
            }
        }
        #expect(exchanges.allSatisfy { $0.value == true })
        #expect(server.peakConnections <= 16)
        #expect(server.heads.count == count)
    }

    @Test("exchanges that are cancelled at random moments all end, and the rest complete") func randomCancellation()
        throws
    {
        let server = try ScriptedServer { connection in
            while let head = connection.readHead() {
                _ = connection.readBody(head.contentLength)
                connection.send(ok(String(repeating: "x", count: 50_000)))
            }
        }
        let transport = CurlTransport(.test(connections: 8))
        defer { transport.stop() }
        var state: UInt64 = 42
        let exchanges = (0..<300).map { number in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let isCancelled = number % 3 == 0
            let spins = Int(state >> 50)
            return Background {
                let cancellation = Cancellation()
                let canceller =
                    isCancelled
                    ? Background {
                        spin(spins); cancellation.cancel(); return true
                    } : nil
                defer { _ = canceller?.value }
                do {
                    return try transport.answer(
                        "PUT", server.url("/"), body: Pattern(count: 10_000), cancellation: cancellation
                    )
                    .count == 50_000
                } catch {
                    return isCancelled && (error as? TransportError)?.kind == .cancelled
                }
            }
        }
        #expect(exchanges.allSatisfy { $0.value == true })
    }
}

/// Passes a short time without sleeping.
private func spin(_ rounds: Int) { for _ in 0..<rounds { _ = Deadline.now } }
