import TestSupport
import Testing

extension ApplicationTests {
    /// Files far larger than the budget: streams, rewrites, holes and edits.
    @Suite struct LargeFileTests {
        private static let memory = ["--memory", "64MiB"]

        @Test("the header of a stream of 500 MiB is rewritten at its end")
        func headerRewritten() throws {
            try Site.with(options: Self.memory) { site in
                try site.sh(
                    Site.workloads + """
                        workloads stream-then-header "$T/f" 500
                        workloads stream-then-header "$M/f" 500
                        """, within: .seconds(90))
                try site.remount(Self.memory)
                try site.sh("cmp \"$T/f\" \"$M/f\"; judge oss2 same f \"$T/f\"", within: .seconds(90))
            }
        }

        @Test("truncate -s 5G makes an object of 5 GiB of zeros, to which more can be written")
        func extendedByTruncation() throws {
            try Site.with(options: Self.memory) { site in
                try site.sh(
                    """
                    truncate -s 5G "$M/f"
                    printf end >> "$M/f"
                    test "$(stat -c %s "$M/f")" = 5368709123
                    """, within: .seconds(120))
                try site.remount(Self.memory)
                try site.sh(
                    """
                    test "$(stat -c %s "$M/f")" = 5368709123
                    test "$(tail -c 4 "$M/f" | od -An -c | tr -d ' ')" = '\\0end'
                    for at in 0 1000000000 3221225472 5368708096; do
                        dd if="$M/f" bs=4k iflag=skip_bytes skip=$at count=1 status=none | head -c 1000 | cmp - <(head -c 1000 /dev/zero)
                    done
                    judge oss2 head f | grep -x 'content-length: 5368709123'
                    """, within: .seconds(60))
            }
        }

        @Test("dd conv=notrunc writes into a large file and leaves the rest alone")
        func writtenInto() throws {
            try Site.with(options: Self.memory) { site in
                try site.sh(
                    Site.workloads + """
                        workloads stream-then-header "$T/f" 150
                        cp "$T/f" "$M/f"
                        head -c 20000000 /dev/urandom > "$T/piece"
                        for target in "$T/f" "$M/f"; do
                            dd if="$T/piece" of="$target" bs=64k seek=1000 conv=notrunc status=none
                            dd if="$T/piece" of="$target" bs=1M count=1 oflag=seek_bytes seek=155000001 conv=notrunc status=none
                        done
                        cmp "$T/f" "$M/f"
                        """, within: .seconds(90))
                try site.remount(Self.memory)
                try site.sh("cmp \"$T/f\" \"$M/f\"; judge v2 same f \"$T/f\"", within: .seconds(60))
            }
        }

        @Test(
            "until a file of 512 MiB is closed other clients see what was there before, then the whole",
            arguments: [true, false])
        func invisibleUntilClosed(_ hasOld: Bool) throws {
            try Site.with(options: Self.memory) { site in
                if hasOld { try site.sh("echo old | judge oss2 put f") }
                let watcher = try site.start("judge oss2 watch f \"$T/closed\" > \"$T/watch\"")
                let isWatching = eventually(within: .seconds(20)) {
                    FileSystemPath.contents(site.scratch + "/watch").contains(0x0A)
                }
                #expect(isWatching, "\(watcher.output)")
                let old = try site.sh("head -n 1 \"$T/watch\" | cut -d ' ' -f 2").filter { $0 != "\n" }
                #expect((old == "absent") != hasOld)
                try site.sh(Site.workloads + "workloads slow-close \"$M/f\" 512", within: .seconds(90))
                #expect(try site.wait(watcher, within: .seconds(10)).status == 0)
                print(try site.sh(Site.workloads + "workloads check-watch \(old) 536870912"))
            }
        }
    }
}
