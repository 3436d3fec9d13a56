import FileSystemCore
import Glibc
import Instrumentation
import Runtime
import Testing

@testable import FuseBridge

extension KernelTests {
    @Suite struct SessionTests {
        @Test("a detached mount serves an open file until it is closed, and then ends", .timeLimit(.minutes(1)))
        func lazyDetach() throws {
            let mount = try TestMount()
            defer { mount.end() }
            let script = #"exec 5> "$D/f"; echo one >&5; echo ready; read -r line < "$0"; echo two >&5; exec 5>&-"#
            let fifo = mount.path + "-fifo"
            mkfifo(fifo, 0o600)
            defer { unlink(fifo) }
            let child = try #require(ChildProcess(["env", "D=\(mount.path)", "sh", "-c", script, fifo]))
            let deadline = Deadline.after(.seconds(10))
            while !child.text.contains("ready"), !deadline.hasPassed { usleep(2000) }
            try mount.session.detach()
            #expect(!mount.waitForEnd(.milliseconds(300)))
            #expect(shell(mount, #"ls -A "$D""#).text == "")
            #expect(run("sh", "-c", "echo go > \(fifo)").status == 0)
            #expect(child.wait(.seconds(5)) == 0)
            #expect(mount.waitForEnd(.seconds(5)))
            #expect(mount.files.data("f") == Array("one\ntwo\n".utf8))
            #expect(mount.files.state.withLock { $0.isDestroyed })
        }

        @Test("a plain umount ends the session", .timeLimit(.minutes(1)))
        func plainUnmount() throws {
            let mount = try TestMount()
            defer { mount.end() }
            #expect(shell(mount, #"ls "$D" && umount "$D""#).status == 0)
            #expect(mount.waitForEnd(.seconds(5)))
            #expect(throws: FuseMountError.notMounted) { try mount.session.detach() }
        }

        @Test("exit ends the session though a caller waits, and the caller gets an error", .timeLimit(.minutes(1)))
        func lastResort() throws {
            let mount = try TestMount()
            defer { mount.end() }
            mount.files.hold("lookup")
            let child = try #require(ChildProcess(["stat", "\(mount.path)/f"]))
            #expect(mount.files.waitForHeld(1))
            // An answer counts as given once the write returned, and its caller may be faster.
            let settled = Deadline.after(.seconds(5))
            while mount.session.requestsInFlight != 1, !settled.hasPassed { usleep(1000) }
            #expect(mount.session.requestsInFlight == 1)
            mount.session.exit()
            #expect(mount.waitForEnd(.seconds(4)))
            #expect(child.wait(.seconds(2)) == 1)
            // The late answer finds nobody, and says so.
            mount.files.release()
            #expect(mount.files.undelivered("lookup") == 1)
        }

        @Test("a reply that is dropped unanswered is EIO and an error in the log", .timeLimit(.minutes(1)))
        func droppedReply() throws {
            let mount = try TestMount()
            defer { mount.end() }
            mount.files.drop("lookup")
            #expect(shell(mount, #"stat "$D/f""#).text.contains("Input/output error"))
            #expect(mount.log.has("error fuse.reply_dropped opcode=1"))
            #expect(mount.session.requestsInFlight == 0)
        }

        @Test("an answer for a caller that was killed is told as undelivered", .timeLimit(.minutes(1)))
        func undelivered() throws {
            let mount = try TestMount()
            defer { mount.end() }
            mount.files.put("f", [])
            mount.files.hold("open")
            let child = try #require(ChildProcess(["cat", "\(mount.path)/f"]))
            #expect(mount.files.waitForHeld(1))
            // The file system's own removal at cancellation is what this test does without.
            let work = mount.files.state.withLock { $0.waiting.values.first }
            child.signal(SIGKILL)
            #expect(child.wait(.seconds(1)) == 128 + SIGKILL)
            work?()
            #expect(mount.files.undelivered("open") == 1)
        }

        @Test("the kernel reads ahead a whole request", .timeLimit(.minutes(1)))
        func readAhead() throws {
            let mount = try TestMount()
            defer { mount.end() }
            #expect(shell(mount, #"ls "$D""#).status == 0)
            let script = #"cat /sys/class/bdi/$(mountpoint -d "$D")/read_ahead_kb"#
            let deadline = Deadline.after(.seconds(5))
            var text = ""
            while text != "1024\n", !deadline.hasPassed { text = shell(mount, script).text }
            #expect(text == "1024\n")
        }

        @Test("a second mount on the same place is refused", .timeLimit(.minutes(1)))
        func secondMount() throws {
            let mount = try TestMount()
            defer { mount.end() }
            let configuration = FuseConfiguration(mountPoint: Array(mount.path.utf8), source: "x")
            let second = FuseSession(configuration: configuration, log: .silent)
            // Asks for the mount point's attributes, which this process must not do on the thread that serves: it isn't.
            #expect(throws: FuseMountError.alreadyMounted) { try second.mount() }
        }
    }
}
