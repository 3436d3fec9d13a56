import Testing

@testable import ObjectServer

@Suite struct TokenTests {
    private let account = AccessKeys(
        identifier: Bytes("LTAI5tExampleAccessKey01"), secret: Bytes("ExampleSecretKey0123456789abcd"),
        securityToken: nil)

    @Test("the token service's signature is that of the official SDK") func rpcSignature() {
        let query = """
            Version=2015-04-01&Action=AssumeRole&Format=JSON&Timestamp=2026-09-21T14%3A13%3A20Z&\
            SignatureMethod=HMAC-SHA1&SignatureVersion=1.0&SignatureNonce=b2c3d4e5-0000-1111-2222-333344445555&\
            AccessKeyId=LTAI5tExampleAccessKey01&Signature=ignored
            """
        let form = """
            RoleArn=acs%3Aram%3A%3A123456789012****%3Arole%2Foss-role&RoleSessionName=fuse-session+1&\
            DurationSeconds=3600&Policy=%7B%22Version%22%3A%221%22%2C%22Statement%22%3A%5B%7B%22Effect%22%3A%22Allow%22\
            %2C%22Action%22%3A%5B%22oss%3A*%22%5D%2C%22Resource%22%3A%22*%22%7D%5D%7D
            """
        var parameters = Request.parameters(Bytes(query.utf8)[...])
        parameters.all += Request.parameters(Bytes(form.utf8)[...]).all
        let text = RPCSignature.stringToSign(method: Bytes("POST"), parameters)
        #expect(RPCSignature.signature(text, secret: account.secret) == Bytes("r+K1OHLhkp2tkoD0w8JAUCkZyXA="))
    }

    @Test("keys that were given out are known again by their identifier alone") func issuedKeys() throws {
        let issued = TokenIssuer(account: account).issue(seconds: 60, now: 1000)
        let known = try #require(TokenIssuer(account: account).keys(of: issued.identifier))
        #expect(known.secret == issued.secret)
        #expect(known.securityToken == issued.securityToken)
        #expect(known.expiry == 1060)
        #expect(TokenIssuer(account: account).issue(seconds: 60, now: 1000).identifier != issued.identifier)
    }

    @Test("an identifier with another expiry has other keys") func changedExpiry() throws {
        let issuer = TokenIssuer(account: account)
        let issued = issuer.issue(seconds: 60, now: 1000)
        var identifier = issued.identifier
        identifier[18] = identifier[18] == 0x39 ? 0x38 : 0x39
        let other = try #require(issuer.keys(of: identifier))
        #expect(other.secret != issued.secret)
        #expect(other.securityToken != issued.securityToken)
    }

    @Test("what isn't an identifier of ours has no keys", arguments: ["", "STS.", "LTAI5tExampleAccessKey01"])
    func strangers(_ identifier: String) {
        #expect(TokenIssuer(account: account).keys(of: Bytes(identifier.utf8)) == nil)
    }

    @Test("a life is cut to the longest that is given") func longestLife() {
        var issuer = TokenIssuer(account: account)
        issuer.longestSeconds = 2
        #expect(issuer.issue(seconds: 900, now: 1000).expiry == 1002)
    }

    @Test("the demanded headers are read line by line") func headerFile() {
        let headers = TokenOptions.headers(Bytes("X-A: b: c\r\n\n x-d :e".utf8))
        #expect(headers?.map(\.name) == [Bytes("x-a"), Bytes("x-d")])
        #expect(headers?.map(\.value) == [Bytes("b: c"), Bytes("e")])
        #expect(TokenOptions.headers(Bytes("no header")) == nil)
    }
}
