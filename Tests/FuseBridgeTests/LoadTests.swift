import FileSystemCore
import Glibc
import Runtime
import Testing

@testable import FuseBridge

extension KernelTests {
    @Suite struct LoadTests {
        @Test("with 200 readers waiting, df and ls of cached things answer at once", .timeLimit(.minutes(1)))
        func manyReaders() throws {
            let mount = try TestMount()
            defer { mount.end() }
            for number in 0..<200 { mount.files.put("f\(number)", Array("data \(number)\n".utf8)) }
            #expect(shell(mount, #"ls -l "$D" | wc -l"#).text == "201\n")
            mount.files.hold("read")
            let children = (0..<200).compactMap { number in
                // Half of them wait for a page, half for the request itself.
                ChildProcess(
                    ["dd", "if=\(mount.path)/f\(number)", "bs=4k", "status=none"]
                        + (number % 2 == 0 ? [] : ["iflag=direct"]))
            }
            #expect(children.count == 200)
            // Page readers beyond max_background wait in the kernel.
            #expect(mount.files.waitForHeld(164))
            let start = Deadline.now
            #expect(shell(mount, #"df "$D" > /dev/null && ls -l "$D" | wc -l"#).text == "201\n")
            #expect(start.advanced(by: .seconds(1)) > .now)
            children[1].signal(SIGKILL)
            children[2].signal(SIGKILL)
            #expect(children[1].wait(.seconds(1)) == 128 + SIGKILL)
            #expect(children[2].wait(.seconds(1)) == 128 + SIGKILL)
            mount.files.release()
            for (number, child) in children.enumerated() where number != 1 && number != 2 {
                #expect(child.wait(.seconds(10)) == 0)
                #expect(child.text == "data \(number)\n")
            }
        }

        @Test("eight processes that write and read at once get their own bytes", .timeLimit(.minutes(1)))
        func parallelCopies() throws {
            let mount = try TestMount()
            defer { mount.end() }
            let result = shell(
                mount,
                """
                T=$(mktemp -d); trap 'rm -rf "$T"' EXIT
                for i in 1 2 3 4 5 6 7 8; do (
                  head -c 2000003 /dev/urandom > "$T/$i"
                  for j in 1 2 3; do cp "$T/$i" "$D/$i-$j" && cmp "$T/$i" "$D/$i-$j" || echo bad; done
                ) & done; wait; ls "$D" | wc -l
                """)
            #expect(result.text == "24\n")
        }
    }
}
