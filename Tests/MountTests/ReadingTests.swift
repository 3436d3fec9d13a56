import TestSupport
import Testing

extension MountTests {
    /// Ways to read and to be read, beside plain read(2).
    @Suite struct ReadingTests {
        @Test("O_DIRECT reads and writes have the right bytes, also at an odd end")
        func direct() throws {
            try Site.with { site in
                try site.sh(
                    """
                    head -c 9999999 /dev/urandom > "$T/d"
                    dd if="$T/d" of="$M/d" bs=1M oflag=direct status=none
                    cmp "$T/d" "$M/d"
                    """)
                try site.remount()
                try site.sh(
                    """
                    dd if="$M/d" bs=64K iflag=direct status=none | cmp - "$T/d"
                    dd if="$M/d" bs=4K skip=1000 count=3 iflag=direct status=none \
                        | cmp - <(dd if="$T/d" bs=4K skip=1000 count=3 status=none)
                    """)
            }
        }

        @Test("a mapped file reads as it is, and stores through a mapping are in the bucket after close")
        func mapped() throws {
            try Site.with { site in
                try site.sh("head -c 20000000 /dev/urandom > \"$T/m\"; cp \"$T/m\" \"$M/m\"")
                try site.remount()
                try site.sh(
                    """
                    steps mapped-reads
                    steps mapped-stores
                    printf mapped | dd of="$T/m" bs=1 seek=70000 conv=notrunc status=none
                    cmp "$T/m" "$M/m"
                    """)
                try site.remount()
                try site.sh("steps mapped-reads")
            }
        }

        @Test("SEEK_DATA and SEEK_HOLE find data up to the end, without a request")
        func seeks() throws {
            try Site.with { site in
                try site.sh("head -c 100000 /dev/urandom > \"$M/s\"")
                try site.sh("steps seeks 3< \"$M/s\"; steps seeks 3< \"$M/s\"")
            }
        }

        @Test("fallocate makes a file longer with zeros, keeps its length where told to, and punches no holes")
        func allocates() throws {
            try Site.with { site in
                try site.sh(
                    """
                    cd "$M"
                    seq 1000 > a
                    fallocate -l 50000 a
                    cmp a <(seq 1000; head -c $((50000 - $(seq 1000 | wc -c))) /dev/zero)
                    fallocate -n -o 40000 -l 50000 a; fallocate -l 10 a
                    test "$(stat -c %s a)" = 50000
                    fails fallocate -p -o 0 -l 4096 a 2> "$T/why"
                    grep -qi unsupported "$T/why"
                    fallocate -l 4096 new; cmp new <(head -c 4096 /dev/zero)
                    """)
                try site.remount()
                try site.sh("test \"$(stat -c %s \"$M/a\") $(stat -c %s \"$M/new\")\" = '50000 4096'")
            }
        }

        @Test("a small file that somebody else replaced is read in its new version after the next open")
        func replacedSmall() throws {
            try Site.with(options: ["--metadata-ttl", "1h"]) { site in
                try site.sh("seq 1000 > \"$T/one\"; seq 2000 > \"$T/two\"; judge oss2 put f < \"$T/one\"")
                try site.sh("ls \"$M\"; cmp \"$M/f\" \"$T/one\"; judge oss2 put f < \"$T/two\"; sleep 1.1")
                try site.sh(
                    "cmp \"$M/f\" \"$T/two\"; judge oss2 put f < \"$T/one\"; sleep 1.1; cmp \"$M/f\" \"$T/one\"")
            }
        }

        @Test("with memory=64MiB neither 2 GiB in order nor twenty readers at once take 60 MiB more than that")
        func memory() throws {
            // The server makes the bytes up, so that nothing holds 2 GiB; what is written doesn't matter then.
            try Site.with(options: ["--memory", "1GiB"], server: ["--bodies", "synthetic"]) { site in
                try site.sh(
                    "truncate -s 512M \"$T/z\"; for i in 0 1 2 3; do cp \"$T/z\" \"$M/z$i\"; done",
                    within: .seconds(120))
                try site.remount(["--memory", "64MiB"])
                try site.sh("cat \"$M\"/z? | wc -c | grep -qx 2147483648", within: .seconds(120))
                let sequential = try peakMiB(site)
                #expect(sequential <= 124, "in order: \(sequential) MiB")
                try site.remount(["--memory", "64MiB"])
                try site.sh(
                    """
                    pids=
                    for i in $(seq 0 19); do
                        dd if="$M/z$((i % 4))" of=/dev/null bs=1M skip=$((i / 4 * 100)) count=100 status=none & pids="$pids $!"
                    done
                    for pid in $pids; do wait $pid; done
                    """, within: .seconds(120))
                let parallel = try peakMiB(site)
                #expect(parallel <= 124, "twenty at once: \(parallel) MiB")
            }
        }

        /// The most memory that the daemon ever had resident.
        private func peakMiB(_ site: Site) throws -> Int {
            let daemon = try #require(site.daemons.first)
            let text = try site.sh("grep VmHWM /proc/\(daemon)/status | tr -dc 0-9")
            return try #require(Int(text)) / 1024
        }
    }
}
