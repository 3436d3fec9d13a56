import Foundation
import Testing

@testable import ObjectServer

/// Headers of V1 and presigned URLs of V1 and V4, made by the official SDKs with a stopped clock.
struct OtherSignatureVector: Decodable, CustomTestStringConvertible, Sendable {
    let name: String
    let method: String
    let target: String
    let headers: [String: String]
    let securityToken: String?
    let accessKeyID: String
    let accessKeySecret: String
    let epoch: Int64
    let stringToSign: String
    /// Absent for URLs.
    let authorization: String?
    /// Absent for headers.
    let expiresSeconds: Int64?

    var testDescription: String { name }

    static let all: [OtherSignatureVector] = {
        guard let url = Bundle.module.url(forResource: "Vectors/signature-v1-and-urls", withExtension: "json"),
            let data = try? Data(contentsOf: url)
        else { return [] }
        return (try? JSONDecoder().decode([OtherSignatureVector].self, from: data)) ?? []
    }()

    static let urls = all.filter { $0.expiresSeconds != nil }
    static let headers = all.filter { $0.authorization != nil }

    func request(target: String? = nil) -> Request {
        var fields = Fields()
        for (name, value) in headers { fields.append(Bytes(name.utf8).lowercasedASCII, Bytes(value.utf8)) }
        if let authorization { fields.append("authorization", Bytes(authorization.utf8)) }
        return Request(method: Bytes(method.utf8), target: Bytes((target ?? self.target).utf8), headers: fields)
    }

    var context: SignatureContext {
        let keys = AccessKeys(
            identifier: Bytes(accessKeyID.utf8), secret: Bytes(accessKeySecret.utf8),
            securityToken: securityToken.map { Bytes($0.utf8) })
        return SignatureContext(keys: keys, region: Bytes("cn-hangzhou"), now: epoch)
    }
}

/// The code of the refusal, nil for none.
private func refusal(_ request: Request, _ context: SignatureContext) -> String? {
    do throws(ServiceError) {
        try SignatureChecker.check(request, context)
        return nil
    } catch {
        return error.code.text
    }
}

@Suite struct SignatureV1Tests {
    @Test("all vectors are there") func vectorsAreThere() {
        #expect(OtherSignatureVector.headers.count == 9)
        #expect(OtherSignatureVector.urls.count == 5)
    }

    @Test("the string to sign is that of the official SDKs", arguments: OtherSignatureVector.headers)
    func stringToSign(_ vector: OtherSignatureVector) {
        let request = vector.request()
        let text = SignatureV1.stringToSign(request, date: request.headers["date"] ?? [])
        #expect(text.text == vector.stringToSign)
    }

    @Test("what the official SDKs sign is accepted", arguments: OtherSignatureVector.headers)
    func accepts(_ vector: OtherSignatureVector) {
        #expect(refusal(vector.request(), vector.context) == nil)
    }

    @Test("another secret is refused", arguments: OtherSignatureVector.all)
    func refusesOtherSecret(_ vector: OtherSignatureVector) {
        var context = vector.context
        context.keys.secret += [0x21]
        #expect(refusal(vector.request(), context) == "SignatureDoesNotMatch")
    }

    @Test("a request is taken up to fifteen minutes early or late", arguments: [-901, -900, 0, 900, 901] as [Int64])
    func skew(_ seconds: Int64) throws {
        let vector = try #require(OtherSignatureVector.headers.first)
        var context = vector.context
        context.now += seconds
        #expect(refusal(vector.request(), context) == (abs(seconds) > 900 ? "RequestTimeTooSkewed" : nil))
    }

    @Test("a narrower skew can be set") func narrowSkew() throws {
        let vector = try #require(OtherSignatureVector.headers.first)
        var context = vector.context
        context.allowedSkewSeconds = 5
        context.now += 6
        #expect(refusal(vector.request(), context) == "RequestTimeTooSkewed")
    }

    @Test("parameters that V1 doesn't sign may change, those it signs may not")
    func signedParameters() throws {
        let vector = try #require(OtherSignatureVector.headers.first { $0.name == "v1-get-override-version" })
        let unsigned = vector.target.replacing("unsigned-param=zzz", with: "unsigned-param=yyy")
        #expect(unsigned != vector.target)
        #expect(refusal(vector.request(target: unsigned), vector.context) == nil)
        let signed = vector.target.replacing("w_100", with: "w_101")
        #expect(signed != vector.target)
        #expect(refusal(vector.request(target: signed), vector.context) == "SignatureDoesNotMatch")
    }
}

@Suite struct PresignedTests {
    @Test("URLs that the official SDKs sign are accepted", arguments: OtherSignatureVector.urls)
    func accepts(_ vector: OtherSignatureVector) {
        #expect(refusal(vector.request(), vector.context) == nil)
    }

    @Test("a URL is good up to its end and not after", arguments: OtherSignatureVector.urls)
    func expires(_ vector: OtherSignatureVector) throws {
        var context = vector.context
        context.now += try #require(vector.expiresSeconds)
        #expect(refusal(vector.request(), context) == nil)
        context.now += 1
        #expect(refusal(vector.request(), context) == "AccessDenied")
    }

    @Test("a URL for another key is refused", arguments: OtherSignatureVector.urls)
    func otherKey(_ vector: OtherSignatureVector) {
        let target = vector.target.replacing(".txt?", with: ".txu?")
        #expect(refusal(vector.request(target: target), vector.context) == "SignatureDoesNotMatch")
    }

    @Test("V4 URLs live a second to a week", arguments: ["0", "604801", "x", ""])
    func lifetimes(_ text: String) throws {
        let vector = try #require(OtherSignatureVector.urls.first { $0.name == "v4-presign-get" })
        let target = vector.target.replacing("x-oss-expires=3600", with: "x-oss-expires=\(text)")
        #expect(refusal(vector.request(target: target), vector.context) == "InvalidArgument")
    }

    @Test("a signature in both the URL and the header is refused") func both() throws {
        let vector = try #require(OtherSignatureVector.urls.first)
        var request = vector.request()
        request.headers.append("authorization", Bytes("OSS key:signature"))
        #expect(refusal(request, vector.context) == "InvalidArgument")
    }
}
