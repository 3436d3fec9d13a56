import TestSupport
import Testing

extension ApplicationTests {
    /// git, tar, zip and a video muxer, by their own checks.
    @Suite struct ArchiveTests {
        private static let tree = """
            python3 "$REPOSITORY/Tests/Interop/make-tree.py" "$T/tree" --pictures 12 --megabytes 24 --small 60 --folders 5

            """

        @Test("a git repository is made, packed, checked and cloned from and to")
        func git() throws {
            try Site.with { site in
                try site.sh(
                    """
                    export HOME="$T" GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.com
                    export GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.com
                    commit() { # FOLDER COUNT
                        for i in $(seq "$2"); do
                            seq "$i" 2000 > "$1/file$((i % 7))"; mkdir -p "$1/d$((i % 3))"; echo "$i" > "$1/d$((i % 3))/n$i"
                            git -C "$1" add -A; git -C "$1" commit -q -m "commit $i"
                        done
                    }
                    git init -q -b main "$T/origin"; commit "$T/origin" 5
                    git init -q -b main "$M/made"; commit "$M/made" 20
                    git -C "$M/made" gc -q
                    git -C "$M/made" fsck --strict
                    git clone -q "$T/origin" "$M/cloned"
                    git -C "$M/cloned" fsck --strict
                    git clone -q "$M/made" "$T/back"
                    test "$(git -C "$T/back" rev-list --count HEAD)" = 20
                    test -z "$(git -C "$M/made" status --porcelain)"
                    """, within: .seconds(90))
                try site.remount()
                try site.sh(
                    """
                    export HOME="$T"
                    git config --global --add safe.directory '*'
                    git -C "$M/made" fsck --strict
                    test -z "$(git -C "$M/cloned" status --porcelain)"
                    diff -r --exclude=.git "$M/cloned" "$T/origin"
                    diff -r --exclude=.git "$M/made" "$T/back"
                    """, within: .seconds(90))
            }
        }

        @Test("tar packs, unpacks, appends and finds no difference")
        func tar() throws {
            try Site.with { site in
                try site.sh(
                    Self.tree + """
                        tar -C "$T" -cf "$T/a.tar" tree
                        tar -C "$M" -xf "$T/a.tar"
                        tar -C "$M" -df "$T/a.tar"
                        tar -C "$M" -cf "$M/b.tar" tree
                        echo more > "$T/more"
                        tar -C "$T" -rf "$M/b.tar" more
                        tar -C "$M" -df "$M/b.tar" tree
                        """)
                try site.remount()
                try site.sh(
                    """
                    tar -C "$M" -df "$T/a.tar"
                    tar -C "$M" -df "$M/b.tar" tree
                    tar -C "$T" -df "$M/b.tar"
                    """)
            }
        }

        @Test("zip makes and updates archives that unzip finds whole")
        func zip() throws {
            try Site.with { site in
                try site.sh(
                    Self.tree + """
                        cd "$T"
                        zip -q -r "$M/a.zip" tree/pictures
                        unzip -tqq "$M/a.zip"
                        echo more > tree/pictures/more
                        zip -q "$M/a.zip" tree/pictures/more
                        zip -q -d "$M/a.zip" 'tree/pictures/IMG_0001.JPG'
                        unzip -tqq "$M/a.zip"
                        unzip -q "$M/a.zip" -d "$M/unpacked"
                        rm tree/pictures/IMG_0001.JPG
                        diff -r "$T/tree/pictures" "$M/unpacked/tree/pictures"
                        """)
                try site.remount()
                try site.sh("unzip -tqq \"$M/a.zip\"; diff -r \"$T/tree/pictures\" \"$M/unpacked/tree/pictures\"")
            }
        }

        @Test("a video of 60 MiB whose index moves to the front is the same as when it is done locally")
        func faststart() throws {
            try Site.with { site in
                try site.sh(
                    Site.workloads + """
                        workloads faststart "$T"
                        workloads faststart "$M"
                        cmp "$T/video" "$M/video"
                        """)
                try site.remount()
                try site.sh("cmp \"$T/video\" \"$M/video\"; judge v2 same video \"$T/video\"")
            }
        }
    }
}
