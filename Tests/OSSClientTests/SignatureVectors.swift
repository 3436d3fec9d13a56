import Credentials
import Foundation
import HTTPTransport
import Instrumentation
import Testing

@testable import OSSClient

/// A request as an official SDK signed it, with every step of that.
struct SignatureVector: Decodable, Sendable, CustomTestStringConvertible {
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
    var request_url_before_signing: String
    var expires_seconds: Int64?
    var signed_url: String?

    private struct File: Decodable {
        var vectors: [SignatureVector]
    }

    static let all: [SignatureVector] = {
        guard
            let url = Bundle.module.url(
                forResource: "oss-signature-vectors", withExtension: "json", subdirectory: "Vectors"),
            let file = try? JSONDecoder().decode(File.self, from: Data(contentsOf: url))
        else { return [] }
        return file.vectors
    }()

    var testDescription: String { name }

    var time: WallTime { WallTime(seconds: epoch) }

    /// Its query in the order of the SDK's URL, as signed URLs keep it.
    var request: SignableRequest {
        SignableRequest(
            method: method, bucket: bucket.map { Array($0.utf8) }, key: key.map { Array($0.utf8) },
            query: query_params.sorted { position($0.key) < position($1.key) }
                .map { QueryItem(name: Array($0.key.utf8), value: Array(($0.value ?? "").utf8)) },
            headers: input_headers.map { HTTPHeader($0.key, $0.value) }, additionalHeaders: additional_headers)
    }

    private func position(_ name: String) -> Int {
        let url = request_url_before_signing
        return url.range(of: name + "=").map { url.distance(from: url.startIndex, to: $0.lowerBound) } ?? 0
    }

    func credentials() throws -> Credentials {
        try Credentials(
            accessKeyID: Array(access_key_id.utf8), accessKeySecret: Array(access_key_secret.utf8),
            securityToken: security_token.map { Array($0.utf8) })
    }
}
