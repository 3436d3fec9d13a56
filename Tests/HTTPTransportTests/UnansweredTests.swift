import Runtime
import Testing

@testable import HTTPTransport

/// Connections that the server closes without a byte of an answer, while or after the request goes up.
@Suite struct UnansweredTests {
    enum Reading: CaseIterable { case firstByte, head, partOfBody, wholeBody }
    enum Ending: CaseIterable { case finishes, closes, resets }

    /// Closes without an answer every connection once it has read as `reading` tells; kept ones after one good answer.
    private static func server(_ reading: Reading, _ ending: Ending, isKept: Bool) throws -> ScriptedServer {
        try ScriptedServer { connection in
            if isKept { Self.answerWell(connection) }
            switch reading {
            case .firstByte: connection.closeAfterNextByte()
            case .head: _ = connection.readHead()
            case .partOfBody:
                guard let head = connection.readHead() else { return }
                _ = connection.readBody(head.contentLength / 2)
            case .wholeBody:
                guard let head = connection.readHead() else { return }
                _ = connection.readBody(head.contentLength)
            }
            switch ending {
            case .finishes: connection.finish()
            case .closes: break
            case .resets: connection.reset()
            }
        }
    }

    private static func answerWell(_ connection: ServerConnection) {
        guard let head = connection.readHead() else { return }
        let check = PatternCheck()
        connection.readBody(head.contentLength) { $0.withUnsafeBytes { check.take($0) } }
        connection.send(ok(check.isRight ? "\(check.offset)" : "wrong"))
    }

    /// Runs `work`, which must not take the stall timeout.
    private func isQuick(_ work: () throws -> Void) rethrows -> Bool {
        let start = Deadline.now
        try work()
        return Deadline.now.nanoseconds - start.nanoseconds < 2_000_000_000
    }

    @Test(
        "an upload over a kept connection that closes without an answer is sent again at once, whole",
        arguments: Reading.allCases, Ending.allCases)
    func kept(reading: Reading, ending: Ending) throws {
        let server = try Self.server(reading, ending, isKept: true)
        for size: Int64 in [0, 5000, 300_000, 3 << 20] {
            for _ in 0..<4 {
                let transport = CurlTransport(.test())
                defer { transport.stop() }
                try transport.answer("PUT", server.url("/first"), body: Pattern(count: 100))
                let isQuick = try isQuick {
                    let again = try transport.answer("PUT", server.url("/again"), body: Pattern(count: size))
                    #expect(again.text == "\(size)")
                    #expect(again.head?.wasSentAgain == true)
                }
                #expect(isQuick, "\(size) bytes")
            }
        }
    }

    @Test(
        "an upload over a new connection that closes without an answer is a lost connection at once",
        arguments: Reading.allCases, Ending.allCases)
    func new(reading: Reading, ending: Ending) throws {
        let server = try Self.server(reading, ending, isKept: false)
        for size: Int64 in [0, 5000, 300_000, 3 << 20] {
            for _ in 0..<4 {
                let transport = CurlTransport(.test())
                defer { transport.stop() }
                let isQuick = try isQuick {
                    let error = try transport.failure("PUT", server.url("/"), body: Pattern(count: size))
                    #expect(error.kind == .connectionLost)
                    #expect(error.mayHaveReachedServer)
                }
                #expect(isQuick, "\(size) bytes")
            }
        }
    }
}
