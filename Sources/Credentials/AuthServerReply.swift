import Encoding
import Instrumentation

/// The JSON with which auth servers answer the mobile SDKs of OSS.
///
/// `{"StatusCode":200,"AccessKeyId":…,"AccessKeySecret":…,"SecurityToken":…,"Expiration":"…Z"}`, the status as a number or
/// a string; anything else refuses, with `ErrorCode` and `ErrorMessage` where the server has words for it.
package enum AuthServerReply {
    /// The credentials; throws `refused` with the server's words, or `malformed`.
    package static func credentials(_ document: [UInt8]) throws(CredentialsError) -> Credentials {
        guard let reply = JSONValue(parsing: document), case .object = reply else {
            throw CredentialsError(kind: .malformed, message: "the auth server's reply is no JSON object")
        }
        guard let status = reply["StatusCode"]?.wholeNumber else {
            throw CredentialsError(kind: .malformed, message: "the auth server's reply has no StatusCode")
        }
        guard status == 200 else { throw refusal(reply, status: status) }
        guard let id = reply["AccessKeyId"]?.text, let secret = reply["AccessKeySecret"]?.text else {
            throw CredentialsError(
                kind: .malformed, message: "the auth server's reply lacks AccessKeyId or AccessKeySecret")
        }
        let token = reply["SecurityToken"]?.text ?? ""
        var expiry: WallTime?
        if let value = reply["Expiration"] {
            expiry = value.text.flatMap { WallTime(iso8601: Array($0.utf8)) }
            guard expiry != nil else {
                throw CredentialsError(
                    kind: .malformed, message: "the auth server's Expiration is not like 2026-09-21T14:13:20Z")
            }
        }
        do throws(CredentialsError) {
            return try Credentials(
                accessKeyID: Array(id.utf8), accessKeySecret: Array(secret.utf8),
                securityToken: token.isEmpty ? nil : Array(token.utf8), expiry: expiry)
        } catch {
            throw CredentialsError(kind: .malformed, message: "the auth server's reply: \(error.message)")
        }
    }

    /// `ErrorCode: ErrorMessage`, as far as they are given, of a reply that may be anything; nil where it has neither.
    static func words(_ document: [UInt8]) -> String? {
        JSONValue(parsing: document).flatMap(words)
    }

    private static func words(_ reply: JSONValue) -> String? {
        let told = ["ErrorCode", "ErrorMessage"].compactMap { reply[$0]?.text }.filter { !$0.isEmpty }
        guard !told.isEmpty else { return nil }
        // 300 bytes: what fits into a line of a log.
        var size = 0
        let kept = told.joined(separator: ": ").unicodeScalars.prefix { scalar in
            size += UTF8.width(scalar)
            return size <= 300
        }
        return printable(String(kept).utf8)
    }

    private static func refusal(_ reply: JSONValue, status: Int64) -> CredentialsError {
        // The status is one of HTTP: a server in trouble may be out of it soon.
        let kind: CredentialsError.Kind = (500...599).contains(status) || status == 429 ? .unavailable : .refused
        let told = words(reply).map { ", \($0)" } ?? ""
        return CredentialsError(kind: kind, message: "the auth server gives no keys (StatusCode \(status)\(told))")
    }
}
