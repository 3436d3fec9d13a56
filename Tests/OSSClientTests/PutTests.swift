import Checksums
import ObjectStore
import Testing

@testable import OSSClient

@Suite struct PutTests {
    private let content = "The quick brown fox"
    private var crc: UInt64 {
        var crc = CRC64()
        crc.update(Array(content.utf8))
        return crc.value
    }

    private var good: Step { .reply(200, ["ETag": "\"v1\"", "x-oss-hash-crc64ecma": String(crc)]) }
    private var exists: Step { .reply(409, [:], errorDocument("FileAlreadyExists")) }

    private func put(
        _ fixture: Fixture, metadata: ObjectMetadata = ObjectMetadata(), forbid: Bool = false, known: UInt64? = nil
    ) -> Result<WriteResult, ObjectStoreError> {
        do throws(ObjectStoreError) {
            return .success(
                try fixture.client.put(
                    PutRequest(key: key("a"), metadata: metadata, forbidOverwrite: forbid),
                    body: TextBody(content, crc64: known), fixture.context))
        } catch {
            return .failure(error)
        }
    }

    private func kind(_ result: Result<WriteResult, ObjectStoreError>) -> ObjectStoreErrorKind? {
        if case .failure(let error) = result { return error.kind }
        return nil
    }

    @Test("the bytes go out whole, with a type even where none was given, and the checksum is compared")
    func simple() throws {
        let fixture = try Fixture([good])
        let result = try put(fixture).get()
        #expect(result.etag == ETag("\"v1\"".utf8) && result.crc64 == crc)
        let sent = try #require(fixture.transport.sent.first)
        #expect(text(sent.body) == content)
        #expect(sent.request.method == "PUT")
        #expect(sent.header("Content-Type") == "application/octet-stream")
        #expect(sent.header("x-oss-forbid-overwrite") == nil)
    }

    @Test("an empty object is put with an empty body")
    func empty() throws {
        let fixture = try Fixture([.reply(200, ["ETag": "\"e\"", "x-oss-hash-crc64ecma": "0"])])
        _ = try fixture.client.put(PutRequest(key: key("d/")), body: TextBody(""), fixture.context)
        #expect(fixture.transport.sent.first?.request.body?.count == 0)
    }

    @Test("metadata goes out under the service's names")
    func metadata() throws {
        let fixture = try Fixture([good])
        let metadata = ObjectMetadata(
            contentType: Array("image/jpeg".utf8),
            contentHeaders: ["cache-control": Array("no-cache".utf8), "expires": Array("x".utf8)],
            user: ["mode": Array("33188".utf8), "mtime": Array("1.5".utf8)])
        _ = try put(fixture, metadata: metadata).get()
        let sent = try #require(fixture.transport.sent.first)
        #expect(sent.header("Content-Type") == "image/jpeg")
        #expect(sent.header("Cache-Control") == "no-cache" && sent.header("Expires") == "x")
        #expect(sent.header("x-oss-meta-mode") == "33188" && sent.header("x-oss-meta-mtime") == "1.5")
    }

    @Test("values that would begin another header, and names that aren't any, are never sent")
    func injection() throws {
        for value in ["a\r\nx-oss-acl: public", "a\nb", "a\0b", "a\rb", "\u{7F}"] {
            let fixture = try Fixture([])
            #expect(kind(put(fixture, metadata: ObjectMetadata(user: ["a": Array(value.utf8)]))) == .invalidRequest)
            #expect(kind(put(fixture, metadata: ObjectMetadata(contentType: Array(value.utf8)))) == .invalidRequest)
            #expect(fixture.transport.sent.isEmpty)
        }
        for name in ["", "a_b", "a b", "a:b", "é"] {
            #expect(try kind(put(Fixture([]), metadata: ObjectMetadata(user: [name: []]))) == .invalidRequest)
        }
    }

    @Test("a put whose answer was lost is sent again, whole")
    func repeated() throws {
        let fixture = try Fixture([.fail(.connectionLost), .reply(500, [:]), good])
        _ = try put(fixture).get()
        #expect(fixture.transport.sent.map { text($0.body) } == [content, content, content])
    }

    @Test("a checksum that differs is repeated, then told as corruption")
    func corrupted() throws {
        let wrong = Step.reply(200, ["ETag": "\"v1\"", "x-oss-hash-crc64ecma": "1", "x-oss-request-id": "R"])
        #expect(try put(Fixture([wrong, good])).get().crc64 == crc)
        let fixture = try Fixture([wrong, wrong, wrong, good])
        guard case .failure(let error) = put(fixture) else {
            Issue.record("no error")
            return
        }
        #expect(error.kind == .corrupted && error.requestID == "R")
        #expect(fixture.transport.sent.count == 3)
        #expect(try kind(put(Fixture([good, good, good]), known: 5)) == .corrupted, "the caller's own checksum counts")
    }

    @Test("an existing object is left alone where that was asked for")
    func forbidden() throws {
        let fixture = try Fixture([exists])
        #expect(kind(put(fixture, forbid: true)) == .alreadyExists)
        #expect(fixture.transport.sent.map { $0.header("x-oss-forbid-overwrite") } == ["true"])
    }

    @Test("what exists after a lost answer is ours where size, checksum and metadata are", arguments: [true, false])
    func lostAnswer(byTransport: Bool) throws {
        let lost = byTransport ? Step.fail(.connectionLost) : Step.reply(500, [:])
        let metadata = ObjectMetadata(user: ["ossmount-id": Array(" 7".utf8)])
        var ours = objectHeaders(content, crc: crc)
        ours["X-Oss-Meta-Ossmount-Id"] = "7"
        let fixture = try Fixture([lost, exists, .reply(200, ours)])
        #expect(try put(fixture, metadata: metadata, forbid: true).get().etag == ETag("\"v1\"".utf8))
        #expect(fixture.transport.sent.map(\.request.method) == ["PUT", "PUT", "HEAD"])
        for other in [
            objectHeaders(content, crc: crc), objectHeaders(content, crc: 1), objectHeaders("x", crc: crc),
            objectHeaders(content),
        ] {
            let theirs = try Fixture([lost, exists, .reply(200, other)])
            #expect(kind(put(theirs, metadata: metadata, forbid: true)) == .alreadyExists)
        }
        #expect(
            try kind(put(Fixture([lost, exists, .reply(404, ["x-oss-request-id": "R"])]), forbid: true))
                == .alreadyExists)
    }

    @Test("an answer that the transport lost and made up for by itself counts as lost too")
    func silentRepeat() throws {
        let fixture = try Fixture([
            .replyToSecond(409, [:], errorDocument("FileAlreadyExists")), .reply(200, objectHeaders(content, crc: crc)),
        ])
        #expect(try put(fixture, forbid: true).get().crc64 == crc)
    }

    @Test("a refusal without a lost answer before it is somebody else's object")
    func notOurs() throws {
        let fixture = try Fixture([.fail(.cannotConnect, reached: false), exists])
        #expect(kind(put(fixture, forbid: true)) == .alreadyExists)
        #expect(fixture.transport.sent.count == 2, "no HEAD")
    }

    @Test("after a wrong checksum the object is our own to replace")
    func replacesOwn() throws {
        let wrong = Step.reply(200, ["ETag": "\"v1\"", "x-oss-hash-crc64ecma": "1"])
        let fixture = try Fixture([wrong, good])
        _ = try put(fixture, forbid: true).get()
        #expect(fixture.transport.sent.map { $0.header("x-oss-forbid-overwrite") } == ["true", nil])
    }

    @Test("a server without checksums is taken at its word")
    func noChecksum() throws {
        #expect(try put(Fixture([.reply(200, ["ETag": "\"v1\""])])).get().crc64 == nil)
    }

    @Test("too large, refused and unknown answers have their kinds")
    func errors() throws {
        #expect(try kind(put(Fixture([.reply(400, [:], errorDocument("EntityTooLarge"))]))) == .tooLarge)
        #expect(try kind(put(Fixture([.reply(403, [:], errorDocument("AccessDenied"))]))) == .accessDenied)
        #expect(try kind(put(Fixture([Step](repeating: .reply(701, [:]), count: 5)))) == .unexpected)
    }
}
