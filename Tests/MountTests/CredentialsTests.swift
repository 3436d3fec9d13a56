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
                try site.expectNoSecrets([ServerProcess.accessKeySecret])
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

        @Test("keys of a few seconds from an auth server in trouble, late and encoded, carry copies both ways")
        func shortTokens() throws {
            let life = Programs.isLong ? 5 : 2
            let late = Programs.isLong ? "3" : "0.5"
            let seconds = Programs.seconds ?? (Programs.isLong ? 60 : 10)
            let options = ["--token-seconds", "\(life)", "--auth-encoding", "base64", "--auth-status", "text"]
            try withAuthServer(options) { site, url in
                let authServer = try site.start(
                    "exec python3 \"$REPOSITORY/Tests/Interop/auth_server.py\" '\(url)' \"$T\" \(late) base64")
                try site.waitForFile("auth-port")
                let port = try site.sh("cat \"$T/auth-port\"")
                try site.sh(
                    """
                    umask 077; echo 'X-Login: \(Self.login)' > "$T/headers"
                    printf '#!/bin/sh\ncat /proc/$$/environ /proc/$$/cmdline >> "$T/decoder"; exec base64 -d\n' > "$T/decode"
                    chmod 700 "$T/decode"
                    """)
                let mounted = try mount(
                    site,
                    "--credentials url:http://127.0.0.1:\(port)/keys --credentials-headers \(site.scratch)/headers "
                        + "--credentials-decoder '\(site.scratch)/decode' --metadata-ttl 0 --start-timeout 15s")
                #expect(mounted.status == 0, "\(mounted)")
                try site.sh(Self.copies(seconds: seconds), within: .seconds(seconds + 60))
                #expect(authServer.isRunning, "\(authServer.output)")
                try expectRenewals(site, life: life, seconds: seconds)
            }
        }

        /// Copies in and out, by the mount and by an SDK with keys that last; ends with the first error.
        private static func copies(seconds: Int) -> String {
            """
            head -c 300000 /dev/urandom > "$T/in"
            end=$(($(date +%s) + \(seconds))); n=0
            while test "$(date +%s)" -lt "$end"; do
                for i in 1 2 3 4 5; do
                    cp "$T/in" "$M/$n-$i"; cmp "$T/in" "$M/$n-$i"; mv "$M/$n-$i" "$M/moved-$i"
                done
                judge oss2 get "moved-1" | cmp - "$T/in"
                judge oss2 put "other-$n" < "$T/in"; cmp "$T/in" "$M/other-$n"
                n=$((n + 1))
            done
            """
        }

        private func expectRenewals(_ site: Site, life: Int, seconds: Int) throws {
            let answers = try site.sh("cat \"$T/auth-log\"").split(separator: "\n")
            #expect(answers.count { $0.hasPrefix("500") } == 1)
            // From one new key to the next its life at most and the lateness of the answer pass: three seconds at most.
            #expect((seconds / (life + 3)...seconds * 4 / life + 4).contains(answers.count), "\(answers)")
            let given = try site.server.admin.statistics()["GetCredentials"]
            #expect(answers.count - 2 <= given, "two answers were errors: \(answers.count), \(given)")
            let failures = site.log.split(separator: "\n").filter { $0.contains("credentials not refreshed") }
            #expect(failures.count == 2, "\(failures)")
            #expect(
                failures.allSatisfy { $0.contains("500") } && failures.contains { $0.contains("***") }, "\(failures)")
            let issued = try #require(site.log.split(separator: "id=STS.").dropFirst().first)
            #expect(issued.count > 16, "the identifier of temporary keys may be shown")
            // Read here, as what a program prints is looked through too.
            let passed = Self.text("\(site.scratch)/auth-secrets").split(separator: "\n").map(String.init)
            #expect(passed.count == 2 * (answers.count - 2), "a secret and a token of each answer but the two")
            try site.expectNoSecrets(passed + [ServerProcess.accessKeySecret, Self.login, "CAIS"])
            let decoder = Self.text("\(site.scratch)/decoder")
            #expect(decoder.contains("OSS_REGION="), "what the decoder saw is there: \(decoder)")
            for secret in passed + [ServerProcess.accessKeySecret, Self.login] {
                let isThere = decoder.contains(secret)
                #expect(!isThere, "the decoder saw a secret")
            }
        }

        private static func text(_ path: String) -> String {
            String(decoding: FileSystemPath.contents(path), as: UTF8.self)
        }

        @Test("a signal ends a start that waits for its first keys, at once", arguments: ["", "-f"])
        func signalWhileWaiting(form: String) throws {
            try withAuthServer([]) { site, url in
                try site.server.admin.add(ServerFault(.hang, on: "GetCredentials"))
                let words = site.mountArguments.map { "'\($0)'" }.joined(separator: " ")
                let command = try site.start(
                    "env -u OSS_ACCESS_KEY_ID -u OSS_ACCESS_KEY_SECRET \(words) \(form) --start-timeout 60s "
                        + "--credentials url:\(url)")
                let isAsking = try eventually(within: .seconds(10)) {
                    try site.server.admin.statistics().faults["hang", default: 0] >= 1
                }
                #expect(isAsking)
                // In the background there are two: the one that waits for the other's word is left alone.
                let daemon = try #require(site.daemons.max())
                kill(daemon, SIGTERM)
                let output = try site.wait(command, within: .seconds(5))
                #expect(output.status == 1)
                #expect(output.errorText.contains("stopped by a signal"), "\(output)")
                #expect(site.daemonsEnd(within: .seconds(1)), "the daemon stays")
                #expect(!site.isMounted)
            }
        }
    }
}
