import TestSupport
import Testing

extension MountTests {
    /// Where the bucket is: over TLS with certificates of every sort, and by every way to write its name.
    @Suite struct TLSTests {
        private func withServer(
            names: [String], days: Int = 2, _ body: (Site, _ authority: String) throws -> Void
        ) throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let certificates = try TestCertificates(folder: folder)
            let options = try certificates.serverOptions(names: names, days: days)
            try Site.with(server: options, mounts: false) { site in try body(site, certificates.authority) }
        }

        @Test("over TLS with the CA file files go in and come out, by path and by the bucket's own host name")
        func trusted() throws {
            let names = ["localhost", "\(ServerProcess.bucket).localhost"]
            try withServer(names: names) { site, authority in
                try site.mount(["--ca-file", authority])
                try site.sh(
                    """
                    head -c 20000000 /dev/urandom > "$T/f"; cp "$T/f" "$M/f"; echo small > "$M/a b"
                    export REQUESTS_CA_BUNDLE='\(authority)'
                    judge oss2 get f | cmp - "$T/f"; test "$(judge v2 get a%20b)" = small
                    """)
                try site.remount(["--ca-file", authority, "--addressing", "virtual"])
                try site.sh("cmp \"$T/f\" \"$M/f\"; test \"$(cat \"$M/a b\")\" = small; echo by-host > \"$M/v\"")
                try site.remount(["--ca-file", authority, "--addressing", "path"])
                try site.sh("test \"$(cat \"$M/v\")\" = by-host")
            }
        }

        /// The start fails as unreachable and soon, and says what mends it.
        private func expectRefused(_ site: Site, _ options: [String], _ words: [String]) throws {
            let command = (site.mountArguments + ["--start-timeout", "5s"] + options).map { "'\($0)'" }.joined(
                separator: " ")
            let output = try site.run(script: command, within: .seconds(14))
            #expect(output.status == 5, "\(output)")
            for word in words { #expect(output.errorText.contains(word), "\(output)") }
            #expect(!site.isMounted)
        }

        @Test("a certificate of an unknown authority ends the start with 5, and ca-file is named")
        func unknownAuthority() throws {
            try withServer(names: ["localhost"]) { site, _ in
                try expectRefused(site, [], ["certificate of localhost:\(site.server.port)", "option ca-file"])
            }
        }

        @Test("a certificate for another name ends the start with 5, and the name is what to mend")
        func wrongName() throws {
            try withServer(names: ["elsewhere.example"]) { site, authority in
                try expectRefused(site, ["--ca-file", authority], ["localhost", "a name that its certificate is for"])
            }
        }

        @Test("an expired certificate ends the start with 5, and is said to have expired")
        func expired() throws {
            try withServer(names: ["localhost"], days: -1) { site, authority in
                try expectRefused(site, ["--ca-file", authority], ["expired", "must renew it"])
            }
        }

        @Test("plain HTTP where the server speaks TLS, and the other way round, end with 5 and say so")
        func mixedUp() throws {
            try withServer(names: ["localhost"]) { site, _ in
                try expectRefused(site, ["--endpoint", "http://localhost:\(site.server.port)"], ["https"])
            }
            try Site.with(mounts: false) { site in
                try expectRefused(site, ["--endpoint", "localhost:\(site.server.port)"], ["write http://"])
            }
        }

        @Test("the bucket's name may stand in the host, in the path, or be all of the host")
        func addressing() throws {
            try Site.with(mounts: false) { site in
                let port = site.server.port
                let own = "http://\(ServerProcess.bucket).localhost:\(port)"
                for (form, endpoint) in [
                    ("virtual", "http://localhost:\(port)"), ("path", "http://localhost:\(port)"),
                    ("auto", "http://localhost:\(port)"), ("cname", own),
                ] {
                    try site.mount(["--endpoint", endpoint, "--addressing", form])
                    try site.sh(
                        """
                        mkdir -p "$M/中文 dir"; echo \(form) > "$M/中文 dir/\(form)"; mv "$M/中文 dir/\(form)" "$M/\(form)"
                        test "$(judge oss2 get \(form))" = \(form)
                        test "$(cat "$M/virtual")" = virtual; ls "$M" | grep -x \(form)
                        """)
                    try site.unmount()
                }
            }
        }
    }
}
