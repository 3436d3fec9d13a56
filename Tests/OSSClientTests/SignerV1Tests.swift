import HTTPTransport
import Instrumentation
import Testing

@testable import OSSClient

@Suite struct SignerV1Tests {
    static let headerVectors = SignatureVector.all.filter { $0.signature_version == "V1" && $0.mode == "header" }

    @Test("all vectors of the official SDKs for version 1 in headers are there")
    func vectorsFound() {
        #expect(Self.headerVectors.count == 9)
    }

    @Test("a request is authorised exactly as the official SDKs do", arguments: headerVectors)
    func authorization(vector: SignatureVector) throws {
        let added = try SignerV1().headers(
            for: vector.request, credentials: vector.credentials(), at: vector.time)
        let head = HTTPResponseHead(status: 0, headers: added)
        #expect(head.value(of: "Authorization").map { text($0) } == vector.authorization)
        #expect(head.value(of: "Date").map { text($0) } == "Mon, 21 Sep 2026 14:13:20 GMT")
        #expect(head.value(of: "x-oss-security-token").map { text($0) } == vector.security_token)
        #expect(head.value(of: "x-oss-date") == nil)
    }

    @Test("the string to sign is theirs byte by byte", arguments: headerVectors)
    func stringToSign(vector: SignatureVector) throws {
        let added = try SignerV1().headers(
            for: vector.request, credentials: vector.credentials(), at: vector.time)
        var whole = vector.request
        whole.headers += added.filter { $0.name != "Authorization" }
        #expect(text(SignerV1.stringToSign(whole, date: vector.time.httpDate)) == vector.string_to_sign)
    }

    @Test("of the query only what changes the meaning of a call is signed, whatever begins with x-oss- among it")
    func subresources() {
        let request = SignableRequest(
            method: "GET", bucket: Array("photos".utf8), key: Array("a b".utf8),
            query: [
                QueryItem("x-oss-process", "image/resize,w_1"), QueryItem("prefix", "p"), QueryItem("uploads"),
                QueryItem("max-keys", "1"), QueryItem("acl", "v"),
            ], headers: [HTTPHeader("x-oss-b", " 1 "), HTTPHeader("X-Oss-A", "2"), HTTPHeader("x-oss-b", "3")])
        let expected =
            "GET\n\n\nnow\nx-oss-a:2\nx-oss-b:1,3\n/photos/a b?acl=v&uploads&x-oss-process=image/resize,w_1"
        #expect(text(SignerV1.stringToSign(request, date: Array("now".utf8))) == expected)
    }

    @Test("the option decides, and without it whether the region is known")
    func choice() throws {
        func signer(
            _ endpoint: String, region: String? = nil, _ signature: SignatureVersion = .automatic
        ) throws -> any RequestSigner {
            try OSSClientConfiguration(endpoint: endpoint, region: region, bucket: "photos", signature: signature)
                .makeSigner()
        }
        #expect(try signer("oss-cn-hangzhou.aliyuncs.com") is SignerV4)
        #expect(try signer("cn-hangzhou.oss.aliyuncs.com") is SignerV4)
        #expect(try signer("img.example.org", region: "cn-hangzhou") is SignerV4)
        #expect(try signer("img.example.org") is SignerV1)
        #expect(try signer("oss-accelerate.aliyuncs.com") is SignerV1)
        #expect(try signer("oss-cn-hangzhou.aliyuncs.com", .v1) is SignerV1)
        #expect(throws: EndpointError.self) { try signer("img.example.org", .v4) }
        #expect(["auto", "v4", "v1", "v2"].map { SignatureVersion(option: $0) } == [.automatic, .v4, .v1, nil])
    }

    @Test("a client that signs by version 1 sends its headers and no region, and corrects its date like the other")
    func clientRequest() throws {
        let refused = errorDocument("RequestTimeTooSkewed", "<ServerTime>2026-09-21T14:33:20.000Z</ServerTime>")
        let fixture = try Fixture([.reply(403, [:], refused), .reply(204)], signature: .v1)
        try fixture.client.delete(key("a b"), fixture.context)
        let dates = fixture.transport.sent.map { $0.header("Date") }
        #expect(dates == ["Mon, 21 Sep 2026 14:13:20 GMT", "Mon, 21 Sep 2026 14:33:20 GMT"])
        for sent in fixture.transport.sent {
            #expect(sent.header("Authorization")?.hasPrefix("OSS LTAIid:") == true)
            #expect(sent.header("x-oss-content-sha256") == nil)
        }
    }
}
