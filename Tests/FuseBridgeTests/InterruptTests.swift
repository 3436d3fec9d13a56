import FileSystemCore
import Glibc
import Runtime
import Testing

@testable import FuseBridge

extension KernelTests {
    @Suite struct InterruptTests {
        /// An operation that waits, and a program that runs into it.
        struct Waiting: CustomTestStringConvertible, Sendable {
            let operation: String
            let script: String
            var testDescription: String { operation + ": " + script }

            static let all = [
                Waiting(operation: "read", script: #"exec cat "$D/f""#),
                Waiting(operation: "read", script: #"exec dd if="$D/f" bs=4k iflag=direct"#),
                Waiting(operation: "getattr", script: #"exec stat "$D""#),
                Waiting(operation: "lookup", script: #"exec stat "$D/other""#),
                Waiting(operation: "open", script: #"exec cat "$D/f""#),
                Waiting(operation: "write", script: #"exec dd if=/dev/zero of="$D/f" bs=4k count=1"#),
                Waiting(operation: "flush", script: #"exec dd if=/dev/zero of="$D/g" bs=4k count=1"#),
                Waiting(operation: "readdirplus", script: #"exec ls "$D""#),
            ]
        }

        @Test("kill -9 ends whoever waits within a second", .timeLimit(.minutes(1)), arguments: Waiting.all)
        func killed(_ waiting: Waiting) throws {
            let mount = try TestMount()
            defer { mount.end() }
            mount.files.put("f", Array("data".utf8))
            mount.files.hold(waiting.operation)
            let child = try #require(ChildProcess(["env", "D=\(mount.path)", "sh", "-c", waiting.script]))
            #expect(mount.files.waitForHeld(1))
            child.signal(SIGKILL)
            #expect(child.wait(.seconds(1)) == 128 + SIGKILL)
        }

        @Test("a writer killed elsewhere isn't kept by the flush of its exit", .timeLimit(.minutes(1)))
        func killedBeforeFlush() throws {
            let mount = try TestMount()
            defer { mount.end() }
            // The open file is flushed by the process' exit, which no signal interrupts.
            let script = #"exec sh -c 'echo ready; exec sleep 60' 5> "$D/f""#
            let child = try #require(ChildProcess(["env", "D=\(mount.path)", "sh", "-c", script]))
            let deadline = Deadline.after(.seconds(10))
            while !child.text.contains("ready"), !deadline.hasPassed { usleep(2000) }
            mount.files.hold("flush")
            child.signal(SIGKILL)
            #expect(mount.files.waitForHeld(1))
            #expect(child.wait(.seconds(1)) == 128 + SIGKILL)
        }

        @Test("the flush of an ordinary exit is waited for", .timeLimit(.minutes(1)))
        func ordinaryExit() throws {
            let mount = try TestMount()
            defer { mount.end() }
            mount.files.hold("flush")
            let child = try #require(ChildProcess(["perl", "-e", "open(F, '>', '\(mount.path)/f'); POSIX::_exit(0)"]))
            #expect(mount.files.waitForHeld(1))
            #expect(child.wait(.milliseconds(1500)) == nil)
            mount.files.release()
            #expect(child.wait(.seconds(2)) != nil)
        }

        @Test("Control-C ends a waiting reader", .timeLimit(.minutes(1)))
        func interruptedByKeyboard() throws {
            let mount = try TestMount()
            defer { mount.end() }
            mount.files.hold("lookup")
            let child = try #require(ChildProcess(["stat", "\(mount.path)/f"]))
            #expect(mount.files.waitForHeld(1))
            child.signal(SIGINT)
            #expect(child.wait(.seconds(1)) == 128 + SIGINT)
        }

        @Test("a program that handles signals gets its data, however many come while it waits", .timeLimit(.minutes(1)))
        func handledSignals() throws {
            let mount = try TestMount()
            defer { mount.end() }
            mount.files.put("f", Array("data".utf8))
            mount.files.hold("read")
            // sysread tells EINTR as it is; O_DIRECT makes the wait one for the request and not for a page.
            let program = """
                $SIG{USR1} = sub { $n++ }; sysopen(F, "\(mount.path)/f", \(directFlag)) or die "open: $!";
                my $r = sysread(F, my $b, 4096); die "read: $!" unless defined $r; print "$b $n";
                """
            let child = try #require(ChildProcess(["perl", "-e", program]))
            #expect(mount.files.waitForHeld(1))
            let end = Deadline.after(.seconds(2))
            while !end.hasPassed {
                child.signal(SIGUSR1)
                usleep(50_000)
            }
            #expect(mount.files.heldCount == 1)
            mount.files.release()
            #expect(child.wait(.seconds(2)) == 0)
            #expect(child.text.hasPrefix("data "))
            #expect(mount.session.requestCounts[36, default: 0] >= 1)
        }

        @Test("kill -9 works also after a signal that was handled", .timeLimit(.minutes(1)))
        func killedAfterHandledSignal() throws {
            let mount = try TestMount()
            defer { mount.end() }
            mount.files.put("f", Array("data".utf8))
            mount.files.hold("read")
            let program = "$SIG{USR1} = sub {}; sysopen(F, '\(mount.path)/f', \(directFlag)); sysread(F, my $b, 4096);"
            let child = try #require(ChildProcess(["perl", "-e", program]))
            #expect(mount.files.waitForHeld(1))
            child.signal(SIGUSR1)
            usleep(300_000)
            #expect(mount.files.heldCount == 1)
            child.signal(SIGKILL)
            #expect(child.wait(.seconds(1)) == 128 + SIGKILL)
        }
    }
}
