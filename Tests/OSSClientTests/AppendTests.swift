import Checksums
import ObjectStore
import Testing

@testable import OSSClient

@Suite struct AppendTests {
    private let base = "before "
    private let content = "appended"

    private func crc(_ text: String) -> UInt64 {
        var crc = CRC64()
        crc.update(Array(text.utf8))
        return crc.value
    }

    private var end: Int64 { Int64(base.utf8.count + content.utf8.count) }
    private var position: Int64 { Int64(base.utf8.count) }

    private var good: Step {
        .reply(
            200,
            [
                "ETag": "\"v2\"", "x-oss-hash-crc64ecma": String(crc(base + content)),
                "x-oss-next-append-position": String(end),
            ])
    }

    private func refused(end: Int64) -> Step {
        .reply(
            409, ["x-oss-next-append-position": String(end)],
            errorDocument("PositionNotEqualToLength"))
    }

    /// What a HEAD of the appendable object tells.
    private func found(_ text: String, crc: UInt64? = nil, type: String = "Appendable") -> Step {
        var headers = objectHeaders(text, crc: crc ?? self.crc(text))
        headers["x-oss-object-type"] = type
        return .reply(200, headers)
    }

    private func append(
        _ fixture: Fixture, at position: Int64? = nil, knows: Bool = true
    ) -> Result<AppendResult, ObjectStoreError> {
        let position = position ?? self.position
        let request = AppendRequest(
            key: key("log"), position: position, crc64: knows && position > 0 ? crc(base) : nil,
            metadata: ObjectMetadata(user: ["a": [0x62]]))
        do throws(ObjectStoreError) {
            return .success(try fixture.client.append(request, body: TextBody(content), fixture.context))
        } catch {
            return .failure(error)
        }
    }

    private func error(_ result: Result<AppendResult, ObjectStoreError>) -> ObjectStoreError? {
        if case .failure(let error) = result { return error }
        return nil
    }

    @Test("the bytes go to their position, and the checksum of the whole is compared")
    func simple() throws {
        let fixture = try Fixture([good])
        let result = try append(fixture).get()
        #expect(result.position == end && result.crc64 == crc(base + content))
        let sent = try #require(fixture.transport.sent.first)
        #expect(sent.request.method == "POST" && text(sent.body) == content)
        #expect(text(sent.request.url) == "http://127.0.0.1:9000/photos/log?append&position=7")
        #expect(sent.header("x-oss-meta-a") == "b")
    }

    @Test("another position is refused and the right one told, without a repeat")
    func wrongPosition() throws {
        let fixture = try Fixture([refused(end: 3)])
        let error = error(append(fixture))
        #expect(error?.kind == .preconditionFailed && error?.appendPosition == 3)
        #expect(fixture.transport.sent.count == 1)
    }

    @Test(
        "a lost answer is looked for before anything is sent again",
        arguments: [Step.fail(.connectionLost), .fail(.stalled), .reply(500, [:]), .reply(503, [:])])
    func lostAnswer(_ lost: Step) throws {
        let done = try Fixture([lost, found(base + content)])
        #expect(try append(done).get().position == end)
        #expect(done.transport.sent.map(\.request.method) == ["POST", "HEAD"])
        let notDone = try Fixture([lost, found(base), good])
        #expect(try append(notDone).get().position == end)
        #expect(notDone.transport.sent.map(\.request.method) == ["POST", "HEAD", "POST"])
    }

    @Test("what never reached the server is sent again without looking")
    func neverSent() throws {
        let fixture = try Fixture([.fail(.cannotConnect, reached: false), good])
        #expect(try append(fixture).get().position == end)
        #expect(fixture.transport.sent.map(\.request.method) == ["POST", "POST"])
    }

    @Test("an append that comes to pass after it was looked for is found at the refusal of its repeat")
    func lateEffect() throws {
        let fixture = try Fixture([.fail(.stalled), found(base), refused(end: end), found(base + content)])
        #expect(try append(fixture).get().position == end)
        #expect(fixture.transport.sent.map(\.request.method) == ["POST", "HEAD", "POST", "HEAD"])
    }

    @Test("an answer that the transport lost and made up for by itself counts as lost")
    func silentRepeat() throws {
        let twice = Step.replyToSecond(
            409, ["x-oss-next-append-position": String(end)], errorDocument("PositionNotEqualToLength"))
        #expect(try append(Fixture([twice, found(base + content)])).get().position == end)
    }

    @Test("somebody else's bytes are not taken for ours")
    func others() throws {
        let lost = Step.fail(.connectionLost)
        for (step, end) in [
            (found(base + "APPENDED"), end), (found(base + content + "more"), end + 4), (found("short"), 5),
            (found(base + content, type: "Normal"), end),
        ] {
            let fixture = try Fixture([lost, step])
            let error = error(append(fixture))
            #expect(error?.kind == .preconditionFailed && error?.appendPosition == end)
            #expect(fixture.transport.stepsLeft == 0)
        }
    }

    @Test("where the checksum before is unknown the length decides")
    func unknownChecksum() throws {
        let fixture = try Fixture([.fail(.connectionLost), found(base + content, crc: 5)])
        #expect(try append(fixture, knows: false).get().crc64 == 5)
    }

    @Test("the first append is sent again where there is no object, and a later one isn't")
    func absent() throws {
        let absent = Step.reply(404, ["x-oss-request-id": "R"])
        let made = Step.reply(200, ["x-oss-hash-crc64ecma": String(crc(content)), "x-oss-next-append-position": "8"])
        #expect(try append(Fixture([.fail(.connectionLost), absent, made]), at: 0).get().position == 8)
        #expect(try error(append(Fixture([.fail(.connectionLost), absent])))?.kind == .notFound)
    }

    @Test("a look that fails itself is repeated, and nothing is sent meanwhile")
    func failingLook() throws {
        let fixture = try Fixture([.fail(.connectionLost), .fail(.stalled), .reply(500, [:]), found(base + content)])
        #expect(try append(fixture).get().position == end)
        #expect(fixture.transport.sent.map(\.request.method) == ["POST", "HEAD", "HEAD", "HEAD"])
    }

    @Test("a wrong checksum is told and never mended by another append")
    func corrupted() throws {
        let wrong = Step.reply(200, ["x-oss-hash-crc64ecma": "1", "x-oss-next-append-position": String(end)])
        let fixture = try Fixture([wrong, good])
        #expect(error(append(fixture))?.kind == .corrupted)
        #expect(fixture.transport.sent.count == 1)
    }

    @Test("an object of another kind does not grow")
    func notAppendable() throws {
        #expect(
            try error(append(Fixture([.reply(409, [:], errorDocument("ObjectNotAppendable"))])))?.kind == .unsupported)
    }
}
