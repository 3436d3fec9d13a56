import TestSupport
import Testing

extension MountTests {
    /// Two who write one object: nothing is overwritten unseen, and nobody's bytes are lost.
    @Suite struct ConflictTests {
        @Test("an edit of an object that somebody replaced meanwhile is ESTALE, and both versions stay")
        func replacedWhileEdited() throws {
            try Site.with { site in
                try site.sh(
                    """
                    head -c 100000 /dev/zero | tr '\\0' A | judge oss2 put f
                    exec 3<> "$M/f"
                    head -c 100000 <&3 > /dev/null
                    steps edit-start
                    echo theirs | judge oss2 put f
                    steps close-stale
                    """)
                try site.sh(
                    """
                    test "$(judge oss2 get f)" = theirs
                    test "$(cat "$M/f")" = theirs
                    conflict=$(judge oss2 list | cut -d ' ' -f 1 | grep '^f.conflict-')
                    judge oss2 get "$conflict" > "$T/kept"
                    test "$(stat -c %s "$T/kept")" = 100000
                    test "$(head -c 5 "$T/kept")" = mineA
                    """)
            }
        }

        @Test("a file created exclusively that somebody else created first is EEXIST, and both versions stay")
        func createdByBoth() throws {
            try Site.with { site in
                try site.sh(
                    """
                    set -o noclobber
                    exec 3> "$M/f"
                    echo mine >&3
                    echo theirs | judge oss2 put f
                    steps close-exists
                    test "$(judge oss2 get f)" = theirs
                    conflict=$(judge oss2 list | cut -d ' ' -f 1 | grep '^f.conflict-')
                    test "$(judge oss2 get "$conflict")" = mine
                    """)
            }
        }

        @Test("a file written whole replaces what somebody else wrote meanwhile")
        func lastWriterWins() throws {
            try Site.with { site in
                try site.sh(
                    """
                    echo old | judge oss2 put f
                    exec 3> "$M/f"
                    echo mine >&3
                    echo theirs | judge oss2 put f
                    exec 3>&-
                    test "$(judge oss2 get f)" = mine
                    """)
            }
        }
    }
}
