import Credentials
import Foundation
import HTTPTransport
import Instrumentation
import Testing

@testable import OSSClient

@Suite struct SignerV4Tests {
    struct Vectors: Decodable {
        var vectors: [Vector]
    }

    struct Vector: Decodable, Sendable, CustomTestStringConvertible {
        var name: String
        var signature_version: String
        var mode: String
        var method: String
        var bucket: String?
        var key: String?
        var region: String?
        var query_params: [String: String?]
        var input_headers: [String: String]
        var security_token: String?
        var additional_headers: [String]
        var access_key_id: String
        var access_key_secret: String
        var epoch: Int64
        var canonical_request: String?
        var string_to_sign: String?
        var authorization: String?
        var signature: String
        var request_url_before_signing: String?

        var testDescription: String { name }
    }

    static let headerVectors: [Vector] = {
        guard
            let url = Bundle.module.url(
                forResource: "oss-signature-vectors", withExtension: "json", subdirectory: "Vectors"),
            let all = try? JSONDecoder().decode(Vectors.self, from: Data(contentsOf: url))
        else { return [] }
        return all.vectors.filter { $0.signature_version == "V4" && $0.mode == "header" }
    }()

    private func request(_ vector: Vector) -> SignableRequest {
        SignableRequest(
            method: vector.method, bucket: vector.bucket.map { Array($0.utf8) }, key: vector.key.map { Array($0.utf8) },
            query: vector.query_params.map { QueryItem(name: Array($0.key.utf8), value: Array(($0.value ?? "").utf8)) },
            headers: vector.input_headers.map { HTTPHeader($0.key, $0.value) },
            additionalHeaders: vector.additional_headers)
    }

    private func credentials(_ vector: Vector) throws -> Credentials {
        try Credentials(
            accessKeyID: Array(vector.access_key_id.utf8), accessKeySecret: Array(vector.access_key_secret.utf8),
            securityToken: vector.security_token.map { Array($0.utf8) })
    }

    @Test("all vectors of the official SDKs for version 4 in headers are there")
    func vectorsFound() {
        #expect(Self.headerVectors.count == 11)
    }

    @Test("a request is authorised exactly as the official SDKs do", arguments: headerVectors)
    func authorization(vector: Vector) throws {
        let signer = SignerV4(region: try #require(vector.region))
        let time = WallTime(seconds: vector.epoch)
        let added = try signer.headers(for: request(vector), credentials: credentials(vector), at: time)
        let head = HTTPResponseHead(status: 0, headers: added)
        #expect(head.value(of: "Authorization").map { text($0) } == vector.authorization)
        #expect(head.value(of: "x-oss-date").map { text($0) } == "20260921T141320Z")
        #expect(head.value(of: "x-oss-security-token").map { text($0) } == vector.security_token)
        let again = try signer.headers(for: request(vector), credentials: credentials(vector), at: time)
        #expect(again == added, "with the key kept")
    }

    @Test("the canonical request and the string to sign are theirs byte by byte", arguments: headerVectors)
    func canonicalForm(vector: Vector) throws {
        let signer = SignerV4(region: try #require(vector.region))
        let added = try signer.headers(
            for: request(vector), credentials: credentials(vector), at: WallTime(seconds: vector.epoch))
        var whole = request(vector)
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
        let first = try signer.headers(for: request(vector), credentials: credentials(vector), at: today)
        let tomorrow = WallTime(seconds: vector.epoch + 86_400)
        #expect(try signer.headers(for: request(vector), credentials: credentials(vector), at: tomorrow) != first)
        var other = vector
        other.access_key_secret = "another"
        #expect(try signer.headers(for: request(other), credentials: credentials(other), at: today) != first)
        #expect(try signer.headers(for: request(vector), credentials: credentials(vector), at: today) == first)
    }
}
