import HTTPTransport
import Instrumentation
import Testing

@testable import OSSClient

@Suite struct SignerV4Tests {
    static let headerVectors = SignatureVector.all.filter { $0.signature_version == "V4" && $0.mode == "header" }

    @Test("all vectors of the official SDKs for version 4 in headers are there")
    func vectorsFound() {
        #expect(Self.headerVectors.count == 11)
    }

    @Test("a request is authorised exactly as the official SDKs do", arguments: headerVectors)
    func authorization(vector: SignatureVector) throws {
        let signer = SignerV4(region: try #require(vector.region))
        let time = WallTime(seconds: vector.epoch)
        let added = try signer.headers(for: vector.request, credentials: vector.credentials(), at: time)
        let head = HTTPResponseHead(status: 0, headers: added)
        #expect(head.value(of: "Authorization").map { text($0) } == vector.authorization)
        #expect(head.value(of: "x-oss-date").map { text($0) } == "20260921T141320Z")
        #expect(head.value(of: "x-oss-security-token").map { text($0) } == vector.security_token)
        let again = try signer.headers(for: vector.request, credentials: vector.credentials(), at: time)
        #expect(again == added, "with the key kept")
    }

    @Test("the canonical request and the string to sign are theirs byte by byte", arguments: headerVectors)
    func canonicalForm(vector: SignatureVector) throws {
        let signer = SignerV4(region: try #require(vector.region))
        let added = try signer.headers(
            for: vector.request, credentials: vector.credentials(), at: WallTime(seconds: vector.epoch))
        var whole = vector.request
        whole.headers += added.filter { $0.name != "Authorization" }
        let canonical = SignerV4.canonicalRequest(whole, additional: SignerV4.additionalNames(whole))
        #expect(text(canonical) == vector.canonical_request)
        let date = Array("20260921T141320Z".utf8)
        let toSign = try SignerV4.stringToSign(canonical, date: date, scope: signer.scope(date))
        #expect(text(toSign) == vector.string_to_sign)
    }

    @Test("another day and another secret get another key")
    func keyCache() throws {
        let vector = try #require(Self.headerVectors.first)
        let signer = SignerV4(region: "cn-hangzhou")
        let today = WallTime(seconds: vector.epoch)
        let first = try signer.headers(for: vector.request, credentials: vector.credentials(), at: today)
        let tomorrow = WallTime(seconds: vector.epoch + 86_400)
        #expect(try signer.headers(for: vector.request, credentials: vector.credentials(), at: tomorrow) != first)
        var other = vector
        other.access_key_secret = "another"
        #expect(try signer.headers(for: other.request, credentials: other.credentials(), at: today) != first)
        #expect(try signer.headers(for: vector.request, credentials: vector.credentials(), at: today) == first)
    }
}
