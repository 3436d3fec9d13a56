import Checksums
import Credentials
import Encoding
import HTTPTransport
import Instrumentation
import Runtime

/// Signature version 4 of OSS, `OSS4-HMAC-SHA256`, over everything but the body.
///
/// The official SDKs' vectors pin every byte of it. The day's signing key costs four of the five HMACs, so the last one
/// is kept.
final class SignerV4: RequestSigner {
    /// The body is never hashed for the signature; its CRC-64 is compared after the fact.
    static let unsignedPayload = "UNSIGNED-PAYLOAD"
    private static let algorithm = "OSS4-HMAC-SHA256"

    private struct SigningKey {
        var secret: [UInt8]
        var date: [UInt8]
        var key: [UInt8]
    }

    private let region: [UInt8]
    private let product: [UInt8]
    // Guards the last signing key; a leaf lock.
    private let lastKey = Locked<SigningKey?>(nil)

    /// - Parameter region: without the `oss-` before it, `cn-hangzhou`.
    init(region: String, product: String = "oss") {
        self.region = Array(region.utf8)
        self.product = Array(product.utf8)
    }

    func headers(
        for request: SignableRequest, credentials: Credentials, at time: WallTime
    ) throws(DigestError) -> [HTTPHeader] {
        let date = time.basicISO8601Text
        var added = [
            HTTPHeader("x-oss-date", date), HTTPHeader("x-oss-content-sha256", Self.unsignedPayload),
        ]
        if let token = credentials.securityToken { added.append(HTTPHeader("x-oss-security-token", token)) }
        var whole = request
        whole.headers += added
        let additional = Self.additionalNames(whole)
        let canonical = Self.canonicalRequest(whole, additional: additional)
        let scope = scope(date)
        let signature = try sign(canonical, date: date, scope: scope, secret: credentials.accessKeySecret)
        var authorization = Array("\(Self.algorithm) Credential=".utf8)
        authorization += credentials.accessKeyID + [UInt8(ascii: "/")] + scope
        if !additional.isEmpty {
            authorization += Array(",AdditionalHeaders=\(additional.joined(separator: ";"))".utf8)
        }
        authorization += Array(",Signature=".utf8) + signature
        return added + [HTTPHeader("Authorization", authorization)]
    }

    func signedQuery(
        for request: SignableRequest, credentials: Credentials, at time: WallTime, lifetime: Int64
    ) throws(DigestError) -> [QueryItem] {
        let date = time.basicISO8601Text
        let scope = scope(date)
        let additional = Self.additionalNames(request)
        var whole = request
        whole.query += [
            QueryItem("x-oss-signature-version", Self.algorithm), QueryItem("x-oss-date", date),
            QueryItem("x-oss-expires", String(lifetime)),
            QueryItem("x-oss-credential", credentials.accessKeyID + [UInt8(ascii: "/")] + scope),
        ]
        if let token = credentials.securityToken { whole.query.append(QueryItem("x-oss-security-token", token)) }
        if !additional.isEmpty {
            whole.query.append(QueryItem("x-oss-additional-headers", additional.joined(separator: ";")))
        }
        let canonical = Self.canonicalRequest(whole, additional: additional)
        let signature = try sign(canonical, date: date, scope: scope, secret: credentials.accessKeySecret)
        return whole.query + [QueryItem("x-oss-signature", signature)]
    }

    /// The hexadecimal signature of a canonical request.
    private func sign(
        _ canonical: [UInt8], date: [UInt8], scope: [UInt8], secret: [UInt8]
    ) throws(DigestError) -> [UInt8] {
        let key = try signingKey(secret: secret, date: Array(date.prefix(8)))
        let text = try Self.stringToSign(canonical, date: date, scope: scope)
        return Hexadecimal.encode(try MessageAuthentication.hmac(.sha256, key: key, message: text))
    }

    static func stringToSign(_ canonical: [UInt8], date: [UInt8], scope: [UInt8]) throws(DigestError) -> [UInt8] {
        let digest = Hexadecimal.encode(try Digest.sha256(canonical))
        return Array([Array(algorithm.utf8), date, scope, digest].joined(separator: [0x0A]))
    }

    /// `20260921/cn-hangzhou/oss/aliyun_v4_request`.
    func scope(_ date: [UInt8]) -> [UInt8] {
        Array([Array(date.prefix(8)), region, product, Array("aliyun_v4_request".utf8)].joined(separator: [0x2F]))
    }

    private func signingKey(secret: [UInt8], date: [UInt8]) throws(DigestError) -> [UInt8] {
        if let known = lastKey.withLock({ $0 }), known.secret == secret, known.date == date { return known.key }
        var key = Array("aliyun_v4".utf8) + secret
        for part in [date, region, product, Array("aliyun_v4_request".utf8)] {
            key = try MessageAuthentication.hmac(.sha256, key: key, message: part)
        }
        let made = SigningKey(secret: secret, date: date, key: key)
        lastKey.withLock { $0 = made }
        return key
    }

    /// The additional names that count: present, not signed anyway, lower-case, in order.
    static func additionalNames(_ request: SignableRequest) -> [String] {
        let present = Set(request.headers.map { $0.name.lowercased() })
        return Set(request.additionalHeaders.map { $0.lowercased() })
            .filter { present.contains($0) && !isSignedAnyway($0) }.sorted()
    }

    private static func isSignedAnyway(_ name: String) -> Bool {
        name.hasPrefix("x-oss-") || name == "content-type" || name == "content-md5"
    }

    static func canonicalRequest(_ request: SignableRequest, additional: [String]) -> [UInt8] {
        var text = Array(request.method.utf8) + [0x0A]
        text += CanonicalForm.resource(bucket: request.bucket, key: request.key) + [0x0A]
        text += CanonicalForm.sortedQuery(request.query) + [0x0A]
        let signed = request.headers
            .map { (name: $0.name.lowercased(), value: CanonicalForm.trimmed($0.value)) }
            .filter { isSignedAnyway($0.name) || additional.contains($0.name) }
            .sorted { $0.name < $1.name }
        for header in signed {
            text += Array(header.name.utf8) + [UInt8(ascii: ":")] + header.value + [0x0A]
        }
        text += [0x0A] + Array(additional.joined(separator: ";").utf8) + [0x0A]
        return text + Array(unsignedPayload.utf8)
    }
}

/// The encoded forms that signatures and URLs share: encoded once, they can't differ.
enum CanonicalForm {
    /// `/bucket/key` with slashes kept, `/bucket/` without a key, `/` without a bucket.
    static func resource(bucket: [UInt8]?, key: [UInt8]?) -> [UInt8] {
        guard let bucket else { return [UInt8(ascii: "/")] }
        var text = [UInt8(ascii: "/")] + PercentEncoding.encode(bucket) + [UInt8(ascii: "/")]
        if let key { PercentEncoding.append(key, keepingSlashes: true, to: &text) }
        return text
    }

    /// `name=value&name`, in the order given.
    static func query(_ items: [QueryItem]) -> [UInt8] {
        Array(items.map(encoded).joined(separator: [UInt8(ascii: "&")]))
    }

    /// The same ordered by encoded name, then value.
    static func sortedQuery(_ items: [QueryItem]) -> [UInt8] {
        let pairs = items.map { item in
            (name: PercentEncoding.encode(item.name), value: PercentEncoding.encode(item.value), text: encoded(item))
        }
        let sorted = pairs.sorted { left, right in
            left.name == right.name
                ? left.value.lexicographicallyPrecedes(right.value) : left.name.lexicographicallyPrecedes(right.name)
        }
        return Array(sorted.map(\.text).joined(separator: [UInt8(ascii: "&")]))
    }

    private static func encoded(_ item: QueryItem) -> [UInt8] {
        var text = PercentEncoding.encode(item.name)
        guard !item.value.isEmpty else { return text }
        text.append(UInt8(ascii: "="))
        PercentEncoding.append(item.value, to: &text)
        return text
    }

    /// Without the blanks around it, which no receiver of a header sees.
    static func trimmed(_ value: [UInt8]) -> [UInt8] {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        guard let first = value.firstIndex(where: { !isBlank($0) }),
            let last = value.lastIndex(where: { !isBlank($0) })
        else { return [] }
        return Array(value[first...last])
    }
}
