import TestSupport
import Testing

extension MountTests {
    /// The main job: a tree goes in by cp, and is in the bucket as it was.
    @Suite struct PictureCopyTests {
        @Test("300 pictures and 500 oddly named files copied in are the same after a new mount and for both SDKs")
        func copyTree() throws {
            try Site.with { site in
                try site.sh(
                    """
                    python3 "$REPOSITORY/Tests/Interop/make-tree.py" "$T/tree" --pictures 300 --megabytes 600
                    cp -r "$T/tree/." "$M/"
                    """, within: .seconds(120))
                try site.remount()
                try site.sh("diff -r \"$T/tree\" \"$M\"", within: .seconds(120))
                // Both at once: they are slower than the server.
                try site.sh(
                    """
                    judge v2 compare "$T/tree" > "$T/v2" & v2=$!
                    judge oss2 compare "$T/tree" || { cat "$T/v2"; exit 1; }
                    wait $v2 || { cat "$T/v2"; exit 1; }
                    """, within: .seconds(150))
            }
        }

        @Test("objects that an SDK puts appear in listings and open with their bytes", arguments: ["oss2", "v2"])
        func foreignObjects(_ sdk: String) throws {
            try Site.with(options: ["--metadata-ttl", "1s"]) { site in
                try site.sh(
                    """
                    python3 "$REPOSITORY/Tests/Interop/make-tree.py" "$T/tree" --pictures 3 --megabytes 5 --small 120 \
                        --folders 4
                    judge \(sdk) put-tree "$T/tree"
                    diff -r "$T/tree" "$M"
                    """, within: .seconds(90))
                // One that comes while its directory is known shows once the listing is too old.
                try site.sh("ls \"$M/pictures\" > /dev/null; echo late | judge \(sdk) put pictures/late.txt")
                let isShown = try eventually(within: .seconds(10)) {
                    try site.run(script: "test \"$(cat \"$M/pictures/late.txt\")\" = late").status == 0
                }
                #expect(isShown)
                try site.sh("ls \"$M/pictures\" | grep -x late.txt")
            }
        }

        @Test("an object that an SDK replaces shows its new bytes at the next open")
        func foreignReplacement() throws {
            try Site.with { site in
                try site.sh(
                    """
                    echo first | judge oss2 put f
                    test "$(cat "$M/f")" = first
                    echo the second version | judge oss2 put f
                    # What the server said of it less than a second ago counts as asked.
                    sleep 1.1
                    test "$(cat "$M/f")" = "the second version"
                    """)
            }
        }

        @Test("a name that is not UTF-8 is refused with EILSEQ at create, mkdir and rename")
        func invalidNames() throws {
            try Site.with { site in
                try site.sh("steps invalid-names")
            }
        }

        @Test("names that differ only in normalisation stay two files")
        func normalisation() throws {
            try Site.with { site in
                try site.sh(
                    """
                    composed=$(printf 'caf\\303\\251'); decomposed=$(printf 'cafe\\314\\201')
                    echo 1 > "$M/$composed"
                    test ! -e "$M/$decomposed"
                    echo 2 > "$M/$decomposed"
                    """)
                try site.remount()
                try site.sh(
                    """
                    composed=$(printf 'caf\\303\\251'); decomposed=$(printf 'cafe\\314\\201')
                    test "$(cat "$M/$composed") $(cat "$M/$decomposed")" = "1 2"
                    test "$(ls "$M" | wc -l)" = 2
                    """)
            }
        }
    }
}
