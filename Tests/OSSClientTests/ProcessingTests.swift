import ObjectStore
import Runtime
import TestSupport
import Testing

@testable import OSSClient

@Suite struct ProcessingTests {
    private func process(
        _ fixture: Fixture, _ receiver: StreamCollector = StreamCollector(), _ instructions: String = "image/resize,w_9"
    ) -> ObjectStoreError? {
        failure { () throws(ObjectStoreError) in
            try fixture.client.process(key("p.jpg"), Array(instructions.utf8), into: receiver, fixture.context)
        }
    }

    @Test("what comes needs neither ETag nor length, and the instructions are signed by version 1 too")
    func stream() throws {
        for signature in [SignatureVersion.v1, .v4] {
            let fixture = try Fixture([.reply(200, ["Content-Type": "image/webp"], "pixels")], signature: signature)
            let receiver = StreamCollector()
            #expect(process(fixture, receiver) == nil)
            #expect(text(receiver.bytes) == "pixels" && receiver.contentType == Array("image/webp".utf8))
            let sent = try #require(fixture.transport.sent.first)
            #expect(
                text(sent.request.url) == "http://127.0.0.1:9000/photos/p.jpg?x-oss-process=image%2Fresize%2Cw_9")
            #expect(sent.header("Range") == nil)
        }
        let signable = SignableRequest(
            method: "GET", bucket: Array("photos".utf8), key: Array("p.jpg".utf8),
            query: [QueryItem("x-oss-process", "image/resize,w_9")], headers: [])
        #expect(
            text(SignerV1.stringToSign(signable, date: []))
                == "GET\n\n\n\n/photos/p.jpg?x-oss-process=image/resize,w_9")
    }

    @Test("errors before the stream are repeated, and one within it isn't")
    func errors() throws {
        let receiver = StreamCollector()
        #expect(
            try process(Fixture([.reply(503, [:], "busy"), .fail(.stalled), .reply(200, [:], "ok")]), receiver) == nil)
        #expect(text(receiver.bytes) == "ok" && receiver.begins == 1)
        let cut = try Fixture([.cut(200, [:], "pix", .connectionLost), .reply(200, [:], "pixels")])
        let error = process(cut)
        #expect(error?.kind == .unavailable && error?.isRetryable == true)
        #expect(cut.transport.sent.count == 1)
        #expect(try process(Fixture([.reply(404, [:], errorDocument("NoSuchKey"))]))?.kind == .notFound)
        #expect(try process(Fixture([.reply(501, [:], errorDocument("NotImplemented"))]))?.kind == .unsupported)
        #expect(try process(Fixture([.reply(200)]), StreamCollector(), "")?.kind == .invalidRequest)
    }

    @Test("a receiver that wants no more ends it")
    func refused() throws {
        #expect(try process(Fixture([.reply(200, [:], "pixels")]), StreamCollector(limit: 1))?.kind == .cancelled)
    }
}
