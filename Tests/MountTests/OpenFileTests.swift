import TestSupport
import Testing

extension MountTests {
    /// Files that change their name, their bytes or their existence while they are open.
    @Suite struct OpenFileTests {
        @Test("a file that is renamed while it is written ends up under its new name, whole")
        func renamedWhileWritten() throws {
            try Site.with { site in
                try site.sh(
                    """
                    cd "$M"
                    exec 3> temporary
                    echo one >&3
                    mv temporary final
                    echo two >&3
                    exec 3>&-
                    test ! -e temporary
                    test "$(tr '\\n' ' ' < final)" = "one two "
                    test "$(judge oss2 list | cut -d ' ' -f 1)" = final
                    test "$(judge oss2 get final | wc -l)" = 2
                    """)
            }
        }

        @Test("a file written aside, synced and renamed over another replaces it")
        func replacedByRename() throws {
            try Site.with { site in
                try site.sh(
                    """
                    cd "$M"
                    seq 1000 > document
                    exec 4< document
                    seq 2000 > .document.new; sync .document.new; mv .document.new document
                    cmp document <(seq 2000)
                    cmp <(seq 1000) - <&4
                    judge oss2 get document | cmp - <(seq 2000)
                    test "$(ls -A | wc -l)" = 1
                    """)
            }
        }

        @Test("a file removed while it is open can be read to its end")
        func removedWhileOpen() throws {
            try Site.with { site in
                try site.sh("seq 100000 > \"$M/u\"; steps unlinked-while-open; test -z \"$(ls -A \"$M\")\"")
                try site.sh("test -z \"$(judge oss2 list)\"")
            }
        }

        @Test("a file removed while it is written leaves nothing behind")
        func removedWhileWritten() throws {
            try Site.with { site in
                try site.sh("cd \"$M\"; exec 3> f; echo x >&3; rm f; echo y >&3; exec 3>&-; test ! -e f")
                try site.remount()
                try site.sh("test ! -e \"$M/f\"; test -z \"$(judge oss2 list)\"")
            }
        }

        @Test("bytes stored through a shared mapping after the close reach the bucket")
        func mapping() throws {
            try Site.with { site in
                try site.sh(
                    """
                    head -c 100000 /dev/urandom > "$T/m"; cp "$T/m" "$M/m"
                    steps shared-mapping
                    printf mapped | dd of="$T/m" bs=1 seek=5000 conv=notrunc status=none
                    cmp "$T/m" "$M/m"
                    """)
                try site.remount()
                try site.sh("cmp \"$T/m\" \"$M/m\"")
            }
        }

        @Test("what fsync has sent outlives the daemon")
        func syncedThenKilled() throws {
            try Site.with { site in
                let writer = try site.start(
                    "exec 3> \"$M/f\"; seq 1000 >&3; sync \"$M/f\"; touch \"$T/synced\"; exec sleep 60")
                try site.waitForFile("synced")
                site.killDaemons()
                writer.killGroup()
                try site.sh("judge oss2 get f | cmp - <(seq 1000)")
                try site.sh("umount -l \"$M\" || fusermount3 -uz \"$M\"")
            }
        }

        @Test("appenders and readers of one file at the same time lose nothing")
        func appenders() throws {
            try Site.with { site in
                try site.sh(
                    """
                    : > "$M/log"
                    pids=
                    for writer in 1 2 3 4; do
                        (exec 3>> "$M/log"; for i in $(seq 50); do echo "$writer $i" >&3; done) & pids="$pids $!"
                    done
                    for i in $(seq 20); do cat "$M/log" > /dev/null; done
                    for pid in $pids; do wait $pid; done
                    test "$(sort -u "$M/log" | wc -l)" = 200
                    """)
                try site.remount()
                try site.sh("test \"$(sort -u \"$M/log\" | wc -l)\" = 200")
            }
        }
    }
}
