import HTTPTransport
import Instrumentation
import Runtime
import Testing

@testable import Credentials

@Suite struct AuthServerTests {
    static let good =
        #"{"StatusCode":200,"AccessKeyId":"STS.id","AccessKeySecret":"\#(marker)","SecurityToken":"t+/=","#
        + #""Expiration":"2026-09-21T14:13:20Z","Other":[1,{"x":null}]}"#

    private func source(
        _ transport: AnsweringTransport, headers: TemporaryFile? = nil, decoder: [String]? = nil
    ) -> AuthServerSource {
        var configuration = AuthServerSource.Configuration(url: bytes("http://auth.example/sts?app=1"))
        configuration.headersFile = headers.map { bytes($0.path) }
        configuration.decoder = decoder?.map { bytes($0) }
        return AuthServerSource(configuration, transport: transport)
    }

    private func refusal(_ status: Int, _ body: String) -> CredentialsError? {
        let source = source(AnsweringTransport(status, body))
        return failure { () throws(CredentialsError) in try source.fetch(deadline: .after(.seconds(5))) }
    }

    @Test("the JSON of the mobile SDKs is read, its status as a number or a string")
    func replies() throws {
        for status in ["200", "\"200\"", "200.0"] {
            let body = Self.good.replacing("\"StatusCode\":200", with: "\"StatusCode\":\(status)")
            let found = try AuthServerReply.credentials(bytes(body))
            #expect(text(found.accessKeyID) == "STS.id" && text(found.accessKeySecret) == marker)
            #expect(found.securityToken.map { text($0) } == "t+/=")
            #expect(found.expiry == WallTime(seconds: 1_790_000_000))
        }
    }

    @Test("keys without a token or an expiry are keys that last")
    func lasting() throws {
        let body = #"{"StatusCode":200,"AccessKeyId":"a","AccessKeySecret":"b","SecurityToken":"","Expiration":null}"#
        let found = try AuthServerReply.credentials(bytes(body))
        #expect(found.securityToken == nil && found.expiry == nil)
    }

    @Test(
        "what lacks something is malformed",
        arguments: [
            "", "no json", "[]", "\"x\"", "{}", good.replacing("StatusCode", with: "Status"),
            good.replacing("AccessKeyId", with: "Id"), good.replacing("\"STS.id\"", with: "7"),
            good.replacing("2026-09-21T14:13:20Z", with: "soon"), good.replacing("STS.id", with: ""),
            good.replacing("STS.id", with: "a\\nb"),
        ])
    func malformed(body: String) throws {
        let error = try #require(refusal(200, body))
        #expect(error.kind == .malformed)
        #expect(!error.message.contains(marker), "\(error.message)")
    }

    @Test("any other status refuses with the server's words; that of a server in trouble may pass")
    func refusals() throws {
        let body = #"{"StatusCode":"403","ErrorCode":"NotLoggedIn","ErrorMessage":"log in\nagain"}"#
        let error = try #require(refusal(200, body))
        #expect(error.kind == .refused)
        #expect(error.message.contains("StatusCode 403, NotLoggedIn: log in?again"))
        #expect(refusal(200, #"{"StatusCode":500}"#)?.kind == .unavailable)
        let http = try #require(refusal(401, body))
        #expect(http.kind == .refused && http.message.contains("HTTP status 401, NotLoggedIn"))
        #expect([500, 503, 429, 408].allSatisfy { refusal($0, "busy")?.kind == .unavailable })
        #expect(refusal(302, "")?.kind == .refused, "redirects are not followed")
        #expect(refusal(200, String(repeating: " ", count: 70_000) + Self.good)?.message.contains("64 KiB") == true)
    }

    @Test("a server's long words are cut between characters, and steer no terminal")
    func longWords() throws {
        let long = String(repeating: "错", count: 150)
        let error = try #require(refusal(200, #"{"StatusCode":403,"ErrorMessage":"\#(long)"}"#))
        #expect(error.message.hasSuffix(", " + String(repeating: "错", count: 100) + ")"), "\(error.message)")
        let steering = try #require(refusal(200, #"{"StatusCode":403,"ErrorMessage":"a\u009b31mb\u007fc"}"#))
        #expect(steering.message.contains("a?31mb?c"), "\(steering.message)")
    }

    @Test("a server that can't be asked may be there later")
    func unreachable() {
        for kind in [TransportError.Kind.cannotConnect, .timedOut, .nameNotResolved, .tlsFailed] {
            let source = source(AnsweringTransport(kind))
            let error = failure { () throws(CredentialsError) in try source.fetch(deadline: .after(.seconds(5))) }
            #expect(error?.kind == .unavailable)
        }
    }

    @Test("the user's headers are sent, read anew each time, and take the place of ours")
    func headers() throws {
        let file = try TemporaryFile("# login\nAuthorization: Bearer one\nuser-agent:  App/1.0 \n\nX-Platform: linux\n")
        defer { file.remove() }
        let transport = AnsweringTransport(200, Self.good)
        let source = source(transport, headers: file)
        _ = try source.fetch(deadline: .after(.seconds(5)))
        try file.write("Authorization: Bearer two")
        _ = try source.fetch(deadline: .after(.seconds(5)))
        let sent = transport.sent.map { HTTPResponseHead(status: 0, headers: $0.headers) }
        #expect(sent.map { $0.value(of: "Authorization").map { text($0) } } == ["Bearer one", "Bearer two"])
        #expect(sent[0].headers.filter { $0.name.lowercased() == "user-agent" }.map { text($0.value) } == ["App/1.0"])
        #expect(sent[1].value(of: "User-Agent").map { text($0) } == "ossmount")
        #expect(transport.sent.allSatisfy { $0.method == "GET" && text($0.url) == "http://auth.example/sts?app=1" })
    }

    @Test("a headers file that others can read, or that isn't headers, is refused before anything is sent")
    func badHeaders() throws {
        let transport = AnsweringTransport(200, Self.good)
        let file = try TemporaryFile("A: \(marker)", mode: 0o644)
        defer { file.remove() }
        let source = source(transport, headers: file)
        #expect(throws: CredentialsError.self) { try source.check() }
        for content in [marker, ": \(marker)", "A B: \(marker)", "A: \(marker)\u{1}", "A\u{E9}: \(marker)"] {
            try file.write("# first\n" + content)
            let error = try #require(
                failure { () throws(CredentialsError) in try source.fetch(deadline: .after(.seconds(5))) })
            #expect(error.message.contains("line 2") && !error.message.contains(marker), "\(error.message)")
        }
        #expect(transport.sent.isEmpty)
    }

    @Test("what the server repeats of the headers is not in the error")
    func echo() throws {
        let file = try TemporaryFile("Authorization: Bearer \(marker)")
        defer { file.remove() }
        let body = #"{"StatusCode":401,"ErrorCode":"Bad","ErrorMessage":"no such token \#(marker), go"}"#
        let source = source(AnsweringTransport(200, body), headers: file)
        let error = try #require(
            failure { () throws(CredentialsError) in try source.fetch(deadline: .after(.seconds(5))) })
        #expect(error.message.contains("no such token ***, go"))
    }

    @Test("a decoder command turns the reply into JSON; when it fails there are no keys")
    func decoder() throws {
        let encoded = Self.good.replacing("{", with: "<").replacing("}", with: ">")
        let found = try source(AnsweringTransport(200, encoded), decoder: ["tr", "<>", "{}"])
            .fetch(deadline: .after(.seconds(10)))
        #expect(text(found.accessKeyID) == "STS.id")
        for command in [["false"], ["/no/such"], ["cat", "/dev/zero"], ["cat"]] {
            let source = source(AnsweringTransport(200, encoded), decoder: command)
            let error = try #require(
                failure { () throws(CredentialsError) in try source.fetch(deadline: .after(.seconds(10))) })
            #expect(!error.message.contains(marker))
        }
    }
}
