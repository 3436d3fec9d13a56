import Glibc
import Instrumentation
import Runtime
import Testing

@testable import Credentials

@Suite struct CredentialsTests {
    private func make(token: String? = nil) throws -> Credentials {
        try Credentials(
            accessKeyID: Array("LTAIexample".utf8), accessKeySecret: Array("markersecret".utf8),
            securityToken: token.map { Array($0.utf8) })
    }

    @Test("no description, interpolation, dump or mirror shows the secret or the token")
    func showsNoSecret() throws {
        let credentials = try make(token: "markertoken")
        var dumped = ""
        dump([credentials], to: &dumped)
        let texts = [
            credentials.description, credentials.debugDescription, "\(credentials)", "\([credentials])",
            String(reflecting: credentials), "\(Optional(credentials) as Any)", dumped,
        ]
        for text in texts {
            #expect(!text.contains("markersecret") && !text.contains("markertoken"))
            #expect(!text.contains("109, 97, 114, 107"), "the bytes of the marker")
        }
        #expect(credentials.description == "Credentials(LTAIexample, temporary)")
    }

    @Test("parts that can't stand in a header are refused, without being shown")
    func malformed() {
        for secret in ["", "a b", "a\n", "\u{E9}", "markersecret\0"] {
            #expect {
                _ = try Credentials(accessKeyID: Array("id".utf8), accessKeySecret: Array(secret.utf8))
            } throws: { error in
                let error = error as? CredentialsError
                return error?.kind == .malformed && error?.message.contains("markersecret") == false
            }
        }
    }

    @Test("the environment gives a key pair, or a triple where the token is set")
    func environment() throws {
        var variables = ["OSS_ACCESS_KEY_ID": "id", "OSS_ACCESS_KEY_SECRET": " secret\n"]
        func provider() -> EnvironmentCredentialsProvider {
            EnvironmentCredentialsProvider { variables[$0].map { Array($0.utf8) } }
        }
        let pair = try provider().credentials(deadline: .never)
        #expect(pair.accessKeyID == Array("id".utf8))
        #expect(pair.accessKeySecret == Array("secret".utf8))
        #expect(pair.securityToken == nil)
        variables["OSS_SESSION_TOKEN"] = ""
        #expect(try provider().credentials(deadline: .never).securityToken == nil)
        variables["OSS_SESSION_TOKEN"] = "token"
        #expect(try provider().credentials(deadline: .never).securityToken == Array("token".utf8))
    }

    @Test("what is missing in the environment is named")
    func missing() {
        func message(_ variables: [String: String]) -> String? {
            do throws(CredentialsError) {
                _ = try EnvironmentCredentialsProvider { variables[$0].map { Array($0.utf8) } }
                    .credentials(deadline: .never)
                return nil
            } catch {
                return error.kind == .missing ? error.message : nil
            }
        }
        #expect(message([:]) == "OSS_ACCESS_KEY_ID and OSS_ACCESS_KEY_SECRET are not set")
        #expect(message(["OSS_ACCESS_KEY_ID": "a"]) == "OSS_ACCESS_KEY_SECRET is not set")
        #expect(message(["OSS_ACCESS_KEY_SECRET": "a"]) == "OSS_ACCESS_KEY_ID is not set")
    }

    @Test("a fixed provider has no others when its own are refused")
    func noRefresh() throws {
        let own = try make()
        let provider = StaticCredentialsProvider(own)
        #expect(try provider.credentials(deadline: .never) == own)
        #expect(try provider.forceRefresh(rejected: own, deadline: .never) == nil)
        #expect(try provider.forceRefresh(rejected: make(token: "t"), deadline: .never) == own)
    }

    @Test("wiping overwrites a variable's bytes where they lie, and removes it")
    func wipes() throws {
        let name = "OSSMOUNT_TEST_WIPED"
        setenv(name, "markersecret", 1)
        #expect(ProcessEnvironment.value(of: name) == Array("markersecret".utf8))
        let place = try #require(getenv(name))
        ProcessEnvironment.wipe([name, "OSSMOUNT_TEST_NEVER_SET"])
        #expect(ProcessEnvironment.value(of: name) == nil)
        // glibc keeps the memory of removed variables.
        #expect(Array(UnsafeRawBufferPointer(start: place, count: 12)) == Array("************".utf8))
    }
}
