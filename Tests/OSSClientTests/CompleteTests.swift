import ObjectStore
import Testing

@testable import OSSClient

@Suite struct CompleteTests {
    private let done =
        "<CompleteMultipartUploadResult><Location>l</Location><Bucket>photos</Bucket><Key>a</Key>"
        + "<ETag>\"AB-2\"</ETag></CompleteMultipartUploadResult>"
    private var good: Step { .reply(200, ["x-oss-hash-crc64ecma": "7"], done) }
    private let gone = Step.reply(404, [:], errorDocument("NoSuchUpload"))
    private let exists = Step.reply(409, [:], errorDocument("FileAlreadyExists"))
    private let absent = Step.reply(404, ["x-oss-request-id": "R"])
    private let parts =
        "<ListPartsResult><IsTruncated>false</IsTruncated></ListPartsResult>"

    private func object(
        _ content: String = "hello", crc: UInt64? = 7, etag: String = "\"AB-2\"", id: String? = nil
    ) -> Step {
        var headers = objectHeaders(content, crc: crc, etag: etag)
        headers["x-oss-meta-ossmount-id"] = id
        return .reply(200, headers)
    }

    private func request(_ change: (inout CompleteRequest) -> Void = { _ in }) throws -> CompleteRequest {
        let numbers = try [1, 10_000].map { try #require(PartNumber($0)) }
        var request = CompleteRequest(
            address: UploadAddress(key: key("a"), id: UploadID("ID+/1".utf8)),
            parts: zip(numbers, ["\"A\"", "\"<&>\r\""]).map { CompletedPart(number: $0, etag: ETag($1.utf8)) },
            size: 5, crc64: 7)
        change(&request)
        return request
    }

    private func complete(
        _ fixture: Fixture, _ change: (inout CompleteRequest) -> Void = { _ in }
    ) throws -> Result<WriteResult, ObjectStoreError> {
        let request = try request(change)
        do throws(ObjectStoreError) {
            return .success(try fixture.client.completeUpload(request, fixture.context))
        } catch {
            return .failure(error)
        }
    }

    private func kind(_ result: Result<WriteResult, ObjectStoreError>) -> ObjectStoreErrorKind? {
        if case .failure(let error) = result { return error.kind }
        return nil
    }

    private func methods(_ fixture: Fixture) -> [String] { fixture.transport.sent.map(\.request.method) }

    @Test("a completion names its parts in a document in which markup is escaped")
    func document() throws {
        let fixture = try Fixture([good])
        let result = try complete(fixture) { request in
            request.forbidOverwrite = true
            request.acl = Array("public-read".utf8)
        }.get()
        #expect(result.etag == ETag("\"AB-2\"".utf8) && result.crc64 == 7)
        let sent = try #require(fixture.transport.sent.first)
        #expect(
            text(sent.body)
                == "<?xml version=\"1.0\" encoding=\"UTF-8\"?><CompleteMultipartUpload>"
                + "<Part><PartNumber>1</PartNumber><ETag>&quot;A&quot;</ETag></Part>"
                + "<Part><PartNumber>10000</PartNumber><ETag>&quot;&lt;&amp;&gt;&#13;&quot;</ETag></Part>"
                + "</CompleteMultipartUpload>")
        #expect(sent.request.method == "POST")
        #expect(
            text(sent.request.url) == "http://127.0.0.1:9000/photos/a?uploadId=ID%2B%2F1&encoding-type=url")
        #expect(sent.header("Content-Type") == "application/xml")
        #expect(sent.header("x-oss-forbid-overwrite") == "true" && sent.header("x-oss-object-acl") == "public-read")
    }

    @Test("what can't be a list of parts is never sent")
    func unsendable() throws {
        let fixture = try Fixture([])
        #expect(try kind(complete(fixture) { $0.parts = [] }) == .invalidRequest)
        #expect(try kind(complete(fixture) { $0.parts[0].etag = ETag([0x01]) }) == .invalidRequest)
        #expect(fixture.transport.sent.isEmpty)
    }

    @Test("a lost answer is settled by the object that is there, once the upload is gone", arguments: [true, false])
    func lostAnswer(byTransport: Bool) throws {
        let lost = byTransport ? Step.fail(.connectionLost) : Step.reply(500, [:], errorDocument("InternalError"))
        let fixture = try Fixture([lost, gone, object()])
        let result = try complete(fixture).get()
        #expect(result.etag == ETag("\"AB-2\"".utf8) && result.crc64 == 7 && result.lastModified != nil)
        #expect(methods(fixture) == ["POST", "POST", "HEAD"])
    }

    @Test("an upload that a lost attempt left is completed by the repeat, and nothing else is asked")
    func repeated() throws {
        let fixture = try Fixture([.fail(.stalled), good])
        _ = try complete(fixture).get()
        #expect(methods(fixture) == ["POST", "POST"])
    }

    @Test("after a lost answer an object that isn't there, or is another one, is no success")
    func lostAndNotThere() throws {
        for step in [absent, object("x"), object(crc: 8), object(id: "8"), object()] {
            let fixture = try Fixture([.fail(.connectionLost), gone, step])
            let result = try complete(fixture) { $0.metadata = ObjectMetadata(user: ["ossmount-id": [0x37]]) }
            #expect(kind(result) == .noSuchUpload)
            #expect(fixture.transport.stepsLeft == 0)
        }
        let ours = try Fixture([.fail(.connectionLost), gone, object(id: "7")])
        #expect(try kind(complete(ours) { $0.metadata = ObjectMetadata(user: ["ossmount-id": [0x37]]) }) == nil)
    }

    @Test("an upload that is gone at the first attempt is noSuchUpload, whatever object is there")
    func goneAtFirst() throws {
        for steps in [[gone], [.fail(.cannotConnect, reached: false), gone]] {
            let fixture = try Fixture(steps + [object()])
            let result = try complete(fixture)
            #expect(kind(result) == .noSuchUpload)
            if case .failure(let error) = result { #expect(!error.isRetryable && error.code == "NoSuchUpload") }
            #expect(!methods(fixture).contains("HEAD"))
        }
    }

    @Test("what the transport lost and made up for, and what an earlier call may have done, count as lost")
    func otherLosses() throws {
        let again = try Fixture([.replyToSecond(404, [:], errorDocument("NoSuchUpload")), object()])
        #expect(try kind(complete(again)) == nil)
        let earlier = try Fixture([gone, object()])
        #expect(try kind(complete(earlier) { $0.mayBeDone = true }) == nil)
    }

    @Test("a refusal to overwrite is ours only if the upload is gone after a lost answer")
    func forbidden() throws {
        let ours = try Fixture([.fail(.connectionLost), exists, gone, object()])
        #expect(try kind(complete(ours) { $0.forbidOverwrite = true }) == nil)
        #expect(methods(ours) == ["POST", "POST", "GET", "HEAD"])
        let theirs = try Fixture([.fail(.connectionLost), exists, .reply(200, [:], parts)])
        #expect(try kind(complete(theirs) { $0.forbidOverwrite = true }) == .alreadyExists)
        #expect(theirs.transport.stepsLeft == 0)
        let first = try Fixture([exists])
        #expect(try kind(complete(first) { $0.forbidOverwrite = true }) == .alreadyExists)
        #expect(methods(first) == ["POST"])
    }

    @Test("without a checksum the object is known by its size and the number of its parts")
    func noChecksum() throws {
        for (etag, isOurs) in [("\"AB-2\"", true), ("\"AB-3\"", false), ("\"AB-12\"", false), ("\"AB\"", false)] {
            let fixture = try Fixture([.fail(.connectionLost), gone, object(crc: 9, etag: etag)])
            #expect(try (kind(complete(fixture) { $0.crc64 = nil }) == nil) == isOurs, "\(etag)")
        }
    }

    @Test("another checksum than expected is corruption, told at once, and says that the object is there")
    func corrupted() throws {
        let fixture = try Fixture([.reply(200, ["x-oss-hash-crc64ecma": "8", "x-oss-request-id": "R"], done), good])
        guard case .failure(let error) = try complete(fixture) else {
            Issue.record("no error")
            return
        }
        #expect(error.kind == .corrupted && error.requestID == "R" && !error.isRetryable)
        #expect(error.message.contains("the object is made"))
        #expect(fixture.transport.sent.count == 1)
    }

    @Test("an answer that can't be read counts as lost")
    func unreadable() throws {
        for answer in ["", "<html/>", "<Error><Code>x</Code></Error>", "<CompleteMultipartUploadResult/>"] {
            let fixture = try Fixture([.reply(200, [:], answer), gone, object()])
            #expect(try kind(complete(fixture)) == nil)
        }
    }

    @Test("a question about the object that fails is asked again")
    func failingHead() throws {
        let fixture = try Fixture([.fail(.connectionLost), gone, .reply(500, [:]), gone, object()])
        #expect(try kind(complete(fixture)) == nil)
        #expect(methods(fixture) == ["POST", "POST", "HEAD", "POST", "HEAD"])
    }

    @Test("refused parts are told at once", arguments: ["InvalidPart", "InvalidPartOrder", "EntityTooSmall"])
    func refused(code: String) throws {
        let fixture = try Fixture([.reply(400, [:], errorDocument(code))])
        #expect(try kind(complete(fixture)) == .invalidRequest)
        #expect(fixture.transport.sent.count == 1)
    }
}
