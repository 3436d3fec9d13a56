import TestSupport
import Testing

extension MountTests {
    /// Objects that other programs made: shown where they can be, and never damaged.
    @Suite struct ForeignObjectTests {
        @Test("changing attributes or bytes keeps an object's content headers and foreign metadata")
        func keptMetadata() throws {
            try Site.with { site in
                try site.sh(
                    """
                    for name in touched edited; do
                        seq 1000 | judge oss2 put $name Content-Type=image/x-test Cache-Control=max-age=77 \
                            Content-Disposition=inline x-oss-meta-photographer=somebody
                    done
                    chmod 600 "$M/touched"; touch -d '2020-01-01 UTC' "$M/touched"
                    printf X | dd of="$M/edited" conv=notrunc status=none
                    for name in touched edited; do
                        judge oss2 head $name > "$T/headers"
                        grep -x 'content-type: image/x-test' "$T/headers"
                        grep -x 'cache-control: max-age=77' "$T/headers"
                        grep -x 'content-disposition: inline' "$T/headers"
                        grep -x 'x-oss-meta-photographer: somebody' "$T/headers"
                    done
                    judge oss2 get touched | cmp - <(seq 1000)
                    """)
            }
        }

        @Test("new files get the content type of their ending")
        func contentTypes() throws {
            try Site.with { site in
                try site.sh(
                    """
                    echo x > "$M/a.jpg"; echo x > "$M/b.PNG"; echo x > "$M/c.html"; echo x > "$M/d"
                    judge oss2 head a.jpg | grep -x 'content-type: image/jpeg'
                    judge oss2 head b.PNG | grep -x 'content-type: image/png'
                    judge oss2 head c.html | grep 'content-type: text/html'
                    judge oss2 head d | grep -x 'content-type: application/octet-stream'
                    """)
            }
        }

        @Test("attributes written by ossfs and s3fs are read, and ours are written in their form")
        func attributeForms() throws {
            try Site.with { site in
                try site.sh(
                    """
                    echo x | judge oss2 put theirs x-oss-meta-mode=33152 x-oss-meta-uid=12 x-oss-meta-gid=34 \
                        x-oss-meta-mtime=1577934245
                    echo x | judge oss2 put rclone x-oss-meta-mtime=1577934245.123456789
                    test "$(stat -c '%a %u %g %Y' "$M/theirs")" = "600 12 34 1577934245"
                    test "$(date -u -r "$M/rclone" +%s.%N)" = 1577934245.123456789
                    echo y > "$M/ours"; chmod 640 "$M/ours"; touch -d '@1577934245.5' "$M/ours"
                    judge oss2 head ours > "$T/headers"
                    grep -x 'x-oss-meta-mode: 33184' "$T/headers"
                    grep -E '^x-oss-meta-mtime: 1577934245\\.5' "$T/headers"
                    """)
            }
        }

        @Test("keys that can't be files are hidden, and their directory works")
        func hiddenKeys() throws {
            try Site.with { site in
                try site.sh(
                    """
                    for key in d//a d/./b d/../c d//; do echo x | judge oss2 put $key; done
                    echo good | judge oss2 put d/good
                    test "$(ls -A "$M/d")" = good
                    test "$(ls -A "$M")" = d
                    test "$(cat "$M/d/good")" = good
                    echo new > "$M/d/new"
                    test "$(ls -A "$M/d" | wc -l)" = 2
                    fails rm "$M/d" 2> /dev/null
                    """)
            }
        }

        @Test("where a key is also a prefix the directory shows, and neither is lost")
        func fileAndDirectory() throws {
            try Site.with { site in
                try site.sh(
                    """
                    echo object | judge oss2 put a; echo below | judge oss2 put a/b
                    test -d "$M/a"
                    test "$(cat "$M/a/b")" = below
                    ls -l "$M" "$M/a" > /dev/null
                    echo more > "$M/a/c"
                    test "$(judge oss2 get a)" = object
                    """)
            }
        }

        @Test("a directory of more than two pages is listed completely, before and after a new mount")
        func manyObjects() throws {
            try Site.with { site in
                try site.sh(
                    """
                    mkdir -p "$T/tree/many/sub"
                    for i in $(seq 2100); do echo $i > "$T/tree/many/$i"; done
                    for i in $(seq 5); do echo $i > "$T/tree/many/sub/$i"; done
                    judge oss2 put-tree "$T/tree"
                    diff <(cd "$T/tree" && find . | sort) <(cd "$M" && find . | sort)
                    rm "$M/many/77"; echo new > "$M/many/new"
                    test "$(ls "$M/many" | wc -l)" = 2101
                    """, within: .seconds(90))
                try site.remount()
                try site.sh("test \"$(ls \"$M/many\" | wc -l)\" = 2101; diff -r \"$T/tree/many/sub\" \"$M/many/sub\"")
            }
        }

        @Test("a read-only mount reads and refuses every change")
        func readOnly() throws {
            try Site.with(options: ["-o", "ro"]) { site in
                try site.sh(
                    """
                    echo x | judge oss2 put d/f
                    test "$(cat "$M/d/f")" = x
                    for change in "touch $M/new" "mkdir $M/dir" "rm $M/d/f" "mv $M/d/f $M/g" "chmod 600 $M/d/f" \
                        "truncate -s 0 $M/d/f"; do
                        fails $change 2> "$T/said"
                        grep -q 'Read-only file system' "$T/said"
                    done
                    test "$(judge oss2 list | wc -l)" = 1
                    """)
            }
        }
    }
}
