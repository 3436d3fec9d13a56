import Instrumentation
import ObjectStore
import Testing

@testable import OSSClient

@Suite struct ObjectTests {
    private let copied =
        "<CopyObjectResult><LastModified>2026-09-21T14:13:25.000Z</LastModified><ETag>\"v2\"</ETag></CopyObjectResult>"

    private func copy(_ fixture: Fixture, _ request: CopyRequest) -> Result<WriteResult, ObjectStoreError> {
        do throws(ObjectStoreError) {
            return .success(try fixture.client.copy(request, fixture.context))
        } catch {
            return .failure(error)
        }
    }

    private func kind(_ result: Result<WriteResult, ObjectStoreError>) -> ObjectStoreErrorKind? {
        if case .failure(let error) = result { return error.kind }
        return nil
    }

    @Test("a HEAD tells everything of an object, names of metadata in lower case")
    func head() throws {
        var headers = objectHeaders("hello", crc: .max)
        headers["content-type"] = "image/png"
        headers["Cache-Control"] = "no-cache"
        headers["Content-Disposition"] = "inline"
        headers["X-OSS-Meta-MTime"] = "1.25"
        headers["x-oss-object-type"] = "Appendable"
        headers["x-oss-storage-class"] = "IA"
        let fixture = try Fixture([.reply(200, headers)])
        let info = try fixture.client.head(key("ä/b"), fixture.context)
        #expect(
            info
                == ObjectInfo(
                    size: 5, etag: ETag("\"v1\"".utf8), lastModified: WallTime(seconds: 1_790_000_000), crc64: .max,
                    type: .appendable, storageClass: Array("IA".utf8),
                    metadata: ObjectMetadata(
                        contentType: Array("image/png".utf8),
                        contentHeaders: [
                            "cache-control": Array("no-cache".utf8), "content-disposition": Array("inline".utf8),
                        ], user: ["mtime": Array("1.25".utf8)]),
                    serverDate: WallTime(seconds: 1_790_000_001)))
        let sent = try #require(fixture.transport.sent.first)
        #expect(text(sent.request.url) == "http://127.0.0.1:9000/photos/%C3%A4/b" && sent.request.method == "HEAD")
        #expect(sent.header("User-Agent") == "ossmount")
    }

    @Test("a HEAD without size, version or time is no answer")
    func incompleteHead() throws {
        for name in ["Content-Length", "ETag", "Last-Modified"] {
            var headers = objectHeaders("hello")
            headers[name] = nil
            let fixture = try Fixture([Step](repeating: .reply(200, headers), count: 5))
            let error = failure { () throws(ObjectStoreError) in try fixture.client.head(key("a"), fixture.context) }
            #expect(error?.kind == .unexpected, "\(name)")
        }
    }

    @Test("deleting is done as well where there was nothing, and not where there is no bucket")
    func delete() throws {
        for step in [Step.reply(204), .reply(404, [:], errorDocument("NoSuchKey"))] {
            let fixture = try Fixture([.fail(.connectionLost), step])
            try fixture.client.delete(key("a"), fixture.context)
            #expect(fixture.transport.sent.map(\.request.method) == ["DELETE", "DELETE"])
        }
        let fixture = try Fixture([.reply(404, [:], errorDocument("NoSuchBucket"))])
        let error = failure { () throws(ObjectStoreError) in try fixture.client.delete(key("a"), fixture.context) }
        #expect(error?.kind == .noSuchBucket)
    }

    @Test("a copy names its source encoded, keeps metadata or replaces all of it, and tells the new version")
    func copies() throws {
        let fixture = try Fixture([
            .reply(200, ["x-oss-hash-crc64ecma": "7"], copied), .reply(200, [:], copied),
        ])
        let kept = try copy(
            fixture,
            CopyRequest(
                source: key("a b/中+"), destination: key("c"), sourceIfMatch: ETag("\"v1\"".utf8),
                forbidOverwrite: true)
        ).get()
        #expect(kept.etag == ETag("\"v2\"".utf8) && kept.crc64 == 7)
        #expect(kept.lastModified == WallTime(seconds: 1_790_000_005))
        let first = fixture.transport.sent[0]
        #expect(first.header("x-oss-copy-source") == "/photos/a%20b/%E4%B8%AD%2B")
        #expect(first.header("x-oss-metadata-directive") == "COPY")
        #expect(first.header("x-oss-copy-source-if-match") == "\"v1\"")
        #expect(first.header("x-oss-forbid-overwrite") == "true" && first.header("Content-Type") == nil)
        #expect(first.request.body?.count == 0)
        _ = try copy(
            fixture,
            CopyRequest(
                source: key("c"), destination: key("c"), replacing: ObjectMetadata(user: ["mode": Array("1".utf8)]))
        ).get()
        let second = fixture.transport.sent[1]
        #expect(second.header("x-oss-metadata-directive") == "REPLACE")
        #expect(second.header("Content-Type") == "application/octet-stream")
        #expect(second.header("x-oss-meta-mode") == "1")
    }

    @Test("a copy that answers something else is repeated, and an absent or changed source is told")
    func copyErrors() throws {
        let plain = CopyRequest(source: key("a"), destination: key("b"))
        #expect(try kind(copy(Fixture([.reply(200, [:], "<html/>"), .reply(200, [:], copied)]), plain)) == nil)
        #expect(try kind(copy(Fixture([.reply(404, [:], errorDocument("NoSuchKey"))]), plain)) == .notFound)
        #expect(
            try kind(copy(Fixture([.reply(412, [:], errorDocument("PreconditionFailed"))]), plain))
                == .preconditionFailed)
    }

    @Test("a copy refused after its answer was lost is looked for at its destination")
    func lostCopy() throws {
        let forbidding = CopyRequest(source: key("a"), destination: key("b"), forbidOverwrite: true)
        let exists = Step.reply(409, [:], errorDocument("FileAlreadyExists"))
        let one = Step.reply(200, objectHeaders("hello", crc: 7))
        let other = Step.reply(200, objectHeaders("hello", crc: 8))
        #expect(try kind(copy(Fixture([.fail(.connectionLost), exists, one, one]), forbidding)) == nil)
        #expect(try kind(copy(Fixture([.fail(.connectionLost), exists, one, other]), forbidding)) == .alreadyExists)
        #expect(try kind(copy(Fixture([exists]), forbidding)) == .alreadyExists)
    }

    @Test("a change of metadata whose answer was lost may have changed the version that it asked for")
    func lostSelfCopy() throws {
        let change = CopyRequest(
            source: key("a"), destination: key("a"), sourceIfMatch: ETag("\"v1\"".utf8),
            replacing: ObjectMetadata(user: ["mode": Array("1".utf8)]))
        let changed = Step.reply(412, [:], errorDocument("PreconditionFailed"))
        var ours = objectHeaders("hello", crc: 7, etag: "\"v2\"")
        ours["x-oss-meta-mode"] = "1"
        #expect(
            try copy(Fixture([.fail(.stalled), changed, .reply(200, ours)]), change).get().etag == ETag("\"v2\"".utf8))
        let theirs = Step.reply(200, objectHeaders("hello", crc: 7, etag: "\"v2\""))
        #expect(try kind(copy(Fixture([.fail(.stalled), changed, theirs]), change)) == .preconditionFailed)
    }

    @Test("numbers and ranges of headers are read strictly")
    func numbers() {
        #expect(ReplyHeaders.number(Array("18446744073709551615".utf8)) == .max)
        for bad in ["", "18446744073709551616", "-1", "+1", " 1", "1 ", "0x1", "000000000000000000001"] {
            #expect(ReplyHeaders.number(Array(bad.utf8)) == nil, "\(bad)")
        }
        let range = ReplyHeaders.contentRange(Array("bytes 5-9/20".utf8))
        #expect(range?.bytes == 5..<10 && range?.total == 20)
        for bad in [
            "bytes 5-9/*", "bytes 9-5/20", "bytes 5-20/20", "items 5-9/20", "bytes 5/20", "bytes 5-9", "bytes -1-9/20",
        ] {
            #expect(ReplyHeaders.contentRange(Array(bad.utf8)) == nil, "\(bad)")
        }
    }
}
