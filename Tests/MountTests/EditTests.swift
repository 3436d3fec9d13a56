import TestSupport
import Testing

extension MountTests {
    /// Writes at offsets: out of order, in place, over the budget; and reads of one version.
    @Suite struct EditTests {
        @Test("blocks of 4 KiB written in random order make the file")
        func randomOrder() throws {
            try Site.with { site in
                try site.sh(
                    """
                    head -c 2048000 /dev/urandom > "$T/f"
                    : > "$M/f"
                    exec 3<> "$M/f"
                    steps random-order
                    exec 3>&-
                    cmp "$T/f" "$M/f"
                    for i in 3 1 4 0 2; do
                        dd if="$T/f" of="$M/g" bs=4k skip=$((i * 100)) seek=$((i * 100)) count=100 conv=notrunc status=none
                    done
                    cmp "$T/f" "$M/g"
                    """)
                try site.remount()
                try site.sh("cmp \"$T/f\" \"$M/f\"; cmp \"$T/f\" \"$M/g\"; judge v2 get g | cmp - \"$T/f\"")
            }
        }

        @Test("an edit in place changes its bytes and keeps all others", arguments: [10_000, 3_000_000, 20_000_000])
        func editInPlace(_ size: Int) throws {
            try Site.with { site in
                try site.sh(
                    """
                    head -c \(size) /dev/urandom > "$T/f"
                    judge oss2 put f < "$T/f"
                    for target in "$T/f" "$M/f"; do
                        printf EDITED | dd of="$target" bs=1 seek=\(size / 2) conv=notrunc status=none
                        printf END >> "$target"
                        printf START | dd of="$target" conv=notrunc status=none
                    done
                    cmp "$T/f" "$M/f"
                    judge oss2 get f | cmp - "$T/f"
                    """)
            }
        }

        @Test("a hole is zeros")
        func hole() throws {
            try Site.with { site in
                try site.sh(
                    """
                    printf end | dd of="$M/f" bs=1 seek=1000000 status=none
                    cmp "$M/f" <(head -c 1000000 /dev/zero; printf end)
                    judge oss2 get f | cmp - <(head -c 1000000 /dev/zero; printf end)
                    """)
            }
        }

        @Test("a file much larger than the budget goes out while it is written, and arrives whole")
        func overBudget() throws {
            try Site.with(options: ["--memory", "16MiB"]) { site in
                try site.sh(
                    """
                    seq 30000000 > "$M/f"
                    cmp "$M/f" <(seq 30000000)
                    judge oss2 get f | cmp - <(seq 30000000)
                    """)
            }
        }

        @Test("many files through a budget that holds a few of them at a time all arrive")
        func smallBudget() throws {
            try Site.with(options: ["--memory", "32MiB"]) { site in
                try site.sh(
                    """
                    head -c 1000000 /dev/urandom > "$T/f"
                    seq 120 | xargs -P 16 -I{} cp "$T/f" "$M/{}"
                    seq 120 | xargs -P 16 -I{} cmp "$T/f" "$M/{}"
                    """, within: .seconds(90))
            }
        }

        @Test("a handle reads one version: once the object is replaced, the old bytes or ESTALE, never a mix")
        func oneVersion() throws {
            try Site.with { site in
                try site.sh(
                    """
                    head -c 33554432 /dev/zero | tr '\\0' A > "$T/a"; tr A B < "$T/a" > "$T/b"
                    judge oss2 put f < "$T/a"
                    exec 3< "$M/f"
                    python3 -c 'import os; assert os.pread(3, 4096, 0) == b"A" * 4096'
                    judge oss2 put f < "$T/b"
                    steps old-version-or-stale
                    exec 3<&-
                    cmp "$T/b" "$M/f"
                    """)
            }
        }
    }
}
