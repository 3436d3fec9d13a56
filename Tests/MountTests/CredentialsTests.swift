import Foundation
import TestSupport
import Testing

extension MountTests {
    /// Where a mount gets its keys from, and that nobody else gets them.
    @Suite struct CredentialsTests {
        private static let login = "planted-login-token"

        /// Runs `body` beside a server that is an auth server as well, with these options; it demands `login` in a header.
        private func withAuthServer(_ options: [String], _ body: (Site, _ url: String) throws -> Void) throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let headers = folder.path + "/demanded"
            try "X-Login: \(Self.login)\n".write(toFile: headers, atomically: false, encoding: .utf8)
            try Site.with(server: options + ["--auth-headers", headers], mounts: false) { site in
                try body(site, site.server.endpoint + "/-/credentials")
            }
        }

        /// The mount command without keys in its environment; what it says and its exit code.
        private func mount(_ site: Site, _ options: String) throws -> ProgramOutput {
            let words = site.mountArguments.map { "'\($0)'" }.joined(separator: " ")
            return try site.run(
                script: "env -u OSS_ACCESS_KEY_ID -u OSS_ACCESS_KEY_SECRET \(words) --start-timeout 4s \(options)")
        }

        private func expectNoSecrets(_ site: Site, _ secrets: [String]) throws {
            let daemon = try #require(site.daemons.first)
            for secret in secrets {
                #expect(!site.log.contains(secret))
                for file in ["cmdline", "environ"] {
                    let text = String(decoding: FileSystemPath.contents("/proc/\(daemon)/\(file)"), as: UTF8.self)
                    #expect(!text.contains(secret), "a secret is in \(file)")
                }
            }
            let limits = String(decoding: FileSystemPath.contents("/proc/\(daemon)/limits"), as: UTF8.self)
            let cores = limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") }
            #expect(cores?.split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"], "\(limits)")
        }

        @Test(
            "keys of a password file mount the bucket; the file's mode is checked, and keys are in no log or argument")
        func passwordFile() throws {
            try Site.with(mounts: false) { site in
                try site.sh(
                    """
                    (umask 077; echo "# keys"; echo "other:a:b"
                    echo "\(ServerProcess.bucket):$OSS_ACCESS_KEY_ID:$OSS_ACCESS_KEY_SECRET") > "$T/keys"
                    """)
                try site.sh("chmod 640 \"$T/keys\"")
                let refused = try mount(site, "--credentials file:\(site.scratch)/keys")
                #expect(refused.status == 3)
                #expect(refused.errorText.contains("chmod 600"), "\(refused)")
                #expect(!refused.errorText.contains(ServerProcess.accessKeySecret))
                try site.sh("chmod 600 \"$T/keys\"")
                let mounted = try mount(site, "--credentials file:\(site.scratch)/keys")
                #expect(mounted.status == 0, "\(mounted)")
                try site.sh("echo in > \"$M/f\"; test \"$(judge oss2 get f)\" = in")
                try expectNoSecrets(site, [ServerProcess.accessKeySecret])
            }
        }

        @Test("where the auth server refuses, can't be reached or says nonsense the exit code is 3, and it says why")
        func noKeys() throws {
            try withAuthServer([]) { site, url in
                try site.sh("umask 077; echo 'X-Login: other' > \"$T/headers\"; echo nonsense > \"$T/bad\"")
                let cases = [
                    ("--credentials url:\(url)", "StatusCode 403, AccessDenied: "),
                    ("--credentials url:\(url) --credentials-headers \(site.scratch)/headers", "StatusCode 403"),
                    ("--credentials url:\(url) --credentials-headers \(site.scratch)/bad", "line 1"),
                    ("--credentials url:\(url) --credentials-decoder false", "status 1"),
                    ("--credentials url:http://127.0.0.1:1/", "can't be asked"),
                    ("--credentials url:\(site.server.endpoint)/", "HTTP status 403"),
                    ("--credentials file:/no/such", "/no/such"), ("", "OSS_ACCESS_KEY_ID"),
                ]
                for (options, words) in cases {
                    let output = try mount(site, options)
                    #expect(output.status == 3, "\(options): \(output)")
                    #expect(output.errorText.contains(words), "\(options): \(output)")
                }
                #expect(!site.isMounted)
            }
        }

        @Test("temporary keys sign by version 1 as well, and are renewed in time")
        func versionOne() throws {
            try withAuthServer(["--token-seconds", "2"]) { site, url in
                try site.sh("umask 077; echo 'X-Login: \(Self.login)' > \"$T/headers\"")
                let options = "--credentials url:\(url) --credentials-headers \(site.scratch)/headers --signature v1"
                let mounted = try mount(site, options)
                #expect(mounted.status == 0, "\(mounted)")
                try site.sh(
                    """
                    end=$(($(date +%s) + 4)); n=0
                    while test "$(date +%s)" -lt "$end"; do
                        echo "$n" > "$M/f"; test "$(judge oss2 get f)" = "$n"; n=$((n + 1))
                    done
                    """)
                #expect(try site.server.admin.statistics()["GetCredentials"] >= 2)
            }
        }

        @Test("keys of two seconds from an auth server, encoded, with a login, carry ten seconds of copies both ways")
        func shortTokens() throws {
            let options = ["--token-seconds", "2", "--auth-encoding", "base64", "--auth-status", "text"]
            try withAuthServer(options) { site, url in
                try site.sh("umask 077; echo 'X-Login: \(Self.login)' > \"$T/headers\"")
                let mounted = try mount(
                    site,
                    "--credentials url:\(url) --credentials-headers \(site.scratch)/headers "
                        + "--credentials-decoder 'base64 -d' --metadata-ttl 0")
                #expect(mounted.status == 0, "\(mounted)")
                try site.server.admin.add(ServerFault(.status, on: "GetCredentials", status: 503, count: 2))
                try site.sh(
                    """
                    head -c 300000 /dev/urandom > "$T/in"
                    end=$(($(date +%s) + 10)); n=0
                    while test "$(date +%s)" -lt "$end"; do
                        cp "$T/in" "$M/$n"; judge oss2 get "$n" | cmp - "$T/in"
                        judge oss2 put "other-$n" < "$T/in"; cmp "$T/in" "$M/other-$n"
                        n=$((n + 1))
                    done
                    """)
                let statistics = try site.server.admin.statistics()
                #expect(statistics.faults["status"] == 2)
                #expect((5...40).contains(statistics["GetCredentials"]), "\(statistics)")
                #expect(site.log.contains("credentials not refreshed"))
                let issued = try #require(site.log.split(separator: "id=STS.").dropFirst().first)
                #expect(issued.count > 16, "the identifier of temporary keys may be shown")
                try expectNoSecrets(site, [ServerProcess.accessKeySecret, Self.login, "CAIS"])
            }
        }
    }
}
