import Checksums
import ObjectStore
import Testing

@testable import OSSClient

@Suite struct GetTests {
    private let content = "The quick brown fox"
    private var crc: UInt64 {
        var crc = CRC64()
        crc.update(Array(content.utf8))
        return crc.value
    }

    private func ranged(_ range: Range<Int>, etag: String = "\"v1\"", total: Int? = nil) -> ([String: String], String) {
        let slice = String(content.dropFirst(range.lowerBound).prefix(range.count))
        var headers = objectHeaders(slice, crc: crc, etag: etag)
        headers["Content-Range"] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total ?? content.count)"
        return (headers, slice)
    }

    private func get(
        _ fixture: Fixture, _ receiver: CollectingReceiver = CollectingReceiver(), range: ByteRange? = nil,
        ifMatch: String? = nil
    ) -> Result<ObjectInfo, ObjectStoreError> {
        do throws(ObjectStoreError) {
            return .success(
                try fixture.client.get(
                    GetRequest(key: key("a"), range: range, ifMatch: ifMatch.map { ETag($0.utf8) }), into: receiver,
                    fixture.context))
        } catch {
            return .failure(error)
        }
    }

    private func kind(_ result: Result<ObjectInfo, ObjectStoreError>) -> ObjectStoreErrorKind? {
        if case .failure(let error) = result { return error.kind }
        return nil
    }

    @Test("a whole object arrives in order after its headers, and its checksum is compared")
    func whole() throws {
        let fixture = try Fixture([.reply(200, objectHeaders(content, crc: crc), content)])
        let receiver = CollectingReceiver()
        let info = try get(fixture, receiver).get()
        #expect(info.size == 19 && info.crc64 == crc && info.etag == ETag("\"v1\"".utf8))
        #expect(receiver.content == content)
        #expect(receiver.begun == [info])
        #expect(fixture.transport.sent.first?.header("Range") == nil)
        #expect(fixture.transport.sent.first?.header("Accept-Encoding") == nil)
    }

    @Test("an empty object has headers and no bytes")
    func empty() throws {
        let fixture = try Fixture([.reply(200, objectHeaders("", crc: 0))])
        let receiver = CollectingReceiver()
        #expect(try get(fixture, receiver).get().size == 0)
        #expect(receiver.begun.count == 1 && receiver.content.isEmpty)
    }

    @Test("a range asks for standard behaviour, and tells the size of the whole")
    func range() throws {
        let (headers, slice) = ranged(4..<9)
        let fixture = try Fixture([.reply(206, headers, slice)])
        let receiver = CollectingReceiver()
        let info = try get(fixture, receiver, range: 4..<9, ifMatch: "\"v1\"").get()
        #expect(info.size == 19)
        #expect(receiver.content == "quick" && receiver.firstOffset == 4)
        let sent = try #require(fixture.transport.sent.first)
        #expect(sent.header("Range") == "bytes=4-8")
        #expect(sent.header("x-oss-range-behavior") == "standard")
        #expect(sent.header("If-Match") == "\"v1\"")
    }

    @Test("a range past the end is cut there, one from the end on is refused, an empty one is never sent")
    func rangeEnds() throws {
        let (headers, slice) = ranged(10..<19)
        let receiver = CollectingReceiver()
        _ = try get(Fixture([.reply(206, headers, slice)]), receiver, range: 10..<1000).get()
        #expect(receiver.content == "brown fox")
        let past = try Fixture([.reply(416, [:], errorDocument("InvalidRange"))])
        #expect(kind(get(past, range: 19..<20)) == .invalidRange)
        let none = try Fixture([])
        #expect(kind(get(none, range: 5..<5)) == .invalidRequest)
        #expect(none.transport.sent.isEmpty)
    }

    @Test("a broken body goes on where it broke, pinned to its version, and the checksum covers both parts")
    func resume() throws {
        let (headers, rest) = ranged(10..<19)
        let (last, end) = ranged(15..<19)
        let fixture = try Fixture([
            .reply(503, [:]), .cut(200, objectHeaders(content, crc: crc), "The quick ", .bodyTooShort),
            .fail(.cannotConnect, reached: false), .cut(206, headers, String(rest.prefix(5)), .connectionLost),
            .reply(206, last, end),
        ])
        let receiver = CollectingReceiver()
        let info = try get(fixture, receiver).get()
        #expect(receiver.content == content)
        #expect(receiver.begun == [info])
        #expect(
            fixture.transport.sent.map { $0.header("Range") }
                == [nil, nil, "bytes=10-18", "bytes=10-18", "bytes=15-18"])
        #expect(fixture.transport.sent.map { $0.header("If-Match") } == [nil, nil, "\"v1\"", "\"v1\"", "\"v1\""])
        #expect(fixture.time.pauses[1...] == [.milliseconds(100), .milliseconds(200), .milliseconds(100)])
    }

    @Test("a connection that breaks after the last byte has brought everything")
    func brokenAfterEnd() throws {
        let fixture = try Fixture([.cut(200, objectHeaders(content, crc: crc), content, .connectionLost)])
        _ = try get(fixture).get()
        #expect(fixture.transport.sent.count == 1)
    }

    @Test("another version midway ends the get, whether the server notices or not")
    func replacedMidway() throws {
        let cut = Step.cut(200, objectHeaders(content, crc: crc), "The ", .connectionLost)
        let noticed = try Fixture([cut, .reply(412, [:], errorDocument("PreconditionFailed"))])
        #expect(kind(get(noticed)) == .preconditionFailed)
        let (headers, rest) = ranged(4..<19, etag: "\"v2\"")
        let receiver = CollectingReceiver()
        let unnoticed = try Fixture([cut, .reply(206, headers, rest)])
        #expect(kind(get(unnoticed, receiver)) == .preconditionFailed)
        #expect(receiver.content == "The ")
        let first = try Fixture([.reply(200, objectHeaders(content, etag: "\"v2\""), content)])
        #expect(kind(get(first, ifMatch: "\"v1\"")) == .preconditionFailed)
    }

    @Test("bytes that differ from the server's checksum are never taken for good")
    func corrupted() throws {
        let fixture = try Fixture([.reply(200, objectHeaders(content, crc: crc &+ 1), content)])
        guard case .failure(let error) = get(fixture) else {
            Issue.record("no error")
            return
        }
        #expect(error.kind == .corrupted && error.isRetryable)
        #expect(fixture.transport.sent.count == 1, "what was handed on can't be taken back")
    }

    @Test("an answer that isn't what was asked for is not taken, and asked for again")
    func wrongAnswers() throws {
        let (headers, slice) = ranged(4..<9)
        var shifted = headers
        shifted["Content-Range"] = "bytes 5-9/19"
        var short = headers
        short["Content-Range"] = "bytes 4-7/19"
        var unversioned = headers
        unversioned["ETag"] = nil
        for (status, wrong) in [
            (200, objectHeaders(content)), (206, shifted), (206, short), (206, unversioned), (206, [:]),
        ] {
            let fixture = try Fixture([.reply(status, wrong, slice), .reply(206, headers, slice)])
            let receiver = CollectingReceiver()
            _ = try get(fixture, receiver, range: 4..<9).get()
            #expect(receiver.content == "quick")
            #expect(fixture.transport.sent.count == 2)
        }
        let never = try Fixture([Step](repeating: .reply(200, objectHeaders(content), content), count: 9))
        #expect(kind(get(never, range: 4..<9)) == .unexpected)
        #expect(never.transport.sent.count == 3)
    }

    @Test("a body longer than it said is not taken for good")
    func tooLong() throws {
        let (headers, slice) = ranged(4..<9)
        let fixture = try Fixture([.reply(206, headers, slice + "and more")])
        let receiver = CollectingReceiver()
        #expect(kind(get(fixture, receiver, range: 4..<9)) == .unexpected)
        #expect(receiver.content == "quick")
    }

    @Test("a receiver that wants no more ends the get without a repeat")
    func receiverStops() throws {
        let fixture = try Fixture([.reply(200, objectHeaders(content), content)])
        #expect(kind(get(fixture, CollectingReceiver(limit: 5))) == .cancelled)
        #expect(fixture.transport.sent.count == 1)
    }

    @Test("an absent object and an archived one are told apart, and nothing is handed on")
    func errors() throws {
        let receiver = CollectingReceiver()
        #expect(try kind(get(Fixture([.reply(404, [:], errorDocument("NoSuchKey"))]), receiver)) == .notFound)
        #expect(try kind(get(Fixture([.reply(404, [:], errorDocument("NoSuchBucket"))]), receiver)) == .noSuchBucket)
        #expect(try kind(get(Fixture([.reply(403, [:], errorDocument("InvalidObjectState"))]), receiver)) == .archived)
        #expect(receiver.begun.isEmpty)
    }
}
