import TestSupport
import Testing

extension MountTests {
    /// Files that lose their name while programs have them open, judged by what is in the bucket.
    @Suite struct RemovedFileTests {
        /// 20 MB in the bucket that this mount has not in memory.
        private func put(_ site: Site, _ name: String) throws {
            try site.sh("seq 2800000 > \"$T/\(name)\"; judge oss2 put \(name) < \"$T/\(name)\"")
        }

        @Test("a large file that is removed while it is open is read to its end, and nothing of it stays in the bucket")
        func removed() throws {
            try Site.with { site in
                try put(site, "large")
                try site.sh(
                    """
                    cd "$M"
                    exec 4< large
                    head -c 1000 <&4 > "$T/head"
                    rm large
                    test -z "$(ls -A)"
                    judge oss2 list | grep -q orphan
                    test "$(stat -L -c %h /proc/self/fd/4)" = 0
                    cat "$T/head" - <&4 | cmp - "$T/large"
                    exec 4<&-
                    """)
                #expect(
                    try eventually(within: .seconds(10)) { try site.sh("judge oss2 list").isEmpty })
            }
        }

        @Test("a large file that another replaces is read to its end by who had it open, and the new one by others")
        func replaced() throws {
            try Site.with { site in
                try put(site, "large")
                try site.sh(
                    """
                    cd "$M"
                    exec 4< large
                    seq 10 > new
                    mv new large
                    cmp large <(seq 10)
                    cmp "$T/large" - <&4
                    exec 4<&-
                    judge oss2 get large | cmp - <(seq 10)
                    """)
                #expect(
                    try eventually(within: .seconds(10)) { try site.sh("judge oss2 list | wc -l").hasPrefix("1\n") })
            }
        }

        @Test("what is written to a file after its removal is read back there and never reaches the bucket")
        func written() throws {
            try Site.with { site in
                try put(site, "large")
                try site.sh(
                    """
                    cd "$M"
                    exec 5<> large
                    rm large
                    printf changed | dd of=/proc/self/fd/5 bs=1 seek=5000 conv=notrunc status=none 2> /dev/null ||
                        printf changed >&5
                    head -c 7 <&5 > "$T/after"
                    exec 5>&-
                    """)
                #expect(
                    try eventually(within: .seconds(10)) { try site.sh("judge oss2 list").isEmpty })
                try site.remount()
                try site.sh("test -z \"$(ls -A \"$M\")\"; test -z \"$(judge oss2 list)\"")
            }
        }

        @Test("what a killed mount had kept is removed by the next, and another mount's stays")
        func swept() throws {
            try Site.with { site in
                try put(site, "large")
                let reader = try site.start(
                    "exec 4< \"$M/large\"; rm \"$M/large\"; touch \"$T/removed\"; exec sleep 60")
                try site.waitForFile("removed")
                try site.sh("judge oss2 list | grep -q orphan")
                try site.sh(
                    "echo x > \"$T/x\"; judge oss2 put .ossmount/orphan/00000001-00000001-00000001-1 < \"$T/x\"")
                site.killDaemons()
                reader.killGroup()
                try site.sh("umount -l \"$M\" || fusermount3 -uz \"$M\"")
                try site.mount()
                let isSwept = try eventually(within: .seconds(10)) {
                    try site.sh("judge oss2 list | wc -l").hasPrefix("1\n")
                }
                #expect(isSwept)
                try site.sh("judge oss2 list | grep -q 00000001-00000001-00000001-1; test -z \"$(ls -A \"$M\")\"")
                #expect(site.log.contains("removed what a dead mount had left"))
            }
        }
    }
}
