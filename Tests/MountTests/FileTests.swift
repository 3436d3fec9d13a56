import TestSupport
import Testing

extension MountTests {
    /// Files and directories as POSIX has them, each again after a new mount, where only the bucket can tell.
    @Suite struct FileTests {
        /// Runs `change`, then `check` twice: at once, and after a new mount.
        private func run(_ change: String, thenTwice check: String, options: [String] = []) throws {
            try Site.with(options: options) { site in
                try site.sh(change)
                try site.sh(check)
                try site.remount(options)
                try site.sh(check)
            }
        }

        @Test("files are written, appended to, overwritten and truncated")
        func contents() throws {
            try run(
                """
                cd "$M"
                echo one > written
                echo a > appended; echo b >> appended; echo c >> appended
                echo long first version > overwritten; echo short > overwritten
                seq 100000 > truncated; truncate -s 10 truncated
                echo x > grown; truncate -s 5000 grown
                echo x > emptied; : > emptied
                touch created
                """,
                thenTwice: """
                    cd "$M"
                    test "$(cat written)" = one
                    test "$(tr '\\n' ' ' < appended)" = "a b c "
                    test "$(cat overwritten)" = short
                    cmp truncated <(seq 100000 | head -c 10)
                    cmp grown <(printf 'x\\n'; head -c 4998 /dev/zero)
                    test -f emptied; test ! -s emptied; test -f created; test ! -s created
                    test "$(stat -c %s grown)" = 5000
                    test "$(ls | wc -l)" = 7
                    """)
        }

        @Test("files are renamed, over others too, and removed")
        func names() throws {
            try run(
                """
                cd "$M"; mkdir d
                echo 1 > a; mv a b
                echo 2 > c; echo old > target; mv c target
                echo 3 > e; mv e d/f
                seq 200000 > big; mv big d/big
                echo 4 > gone; rm gone
                mkdir empty; rmdir empty
                """,
                thenTwice: """
                    cd "$M"
                    test ! -e a; test ! -e c; test ! -e e; test ! -e gone; test ! -e empty; test ! -e big
                    test "$(cat b)$(cat target)$(cat d/f)" = 123
                    cmp d/big <(seq 200000)
                    test "$(ls | tr '\\n' ' ')" = "b d target "
                    """)
        }

        @Test("directories nest, stay when empty, and are not removed while something is in them")
        func directories() throws {
            try run(
                """
                cd "$M"; mkdir -p a/b/c/d empty
                echo x > a/b/c/d/f
                fails rmdir a/b/c/d
                fails mkdir a
                fails rm a
                fails rmdir a/b/c/d/f
                fails mkdir missing/x
                """,
                thenTwice: """
                    cd "$M"
                    test -d empty; test -z "$(ls -A empty)"
                    test "$(cat a/b/c/d/f)" = x
                    test "$(find . | LC_ALL=C sort | tr '\\n' ' ')" = ". ./a ./a/b ./a/b/c ./a/b/c/d ./a/b/c/d/f ./empty "
                    """)
        }

        @Test("errors are those of POSIX")
        func errors() throws {
            try Site.with { site in
                try site.sh("steps posix-errors")
            }
        }

        @Test("mode, owner and times of files persist, to the nanosecond")
        func fileAttributes() throws {
            try run(
                """
                cd "$M"; echo x > f; chmod 640 f; chown 1234:2345 f
                touch -d '2020-01-02 03:04:05.123456789 UTC' f
                (umask 077; echo y > private)
                echo z > "$T/source"; chmod 755 "$T/source"; touch -d '2001-02-03 04:05:06 UTC' "$T/source"
                cp -p "$T/source" copied
                """,
                thenTwice: """
                    cd "$M"
                    test "$(stat -c '%a %u %g' f)" = "640 1234 2345"
                    test "$(date -u -r f +%FT%T.%N)" = 2020-01-02T03:04:05.123456789
                    test "$(stat -c %a private)" = 600
                    test "$(stat -c %a copied) $(date -u -r copied +%FT%T)" = "755 2001-02-03T04:05:06"
                    test "$(cat f)$(cat copied)" = xz
                    """)
        }

        @Test("mode and owner of directories persist")
        func directoryAttributes() throws {
            try run(
                """
                cd "$M"; mkdir d; mkdir -m 700 private; chmod 750 d; chown 1234:2345 d
                """,
                thenTwice: """
                    cd "$M"
                    test "$(stat -c '%a %u %g' d)" = "750 1234 2345"
                    test "$(stat -c %a private)" = 700
                    """)
        }

        @Test("plain objects have sane modes and the server's time")
        func plainObjects() throws {
            try Site.with { site in
                try site.sh(
                    """
                    echo x | judge oss2 put dir/plain
                    cd "$M"
                    test "$(stat -c '%a %F' dir)" = "755 directory"
                    test "$(stat -c '%a %F %s' dir/plain)" = "644 regular file 2"
                    age=$(( $(date +%s) - $(stat -c %Y dir/plain) )); test $age -ge -2; test $age -lt 30
                    """)
            }
        }

        @Test("a file open elsewhere is read with the bytes written so far")
        func readWhileWritten() throws {
            try Site.with { site in
                try site.sh(
                    """
                    exec 3> "$M/f"
                    echo first >&3
                    test "$(cat "$M/f")" = first
                    test "$(stat -c %s "$M/f")" = 6
                    echo second >&3
                    test "$(tail -n 1 "$M/f")" = second
                    exec 3>&-
                    test "$(judge oss2 get f | wc -l)" = 2
                    """)
            }
        }

        @Test("fsync means in the bucket while the file is still open")
        func fsync() throws {
            try Site.with { site in
                try site.sh(
                    """
                    exec 3> "$M/f"
                    echo data >&3
                    sync "$M/f" || python3 -c 'import os; os.fsync(3)'
                    test "$(judge oss2 get f)" = data
                    exec 3>&-
                    """)
            }
        }
    }
}
