import Checksums
import ObjectStore
import Runtime
import Testing

@testable import OSSClient

@Suite struct PartTests {
    private let content = "The quick brown fox"
    private var crc: UInt64 {
        var crc = CRC64()
        crc.update(Array(content.utf8))
        return crc.value
    }
    private var good: Step { .reply(200, ["ETag": "\"p\"", "x-oss-hash-crc64ecma": String(crc)]) }
    private var wrong: Step { .reply(200, ["ETag": "\"p\"", "x-oss-hash-crc64ecma": "1", "x-oss-request-id": "R"]) }
    private let address = UploadAddress(key: ObjectKey("a b/中+".utf8), id: UploadID("I&D".utf8))
    private let copied =
        "<CopyPartResult><LastModified>2026-09-21T14:13:25.000Z</LastModified><ETag>\"c\"</ETag></CopyPartResult>"

    private func number(_ value: Int = 3) throws -> PartNumber { try #require(PartNumber(value)) }

    private func send(_ fixture: Fixture, known: UInt64? = nil) throws -> Result<PartResult, ObjectStoreError> {
        let number = try number()
        do throws(ObjectStoreError) {
            return .success(
                try fixture.client.uploadPart(
                    address, number, body: TextBody(content, crc64: known), fixture.context))
        } catch {
            return .failure(error)
        }
    }

    private func copy(
        _ fixture: Fixture, _ source: PartCopySource, _ context: RequestContext? = nil
    ) throws -> Result<PartResult, ObjectStoreError> {
        let number = try number()
        do throws(ObjectStoreError) {
            return .success(
                try fixture.client.copyPart(address, number, from: source, context ?? fixture.context))
        } catch {
            return .failure(error)
        }
    }

    private func kind(_ result: Result<PartResult, ObjectStoreError>) -> ObjectStoreErrorKind? {
        if case .failure(let error) = result { return error.kind }
        return nil
    }

    @Test("numbers of parts are those from 1 to 10,000")
    func numbers() {
        for (value, isOne) in [(0, false), (1, true), (10_000, true), (10_001, false), (-1, false), (Int.max, false)] {
            #expect((PartNumber(value) != nil) == isOne, "\(value)")
        }
    }

    @Test("a part goes out whole under its number and upload, and its checksum is compared")
    func sent() throws {
        let fixture = try Fixture([good])
        let result = try send(fixture).get()
        #expect(try result == PartResult(number: number(), etag: ETag("\"p\"".utf8), size: 19, crc64: crc))
        let sent = try #require(fixture.transport.sent.first)
        #expect(sent.request.method == "PUT" && text(sent.body) == content)
        #expect(
            text(sent.request.url)
                == "http://127.0.0.1:9000/photos/a%20b/%E4%B8%AD%2B?partNumber=3&uploadId=I%26D")
    }

    @Test("a part whose answer was lost, or whose checksum differs, is sent again, whole")
    func repeated() throws {
        for step in [Step.fail(.connectionLost), .reply(500, [:]), wrong, .reply(200, [:])] {
            let fixture = try Fixture([step, good])
            #expect(try send(fixture).get().crc64 == crc)
            #expect(fixture.transport.sent.map { text($0.body) } == [content, content])
        }
    }

    @Test("a checksum that goes on to differ is corruption")
    func corrupted() throws {
        let fixture = try Fixture([wrong, wrong, wrong, good])
        guard case .failure(let error) = try send(fixture) else {
            Issue.record("no error")
            return
        }
        #expect(error.kind == .corrupted && error.requestID == "R" && error.message.contains("part 3"))
        #expect(fixture.transport.sent.count == 3)
        #expect(try kind(send(Fixture([good, good, good]), known: 5)) == .corrupted, "the caller's checksum counts")
    }

    @Test("a part of an upload that is gone is not sent again, even after a lost answer")
    func gone() throws {
        let gone = Step.reply(404, [:], errorDocument("NoSuchUpload"))
        #expect(try kind(send(Fixture([gone]))) == .noSuchUpload)
        #expect(try kind(send(Fixture([.fail(.connectionLost), gone]))) == .noSuchUpload)
    }

    @Test("a copied part names its source encoded, its range and its version")
    func copiedRange() throws {
        let fixture = try Fixture([.fail(.connectionLost), .reply(200, ["x-oss-hash-crc64ecma": "9"], copied)])
        let source = PartCopySource(key: ObjectKey("s/+ é".utf8), range: 10..<30, ifMatch: ETag("\"v\"".utf8))
        let result = try copy(fixture, source).get()
        #expect(try result == PartResult(number: number(), etag: ETag("\"c\"".utf8), size: 20, crc64: 9))
        let sent = try #require(fixture.transport.sent.last)
        #expect(sent.header("x-oss-copy-source") == "/photos/s/%2B%20%C3%A9")
        #expect(sent.header("x-oss-copy-source-range") == "bytes=10-29")
        #expect(sent.header("x-oss-copy-source-if-match") == "\"v\"")
        #expect(sent.request.body?.count == 0)
        #expect(fixture.transport.sent.map(\.request.method) == ["PUT", "PUT"])
    }

    @Test("a copy of the whole asks for its size, and is of the version that had it")
    func copiedWhole() throws {
        let head = Step.reply(200, objectHeaders("hello", etag: "\"v1\""))
        let changed = Step.reply(412, [:], errorDocument("PreconditionFailed"))
        let fixture = try Fixture([
            head, changed, .reply(200, objectHeaders("hello you", etag: "\"v2\"")), .reply(200, [:], copied),
        ])
        let source = PartCopySource(key: key("s"))
        #expect(try copy(fixture, source).get().size == 9)
        #expect(fixture.transport.sent.map(\.request.method) == ["HEAD", "PUT", "HEAD", "PUT"])
        let versions = fixture.transport.sent.map { $0.header("x-oss-copy-source-if-match") }
        #expect(versions == [nil, "\"v1\"", nil, "\"v2\""])
        #expect(fixture.transport.sent.allSatisfy { $0.header("x-oss-copy-source-range") == nil })
        let pinned = PartCopySource(key: key("s"), ifMatch: ETag("\"v1\"".utf8))
        #expect(try kind(copy(Fixture([head, changed]), pinned)) == .preconditionFailed)
    }

    @Test("an absent or changed source and an upload that is gone are told apart")
    func copyErrors() throws {
        let source = PartCopySource(key: key("s"), range: 0..<5, ifMatch: ETag("\"v\"".utf8))
        for (status, code, expected) in [
            (404, "NoSuchKey", ObjectStoreErrorKind.notFound), (412, "PreconditionFailed", .preconditionFailed),
            (404, "NoSuchUpload", .noSuchUpload), (416, "InvalidRange", .invalidRange),
            (403, "InvalidObjectState", .archived), (400, "OperationNotSupported", .unsupported),
        ] {
            let fixture = try Fixture([.reply(status, [:], errorDocument(code))])
            #expect(try kind(copy(fixture, source)) == expected)
            #expect(fixture.transport.sent.count == 1)
        }
        for range in [Int64(5)..<5, -1..<5] {
            #expect(try kind(copy(Fixture([]), PartCopySource(key: key("s"), range: range))) == .invalidRequest)
        }
        #expect(try kind(copy(Fixture([.reply(200, [:], "<html/>"), .reply(200, [:], copied)]), source)) == nil)
    }

    @Test("the time of one attempt at a copy grows with the bytes to be copied")
    func copyTime() throws {
        let fixture = try Fixture([.reply(200, [:], copied), .reply(200, [:], copied)])
        let now = fixture.time.monotonic
        let context = RequestContext(deadline: now.advanced(by: .seconds(10_000)))
        let gibibyte: Int64 = 1 << 30
        _ = try copy(fixture, PartCopySource(key: key("s"), range: 0..<1), context).get()
        _ = try copy(fixture, PartCopySource(key: key("s"), range: 0..<5 * gibibyte), context).get()
        let sent = fixture.transport.sent
        #expect(sent.map(\.deadline) == [120, 760].map { now.advanced(by: .seconds($0)) })
        #expect(sent.map(\.request.stallTimeout) == [.seconds(120), .seconds(760)])
    }
}
