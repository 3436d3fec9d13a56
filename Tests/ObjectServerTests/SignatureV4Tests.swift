import Foundation
import Testing

@testable import ObjectServer

/// Signatures made by the official SDKs with a stopped clock; the file says which request gave which.
struct SignatureVector: Decodable, CustomTestStringConvertible, Sendable {
    let name: String
    let method: String
    let target: String
    let headers: [String: String]
    let securityToken: String?
    let accessKeyID: String
    let accessKeySecret: String
    let epoch: Int64
    let additionalHeaders: [String]
    let canonicalRequest: String
    let stringToSign: String
    /// Each spelling of the header that an SDK sends.
    let authorizations: [String]

    var testDescription: String { name }

    static let all: [SignatureVector] = {
        guard let url = Bundle.module.url(forResource: "Vectors/signature-v4", withExtension: "json"),
            let data = try? Data(contentsOf: url)
        else { return [] }
        return (try? JSONDecoder().decode([SignatureVector].self, from: data)) ?? []
    }()

    func request(authorization: String) -> Request {
        var fields = Fields()
        for (name, value) in headers { fields.append(Bytes(name.utf8).lowercasedASCII, Bytes(value.utf8)) }
        fields.append("authorization", Bytes(authorization.utf8))
        return Request(method: Bytes(method.utf8), target: Bytes(target.utf8), headers: fields)
    }

    var context: SignatureContext {
        let keys = AccessKeys(
            identifier: Bytes(accessKeyID.utf8), secret: Bytes(accessKeySecret.utf8),
            securityToken: securityToken.map { Bytes($0.utf8) })
        return SignatureContext(keys: keys, region: Bytes("cn-hangzhou"), now: epoch)
    }
}

@Suite struct SignatureV4Tests {
    @Test("all vectors are there") func vectorsAreThere() {
        #expect(SignatureVector.all.count == 11)
    }

    @Test("the canonical request is that of the official SDKs", arguments: SignatureVector.all)
    func canonicalRequest(_ vector: SignatureVector) {
        let request = vector.request(authorization: vector.authorizations[0])
        let canonical = SignatureV4.canonicalRequest(
            request, additional: vector.additionalHeaders.map { Bytes($0.utf8) })
        #expect(canonical.text == vector.canonicalRequest)
    }

    @Test("what the official SDKs sign is accepted, in each of their spellings", arguments: SignatureVector.all)
    func acceptsOfficialSignatures(_ vector: SignatureVector) {
        for authorization in vector.authorizations {
            #expect(refusal(vector.request(authorization: authorization), vector.context) == nil)
        }
    }

    @Test("a signature with one digit changed is refused", arguments: SignatureVector.all)
    func refusesChangedSignature(_ vector: SignatureVector) {
        let right = vector.authorizations[0]
        let changed = String(right.dropLast()) + (right.hasSuffix("0") ? "1" : "0")
        #expect(refusal(vector.request(authorization: changed), vector.context) == "SignatureDoesNotMatch")
    }

    @Test("a signed header that was changed on the way is noticed")
    func refusesChangedHeader() throws {
        let vector = try #require(SignatureVector.all.first { $0.name == "v4-put-special-key" })
        var request = vector.request(authorization: vector.authorizations[0])
        for index in request.headers.all.indices where request.headers.all[index].name == Bytes("x-oss-object-acl") {
            request.headers.all[index].value = Bytes("public-read")
        }
        #expect(refusal(request, vector.context) == "SignatureDoesNotMatch")
    }

    @Test("a request is taken up to fifteen minutes early or late", arguments: [-901, -900, 0, 900, 901] as [Int64])
    func skew(_ seconds: Int64) throws {
        let vector = try #require(SignatureVector.all.first)
        var context = vector.context
        context.now += seconds
        let expected = abs(seconds) > 900 ? "RequestTimeTooSkewed" : nil
        #expect(refusal(vector.request(authorization: vector.authorizations[0]), context) == expected)
    }

    @Test("empty lists of additional headers are refused", arguments: ["", "host;", ";"])
    func emptyAdditionalHeaders(_ list: String) throws {
        let vector = try #require(SignatureVector.all.first)
        let header = vector.authorizations[0].replacing(",Signature", with: ",AdditionalHeaders=\(list),Signature")
        #expect(refusal(vector.request(authorization: header), vector.context) == "InvalidArgument")
    }

    @Test("a session's token must come with the request, and only with the session's keys")
    func tokens() throws {
        let session = try #require(SignatureVector.all.first { $0.securityToken != nil })
        var request = session.request(authorization: session.authorizations[0])
        request.headers.all.removeAll { $0.name == Bytes("x-oss-security-token") }
        #expect(refusal(request, session.context) == "InvalidSecurityToken")
        var context = session.context
        context.keys.securityToken = nil
        #expect(refusal(session.request(authorization: session.authorizations[0]), context) == "InvalidSecurityToken")
    }

    @Test("an unsigned request has no access") func unsigned() {
        let request = Request(method: Bytes("GET"), target: Bytes("/bucket/k"), headers: Fields())
        let context = SignatureContext(
            keys: AccessKeys(identifier: [], secret: [], securityToken: nil), region: [], now: 0)
        #expect(refusal(request, context) == "AccessDenied")
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
}
