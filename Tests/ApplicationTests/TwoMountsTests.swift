import TestSupport
import Testing

extension ApplicationTests {
    /// Two mounts of one bucket, as two machines have them, at one object.
    @Suite struct TwoMountsTests {
        private static let prepare =
            Site.workloads + """
                head -c 1000000 /dev/zero | tr '\\0' . > "$T/f"
                judge oss2 put f < "$T/f"
                cmp "$T/f" "$M/f"; cmp "$T/f" "$N/f"

                """

        @Test("of two who edit in place, one after the other, the second gets ESTALE and keeps its bytes in a copy")
        func bothEdit() throws {
            try Site.with { site in
                try site.mountSecond()
                try site.sh(
                    Self.prepare + """
                        workloads edit-in-both
                        judge oss2 list
                        printf first | dd of="$T/f" bs=1 seek=1000 conv=notrunc status=none
                        judge oss2 get f | cmp - "$T/f"
                        test "$(judge oss2 list | wc -l)" = 2
                        conflict=$(judge oss2 list | cut -d ' ' -f 1 | grep '^f.conflict-')
                        judge oss2 get "$conflict" > "$T/kept"
                        head -c 1000000 /dev/zero | tr '\\0' . > "$T/g"
                        printf second | dd of="$T/g" bs=1 seek=900000 conv=notrunc status=none
                        cmp "$T/kept" "$T/g"
                        """)
            }
        }

        @Test("what can't be sent of a file copied from one mount to another is told to cp")
        func copyBetween() throws {
            try Site.with { site in
                try site.mountSecond()
                try site.server.admin.add(
                    ServerFault(.status, on: "PutObject", key: "to", status: 403, code: "AccessDenied"))
                // The files of a number are each mount's so-manieth: their numbers must not be taken for each other's.
                try site.sh(
                    """
                    for i in $(seq 10); do
                        echo $i > "$M/from$i"
                        fails cp "$M/from$i" "$N/to$i" 2> "$T/said"
                        grep 'Permission denied' "$T/said"
                    done
                    """)
                #expect(try site.server.admin.statistics().faults["status", default: 0] >= 10)
            }
        }

        @Test("of two who append, both tails are there")
        func bothAppend() throws {
            try Site.with { site in
                try site.mountSecond()
                try site.sh(
                    Self.prepare + """
                        workloads append-in-both
                        judge oss2 get f > "$T/got"
                        (cat "$T/f"; echo 'tail of the first'; echo 'tail of the second') | cmp - "$T/got"
                        test "$(judge oss2 list | wc -l)" = 1
                        """)
            }
        }

        @Test("of two who close at the same moment, each object is one of the two, and who is told ESTALE has a copy")
        func closedTogether() throws {
            let rounds = Programs.rounds(short: 10, long: 200)
            try Site.with { site in
                try site.mountSecond()
                try site.sh(
                    "for i in $(seq 0 \(rounds - 1)); do head -c 100000 /dev/zero | tr '\\0' . > \"$M/s$i\"; done")
                try site.server.admin.setLatency(milliseconds: 5)
                print(try site.sh(Site.workloads + "workloads close-together \(rounds)"))
                // Nothing is lost but what the window allows: who was told OK and overwritten.
                try site.sh(
                    """
                    for i in $(seq 0 \(rounds - 1)); do
                        judge oss2 get s$i > "$T/got"
                        test "$(stat -c %s "$T/got")" = 100000
                        dd if="$T/got" bs=1 skip=1000 count=6 status=none | grep -qE '^(first[.]|second)'
                    done
                    test "$(judge oss2 list | grep -c '^s[0-9]*.conflict-' || true)" = "$(cat "$T/stale")"
                    """, within: .seconds(120))
            }
        }
    }
}
