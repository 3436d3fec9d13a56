import TestSupport
import Testing

extension MountTests {
    /// What common work costs in requests, by the server's own counters.
    @Suite struct RequestCountTests {
        private func counted(_ site: Site, _ script: String) throws -> ServerStatistics {
            try site.server.admin.reset()
            try site.sh(script)
            return try site.server.admin.statistics()
        }

        @Test(
            "writing a small file costs one PUT",
            arguments: [
                "echo hello > \"$M/f\"", "(echo a; sleep 1; echo b) > \"$M/f\"", "cp /etc/passwd \"$M/f\"",
                "dd if=/dev/zero of=\"$M/f\" bs=100 count=50 status=none", "printf '' > \"$M/f\"",
            ])
        func onePut(_ script: String) throws {
            try Site.with { site in
                let statistics = try counted(site, script)
                #expect(statistics["PutObject"] == 1)
                #expect(statistics["CopyObject"] == 0)
                #expect(statistics.total <= 6, "\(statistics.requests)")
                // The second time over the object that is there.
                let again = try counted(site, script)
                #expect(again["PutObject"] == 1)
                #expect(again["CopyObject"] == 0)
            }
        }

        @Test("copying a thousand files of 10 KiB costs at most 1,020 requests")
        func copyManySmall() throws {
            try Site.with { site in
                try site.sh(
                    """
                    mkdir "$T/many"
                    head -c 10240000 /dev/urandom | split -b 10240 -a 3 -d - "$T/many/f"
                    test "$(ls "$T/many" | wc -l)" = 1000
                    """)
                let statistics = try counted(site, "cp -r \"$T/many\" \"$M/\"")
                #expect(statistics.total <= 1020, "\(statistics.requests)")
                #expect(statistics["PutObject"] >= 1000)
                try site.sh("diff -r \"$T/many\" \"$M/many\"")
            }
        }

        @Test("reading 300 files of 2 MiB costs at most 620 requests, one GET for each")
        func readManyPictures() throws {
            try Site.with { site in
                try site.sh(
                    """
                    mkdir "$T/many"
                    head -c 629145600 /dev/zero | openssl enc -aes-128-ctr -pass pass:seed -nosalt -md sha256 \
                        2> /dev/null | split -b 2097152 -a 3 -d - "$T/many/f"
                    test "$(ls "$T/many" | wc -l)" = 300
                    cp -r "$T/many" "$M/"
                    """, within: .seconds(120))
                try site.remount()
                try site.server.admin.reset()
                try site.sh("cat \"$M\"/many/* | cmp - <(cat \"$T\"/many/*)", within: .seconds(120))
                let statistics = try site.server.admin.statistics()
                #expect(statistics.total <= 620, "\(statistics.requests)")
                #expect(statistics["GetObject"] == 300)
            }
        }

        @Test("a second look at a listed directory costs no request")
        func cachedListing() throws {
            try Site.with(options: ["--metadata-ttl", "1h"]) { site in
                try site.sh("mkdir \"$M/d\"; for i in 1 2 3; do echo $i > \"$M/d/$i\"; done; ls -l \"$M/d\"")
                let statistics = try counted(
                    site, "ls -l \"$M/d\"; test ! -e \"$M/d/absent\"; df \"$M\"; stat \"$M/d/2\"")
                #expect(statistics.total == 0, "\(statistics.requests)")
            }
        }
    }
}
