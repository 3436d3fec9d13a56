import Credentials
import Encoding
import FuzzSupport
import HTTPTransport
import Instrumentation

@testable import OSSClient

/// The client's side of what the server reads and writes: neither shares code with the other.
enum ClientRequests {
    struct Parts {
        var method: [UInt8]
        var bucket: [UInt8]
        var key: [UInt8]
        var query: [([UInt8], [UInt8])]
        var headers: [([UInt8], [UInt8])]
    }

    /// When the requests are signed: 2026-09-21T14:13:20Z.
    private static let time = WallTime(seconds: 1_790_000_000)

    typealias Check = ([UInt8], [UInt8], [([UInt8], [UInt8])]) throws(Finding) -> Void

    /// Makes the client send the same request, signed by either version, and hands `check` what it would send.
    static func examine(_ parts: Parts, _ check: Check) throws(Finding) {
        // A bucket's name goes as it is into the URL.
        let name = parts.bucket
        guard (3...63).contains(name.count), name.allSatisfy({ (0x61...0x7A).contains($0) || $0 == 0x2D }),
            let bucket = String(validating: name, as: UTF8.self),
            let method = String(validating: parts.method, as: UTF8.self),
            let endpoint = try? Endpoint("http://localhost"),
            let credentials = try? Credentials(accessKeyID: Array("id".utf8), accessKeySecret: Array("secret".utf8))
        else { return }
        let location = BucketLocation(endpoint: endpoint, bucket: bucket, addressing: .path)
        let key: [UInt8]? = parts.key.isEmpty ? nil : parts.key
        let query = items(parts.query)
        let url = location.url(key: key, query: query)
        let target = Array(url.dropFirst("http://localhost".utf8.count))
        let own = headers(parts.headers)
        let signers: [any RequestSigner] = [SignerV1(), SignerV4(region: "cn-hangzhou")]
        for signer in signers {
            let request = SignableRequest(method: method, bucket: name, key: key, query: query, headers: own)
            guard let added = try? signer.headers(for: request, credentials: credentials, at: time) else {
                throw Finding("the client can't sign")
            }
            let sent = (own + added + [HTTPHeader("Host", "localhost")]).map { (Array($0.name.utf8), $0.value) }
            try check(parts.method, target, sent)
        }
    }

    /// Those that neither signature has for itself, and that stay whole on their way.
    private static func items(_ query: [([UInt8], [UInt8])]) -> [QueryItem] {
        let reserved = ["OSSAccessKeyId", "x-oss-signature-version", "x-oss-signature"].map { Array($0.utf8) }
        return query.filter { !$0.0.isEmpty && !reserved.contains($0.0) }.map { QueryItem(name: $0.0, value: $0.1) }
    }

    private static func headers(_ headers: [([UInt8], [UInt8])]) -> [HTTPHeader] {
        let reserved = ["authorization", "date", "host", "x-oss-date", "x-oss-content-sha256", "x-oss-security-token"]
        var kept: [HTTPHeader] = []
        for (name, value) in headers {
            guard let text = String(validating: name, as: UTF8.self), !reserved.contains(text),
                text != "security-token", !kept.contains(where: { $0.name == text })
            else { continue }
            kept.append(HTTPHeader(text, value))
        }
        return kept
    }

    private final class Reading: XMLHandler {
        var isIntact = true
        func begin(_ name: XMLName, depth: Int) {}
        func end(_ name: XMLName, depth: Int, text: XMLText) { if !text.isIntact { isIntact = false } }
    }

    /// A document of the server's: the client must read it, whole.
    static func examineDocument(_ document: [UInt8]) throws(Finding) {
        let reading = Reading()
        do throws(XMLError) {
            try XMLReader.read(document, into: reading)
        } catch {
            throw Finding("the client can't read (\(error)): \(String(validating: document, as: UTF8.self) ?? "")")
        }
        try require(reading.isIntact, "a document with what XML can't carry: \(ErrorResponse.text(document))")
    }

    /// How many bytes a Content-Range is of; nil where the client can't read it.
    static func rangeLength(_ value: [UInt8]) -> Int64? {
        ReplyHeaders.contentRange(value).map { Int64($0.bytes.count) }
    }
}
