import TestSupport
import Testing

extension MountTests {
    /// What `ossmount mount` says by its exit code.
    @Suite struct CommandTests {
        private func status(_ site: Site, _ words: String) throws -> (Int32, String) {
            let output = try site.run(script: words)
            return (output.status, output.errorText)
        }

        @Test("the exit code tells what is wrong, and nothing stays mounted")
        func exitCodes() throws {
            try Site.with(mounts: false) { site in
                let bucket = "oss://\(ServerProcess.bucket)"
                let command = "\"$OSSMOUNT\" mount"
                let options = "--start-timeout 3s"
                let cases: [(Int32, String)] = [
                    (2, "\(command) \(bucket)"),
                    (2, "\(command) \(bucket) \"$M\" --no-such-option 1"),
                    (3, "env -u OSS_ACCESS_KEY_ID \(command) \(bucket) \"$M\" \(options)"),
                    (3, "OSS_ACCESS_KEY_SECRET=wrong \(command) \(bucket) \"$M\" \(options)"),
                    (4, "\(command) oss://another-bucket \"$M\" \(options)"),
                    (5, "OSS_ENDPOINT=http://127.0.0.1:1 \(command) \(bucket) \"$M\" \(options)"),
                    (6, "\(command) \(bucket) \"$M/missing\" \(options)"),
                    (6, "mkdir \"$T/full\"; touch \"$T/full/x\"; \(command) \(bucket) \"$T/full\" \(options)"),
                ]
                for (expected, script) in cases {
                    let (status, message) = try status(site, script)
                    #expect(status == expected, "\(script): \(message)")
                    #expect(!message.isEmpty, "\(script) says nothing")
                }
                #expect(!site.isMounted)
                try site.mount()
                try site.mount(expecting: 6)
            }
        }

        @Test(
            "a bucket of another region is exit code 4 and names its endpoint, by either answer",
            arguments: ["denied", "redirect"])
        func elsewhere(_ answer: String) throws {
            let endpoint = "oss-eu-west-1.example.com"
            let options = ["--answer", "wrong-region=\(answer)", "--bucket-elsewhere", "far-bucket=\(endpoint)"]
            try Site.with(server: options, mounts: false) { site in
                let (status, message) = try status(
                    site, "\"$OSSMOUNT\" mount oss://far-bucket \"$M\" --start-timeout 3s")
                #expect(status == 4, "\(message)")
                #expect(message.contains(endpoint), "\(message)")
            }
        }

        @Test("directories show though listings begin with an empty page and write blanks as plus signs")
        func unusualListings() throws {
            try Site.with(server: ["--answer", "first-page=empty", "--answer", "listing-space=+"]) { site in
                try site.sh(
                    """
                    echo in | judge oss2 put "d e/f g+h"
                    test "$(cat "$M/d e/f g+h")" = in; test "$(ls "$M/d e")" = "f g+h"; test "$(ls "$M")" = "d e"
                    ! rmdir "$M/d e"; rm "$M/d e/f g+h"
                    """)
            }
        }

        @Test("a prefix of a bucket is a directory of its own")
        func prefix() throws {
            try Site.with(mounts: false) { site in
                try site.sh(
                    """
                    echo in | judge oss2 put albums/2026/in; echo out | judge oss2 put albums/out
                    "$OSSMOUNT" mount oss://\(ServerProcess.bucket)/albums/2026 "$M"
                    test "$(ls "$M")" = in; test "$(cat "$M/in")" = in
                    echo new > "$M/new"
                    test "$(judge oss2 get albums/2026/new)" = new
                    "$OSSMOUNT" umount "$M"
                    """)
            }
        }

        @Test("no secret is in the log, the arguments or the environment of the daemon")
        func secrets() throws {
            try Site.with { site in
                try site.sh("echo x > \"$M/f\"; cat \"$M/f\"")
                try site.expectNoSecrets([ServerProcess.accessKeySecret])
            }
        }
    }
}
