import CFuse
import FileSystemCore
import Glibc
import Testing

@testable import FuseBridge

extension KernelTests {
    @Suite struct DataTests {
        @Test("bytes written by several sizes of write are read back equal", .timeLimit(.minutes(1)))
        func writeAndRead() throws {
            let mount = try TestMount()
            defer { mount.end() }
            let result = shell(
                mount,
                """
                set -e; T=$(mktemp -d); trap 'rm -rf "$T"' EXIT
                head -c 3000001 /dev/urandom > "$T/x"
                cp "$T/x" "$D/a"; dd if="$T/x" of="$D/b" bs=777 status=none; cat < "$T/x" > "$D/c"
                for f in a b c; do cmp "$T/x" "$D/$f"; done
                dd if="$D/a" of="$T/y" bs=1M iflag=direct status=none; cmp "$T/x" "$T/y"
                printf tail >> "$D/a"; tail -c 4 "$D/a"; truncate -s 10 "$D/a"; stat -c ' %s' "$D/a"
                : > "$D/b"; stat -c %s "$D/b"
                """)
            #expect(result.text == "tail 10\n0\n")
            #expect(result.status == 0)
        }

        @Test("large writes and reads come in as few requests as the kernel has room for", .timeLimit(.minutes(1)))
        func largeRequests() throws {
            let mount = try TestMount()
            defer { mount.end() }
            let result = shell(
                mount,
                """
                dd if=/dev/zero of="$D/z" bs=1M count=8 status=none && dd if="$D/z" of=/dev/null bs=1M iflag=direct status=none
                """)
            #expect(result.status == 0)
            #expect(mount.files.calls("write") == 8)
            #expect(mount.files.calls("read") <= 9)
        }

        @Test("a loop of 4 KiB writes asks for no extended attribute", .timeLimit(.minutes(1)))
        func noAttributeQuestions() throws {
            let mount = try TestMount()
            defer { mount.end() }
            let result = shell(mount, #"dd if=/dev/zero of="$D/z" bs=4k count=500 status=none"#)
            #expect(result.status == 0)
            let counts = mount.session.requestCounts
            // One question is how the kernel learns that there is no answer, if it asks at all.
            #expect(counts[UInt32(CFUSE_GETXATTR), default: 0] <= 1)
            #expect(mount.files.calls("write") >= 500)
        }

        @Test("a write by somebody without rights drops suid and sgid, one by root doesn't", .timeLimit(.minutes(1)))
        func privileges() throws {
            let mount = try TestMount(allowsOtherUsers: true)
            defer { mount.end() }
            mount.files.put("s", Array("xx".utf8), permissions: 0o6777)
            let write = #"dd if=/dev/zero of="$D/s" bs=1 count=1 conv=notrunc status=none; stat -c %a "$D/s""#
            #expect(shell(mount, write).text == "6777\n")
            let other = run(
                "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "env", "D=\(mount.path)", "sh", "-c",
                write)
            #expect(mount.files.state.withLock { $0.privilegeClears } == 1)
            #expect(other.status == 0)
            let script = #"for i in $(seq 200); do stat -c %a "$D/s" | grep -x 777 && exit; sleep 0.02; done"#
            #expect(shell(mount, script).text == "777\n")
        }

        @Test("permissions, owner and times are set, to the nanosecond", .timeLimit(.minutes(1)))
        func attributes() throws {
            let mount = try TestMount()
            defer { mount.end() }
            let result = shell(
                mount,
                """
                cd "$D"; echo hi > f; chmod 604 f; chown 12:34 f; TZ=UTC touch -m -d '2001-02-03 04:05:06.123456789' f
                TZ=UTC touch -a -d '1969-12-31 23:59:58.5' f
                TZ=UTC stat -c '%a %u %g %s %y %x' f; touch f; test "$(stat -c %Y f)" -gt 1700000000 && echo now
                """)
            let times = "2001-02-03 04:05:06.123456789 +0000 1969-12-31 23:59:58.500000000 +0000"
            #expect(result.text == "604 12 34 3 \(times)\nnow\n")
        }

        @Test("fsync and fdatasync reach the file system, each as itself", .timeLimit(.minutes(1)))
        func syncs() throws {
            let mount = try TestMount()
            defer { mount.end() }
            let script = #"echo x > "$D/f"; sync "$D/f"; sync -d "$D/f"; sync "$D""#
            #expect(shell(mount, script).status == 0)
            #expect(mount.files.calls("fsync") == 1)
            #expect(mount.files.calls("fdatasync") == 1)
            #expect(mount.files.calls("fsyncdir") == 1)
        }

        @Test("closing a file opened for reading alone sends no flush", .timeLimit(.minutes(1)))
        func readersDoNotFlush() throws {
            let mount = try TestMount()
            defer { mount.end() }
            mount.files.put("f", Array("abc".utf8))
            #expect(shell(mount, #"cat "$D/f""#).text == "abc")
            #expect(mount.files.calls("flush") == 0)
            #expect(shell(mount, #"echo d >> "$D/f""#).status == 0)
            #expect(mount.files.calls("flush") >= 1)
        }

        @Test("pages of an unchanged file stay over opens, until the notifier drops them", .timeLimit(.minutes(1)))
        func pageCache() throws {
            let mount = try TestMount()
            defer { mount.end() }
            mount.files.put("f", Array("old".utf8))
            #expect(shell(mount, #"cat "$D/f"; cat "$D/f""#).text == "oldold")
            #expect(mount.files.calls("read") == 1)
            let inode = try #require(mount.files.inode("f"))
            mount.files.state.withLock { $0.nodes[inode]?.data = Array("new".utf8) }
            mount.session.notifier.invalidateInode(inode, dropsPages: true)
            let script = #"for i in $(seq 200); do grep -q new "$D/f" && exec cat "$D/f"; sleep 0.02; done"#
            #expect(shell(mount, script).text == "new")
        }

        @Test("a mount made read-only refuses to write", .timeLimit(.minutes(1)))
        func readOnly() throws {
            let mount = try TestMount(isReadOnly: true)
            defer { mount.end() }
            #expect(shell(mount, #"echo x > "$D/f""#).text.contains("Read-only file system"))
        }
    }
}
