import CFuse
import FileSystemCore
import Glibc
import ObjectStore
import Testing

@testable import FuseBridge

extension KernelTests {
    @Suite struct NamespaceTests {
        @Test("files and directories are made, listed, renamed and removed", .timeLimit(.minutes(1)))
        func lifeOfNames() throws {
            let mount = try TestMount()
            defer { mount.end() }
            let result = shell(
                mount,
                """
                set -e; cd "$D"; umask 027
                mkdir d; echo one > d/a; stat -c '%a %F %h %s %b' d/a; stat -c '%a %F %h' d
                mv d/a d/b; cat d/b; mkdir d/e; mv d/b d/e/c; ls d/e; rm d/e/c; rmdir d/e d; ls -A
                """)
            #expect(result.text == "640 regular file 1 4 1\n750 directory 1\none\nc\n")
            #expect(result.status == 0)
        }

        @Test("mount and df show the source and the type", .timeLimit(.minutes(1)))
        func source() throws {
            let mount = try TestMount()
            defer { mount.end() }
            let result = shell(mount, #"df --output=source,fstype,size "$D" | tail -1 | tr -s ' '"#)
            #expect(result.text == "ossmount#test,bucket fuse.ossmount 4294967296\n")
        }

        @Test("names are bytes: what isn't UTF-8 and line feeds come through", .timeLimit(.minutes(1)))
        func oddNames() throws {
            let mount = try TestMount()
            defer { mount.end() }
            let result = shell(
                mount, #"cd "$D"; n=$(printf 'a\377\r\nb'); echo x > "$n"; ls | od -An -tx1 | tr -d ' \n'"#)
            #expect(result.text == "61ff0d0a620a")
        }

        @Test("a name known to be absent is asked once", .timeLimit(.minutes(1)))
        func negativeCaching() throws {
            let mount = try TestMount()
            defer { mount.end() }
            mount.files.state.withLock { $0.absentTimeout = .seconds(60) }
            let script = #"for i in 1 2 3 4 5; do test -e "$D/none" && exit 9; done; ls "$D/none""#
            #expect(shell(mount, script).text.contains("No such file or directory"))
            #expect(mount.files.calls("lookup") == 1)
            mount.files.state.withLock { $0.absentTimeout = .zero }
            _ = shell(mount, #"for i in 1 2 3 4 5; do test -e "$D/other"; done"#)
            #expect(mount.files.calls("lookup") == 6)
        }

        @Test("an absent name appears once the notifier said so", .timeLimit(.minutes(1)))
        func invalidatedEntry() throws {
            let mount = try TestMount()
            defer { mount.end() }
            mount.files.state.withLock { $0.absentTimeout = .seconds(600) }
            #expect(shell(mount, #"test -e "$D/late""#).status == 1)
            mount.files.put("late", Array("here".utf8))
            #expect(shell(mount, #"test -e "$D/late""#).status == 1)
            let name = try #require(FileName(Array("late".utf8)))
            mount.session.notifier.invalidateEntry(parent: .root, name: name)
            let script = #"for i in $(seq 200); do test -e "$D/late" && exec cat "$D/late"; sleep 0.02; done"#
            #expect(shell(mount, script).text == "here")
        }

        @Test("a directory of 10,000 is listed whole, each name once", .timeLimit(.minutes(1)))
        func largeDirectory() throws {
            let mount = try TestMount()
            defer { mount.end() }
            for number in 1...10_000 { mount.files.put("file-\(number)", []) }
            let result = shell(mount, #"ls "$D" | wc -l; ls "$D" | sort -u | wc -l; find "$D" -type f -size 0 | wc -l"#)
            #expect(result.text == "10000\n10000\n10000\n")
            #expect(mount.files.calls("readdirplus") > 0)
        }

        @Test("entries without attributes keep their number and are looked up by the kernel", .timeLimit(.minutes(1)))
        func unknownEntries() throws {
            let mount = try TestMount()
            defer { mount.end() }
            mount.files.put("plain", Array("abc".utf8))
            mount.files.state.withLock { $0.listsWithoutAttributes = true }
            let inode = try #require(mount.files.inode("plain")).rawValue
            let result = shell(mount, #"ls -i "$D"; find "$D" -type f -size 3c -printf '%f\n'"#)
            #expect(result.text == "\(inode) plain\nplain\n")
        }

        @Test(
            "rename that must not replace says EEXIST; mknod makes files; links have no place", .timeLimit(.minutes(1)))
        func specialCases() throws {
            let mount = try TestMount()
            defer { mount.end() }
            let result = shell(
                mount,
                """
                cd "$D"; echo a > a; echo b > b; mv -n a b; cat a b
                python3 -c 'import os,stat; os.mknod("m", 0o600 | stat.S_IFREG)'; stat -c '%a %s' m
                mkfifo p 2>&1 | grep -o 'Operation not permitted'
                ln -s a s 2>&1 | grep -o 'Operation not permitted'; ln a h 2>&1 | grep -o 'Operation not permitted'
                """)
            let refused = "Operation not permitted\n"
            #expect(result.text == "a\nb\n600 0\n" + refused + refused + refused)
            #expect(mount.files.calls("release") >= 3)
        }

        @Test("forgotten inodes give their lookups back", .timeLimit(.minutes(1)))
        func forgets() throws {
            let mount = try TestMount()
            defer { mount.end() }
            mount.files.put("f", [])
            let inode = try #require(mount.files.inode("f"))
            #expect(shell(mount, #"stat "$D/f" > /dev/null"#).status == 0)
            #expect(mount.files.state.withLock { $0.nodes[inode]?.lookups } == 1)
            let name = try #require(FileName(Array("f".utf8)))
            mount.session.notifier.invalidateEntry(parent: .root, name: name)
            let isForgotten = mount.files.state.wait(until: .after(.seconds(10))) {
                $0.nodes[inode]?.lookups == 0 ? true : nil
            }
            #expect(isForgotten == true)
        }
    }
}
