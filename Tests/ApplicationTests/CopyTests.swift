import TestSupport
import Testing

extension ApplicationTests {
    /// cp and rsync: what they copy is there after a new mount, and a second run finds nothing to do.
    @Suite struct CopyTests {
        /// Borders of a page, of a block, of what goes by one request; then what takes many.
        private static let sizes = [
            0, 1, 4095, 4096, 4097, 262_143, 262_144, 262_145, 8_388_607, 8_388_608, 8_388_609, 104_857_600,
            209_715_200,
        ]

        /// More than the largest file, and far less.
        private static let memories = ["512MiB", "64MiB"]

        private func makeTree(_ site: Site, largest: Int = .max) throws {
            let sizes = Self.sizes.filter { $0 <= largest }.map(String.init).joined(separator: " ")
            try site.sh(Site.workloads + "workloads make-sizes \"$T/tree\" \(sizes)")
        }

        /// The copy `$M/tree` is `$T/tree`: here, after a new mount, and for an SDK; and rsync has nothing more to do.
        private func expectSame(_ site: Site, judge sdk: String) throws {
            try site.remount()
            try site.sh(
                """
                diff -r "$T/tree" "$M/tree"
                rsync -ai "$T/tree/" "$M/tree/" > "$T/said"
                test ! -s "$T/said" || { cat "$T/said"; exit 1; }
                """, within: .seconds(90))
            try site.sh(
                """
                mkdir "$T/bucket"
                mv "$T/tree" "$T/bucket/tree"
                judge \(sdk) compare "$T/bucket"
                """, within: .seconds(90))
        }

        @Test("cp -a of files up to 200 MiB", arguments: memories)
        func copy(_ memory: String) throws {
            try Site.with(options: ["--memory", memory]) { site in
                try makeTree(site)
                try site.sh("cp -a \"$T/tree\" \"$M/\"", within: .seconds(90))
                try expectSame(site, judge: "oss2")
            }
        }

        @Test("rsync -a of files up to 200 MiB", arguments: memories)
        func rsync(_ memory: String) throws {
            try Site.with(options: ["--memory", memory]) { site in
                try makeTree(site)
                try site.sh("rsync -a \"$T/tree/\" \"$M/tree/\"", within: .seconds(90))
                try expectSame(site, judge: "v2")
            }
        }

        @Test(
            "rsync changes what is there, in place or not",
            arguments: ["--inplace --no-whole-file", "--append-verify", "-S", "--inplace -S", "--no-whole-file"])
        func rsyncAgain(_ options: String) throws {
            try Site.with { site in
                try makeTree(site, largest: 8_388_609)
                // Shorter first; what --append-verify finds is a beginning of what is to come.
                try site.sh(
                    """
                    cp -a "$T/tree" "$T/whole"
                    for file in "$T"/tree/*/*.bin; do
                        test -s "$file" || continue
                        truncate -s $(( $(stat -c %s "$file") / 2 )) "$file"; touch -d @900000000 "$file"
                    done
                    rsync -a \(options) "$T/tree/" "$M/tree/"
                    rm -r "$T/tree"; mv "$T/whole" "$T/tree"
                    rsync -a \(options) "$T/tree/" "$M/tree/"
                    """)
                if !options.contains("append") {
                    try site.sh(
                        """
                        printf EDITED | dd of="$T/tree/part0/8388608.bin" bs=1 seek=4000000 conv=notrunc status=none
                        truncate -s 5000000 "$T/tree/part1/8388609.bin"
                        truncate -s 9000000 "$T/tree/part1/8388609.bin"
                        for folder in "$T"/tree/part?; do touch -d @1000000001 "$folder"; done
                        rsync -a \(options) "$T/tree/" "$M/tree/"
                        """)
                }
                try expectSame(site, judge: "oss2")
            }
        }

        @Test("cp of a file with holes")
        func sparse() throws {
            try Site.with { site in
                try site.sh(
                    """
                    for at in 0 5000000 33554432 60000000; do
                        head -c 100000 /dev/urandom | dd of="$T/f" bs=1M seek=$at oflag=seek_bytes conv=notrunc status=none
                    done
                    truncate -s 67108865 "$T/f"
                    cp --sparse=always "$T/f" "$M/f"
                    cp --sparse=always "$M/f" "$M/g"
                    """)
                try site.remount()
                try site.sh("cmp \"$T/f\" \"$M/f\"; cmp \"$T/f\" \"$M/g\"; judge v2 same g \"$T/f\"")
            }
        }
    }
}
