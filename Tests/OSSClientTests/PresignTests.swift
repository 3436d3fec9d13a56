import HTTPTransport
import Instrumentation
import Testing

@testable import OSSClient

@Suite struct PresignTests {
    static let vectors = SignatureVector.all.filter { $0.mode == "query" }

    @Test("all vectors of the official SDKs for signed URLs are there, and none is left out of all tests")
    func vectorsFound() {
        #expect(Self.vectors.count == 5)
        let others = SignerV1Tests.headerVectors.count + SignerV4Tests.headerVectors.count
        #expect(SignatureVector.all.count == others + Self.vectors.count)
    }

    @Test("a URL is signed exactly as the official SDKs do", arguments: vectors)
    func urls(vector: SignatureVector) throws {
        let location = BucketLocation(
            endpoint: try Endpoint("oss-cn-hangzhou.aliyuncs.com"), bucket: try #require(vector.bucket),
            addressing: .automatic)
        let signer: any RequestSigner = vector.region.map { SignerV4(region: $0) } ?? SignerV1()
        let url = try PresignedURL.make(
            vector.request, at: location, signer: signer, credentials: vector.credentials(), from: vector.time,
            lifetime: try #require(vector.expires_seconds))
        #expect(text(url) == vector.signed_url)
    }

    @Test("a URL lives from a second to a week", arguments: [Int64.min, 0, 604_801, .max])
    func lifetimes(seconds: Int64) throws {
        let fixture = try Fixture([])
        #expect(throws: PresignError.lifetimeOutOfRange) {
            try fixture.client.presignedURL(key("a"), lifetime: seconds, fixture.context)
        }
    }

    @Test("a client signs URLs for its own bucket at the server's time, by either version, and sends nothing")
    func clientURLs() throws {
        let v4 = try Fixture([])
        let url = text(try v4.client.presignedURL(key("a b"), lifetime: 60, v4.context))
        #expect(url.hasPrefix("http://127.0.0.1:9000/photos/a%20b?x-oss-signature-version=OSS4-HMAC-SHA256&"))
        #expect(url.contains("&x-oss-expires=60&"))
        let v1 = try Fixture([], signature: .v1)
        let other = text(try v1.client.presignedURL(key("a b"), lifetime: 60, v1.context))
        #expect(other.hasPrefix("http://127.0.0.1:9000/photos/a%20b?OSSAccessKeyId=LTAIid&Expires=1790000060&"))
        #expect(v4.transport.sent.isEmpty && v1.transport.sent.isEmpty)
    }
}
