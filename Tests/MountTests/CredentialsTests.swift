import Runtime
import TestSupport
import Testing

extension MountTests {
    /// Where a mount gets its keys from, and that nobody else gets them.
    @Suite struct CredentialsTests {
        private static let login = "planted-login-token"

        /// An auth server that knows the keys of the site's server; its requests are lines of `$T/auth.log`.
        private func startAuthServer(_ site: Site, _ options: String) throws -> String {
            _ = try site.start("exec python3 \"$REPOSITORY/Tests/Interop/auth_server.py\" \"$T\" \(options)")
            try site.waitForFile("auth.port")
            return
                "http://127.0.0.1:\(String(decoding: FileSystemPath.contents(site.scratch + "/auth.port"), as: UTF8.self))"
        }

        private func answers(_ site: Site) -> [String] {
            String(decoding: FileSystemPath.contents(site.scratch + "/auth.log"), as: UTF8.self)
                .split(separator: "\n").map(String.init)
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
            try Site.with(mounts: false) { site in
                let url = try startAuthServer(site, "--require X-Login:\(Self.login)")
                try site.sh("umask 077; echo 'X-Login: other-login' > \"$T/headers\"; echo nonsense > \"$T/bad\"")
                let cases = [
                    ("--credentials url:\(url)", "NotLoggedIn: who is None"),
                    (
                        "--credentials url:\(url) --credentials-headers \(site.scratch)/headers",
                        "StatusCode 403, NotLoggedIn: who is ***"
                    ),
                    ("--credentials url:\(url) --credentials-headers \(site.scratch)/bad", "line 1"),
                    ("--credentials url:http://127.0.0.1:1/", "can't be asked"),
                    ("--credentials url:\(site.server.endpoint)/", "auth server"),
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

        @Test("keys of two seconds from an auth server, encoded, with a login, carry ten seconds of copies both ways")
        func shortTokens() throws {
            try Site.with(mounts: false) { site in
                let url = try startAuthServer(site, "--seconds 2 --encode --fail 2 --require X-Login:\(Self.login)")
                try site.sh("umask 077; echo 'X-Login: \(Self.login)' > \"$T/headers\"")
                let mounted = try mount(
                    site,
                    "--credentials url:\(url)/sts --credentials-headers \(site.scratch)/headers "
                        + "--credentials-decoder 'base64 -d' --metadata-ttl 0")
                #expect(mounted.status == 0, "\(mounted)")
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
                #expect(answers(site).filter { $0 == "503" }.count == 2, "both failures were given")
                #expect((5...40).contains(answers(site).count), "\(answers(site).count) requests")
                try expectNoSecrets(site, [ServerProcess.accessKeySecret, Self.login])
                #expect(site.log.contains("credentials not refreshed"))
            }
        }
    }
}
