import TestSupport
import Testing

extension MountTests {
    /// A server that fails in every way that servers do: the user sees a wait or an honest error, and whole objects.
    @Suite struct ServerFaultTests {
        @Test("a server that answers 503 for ten seconds delays work and fails none of it")
        func unavailable() throws {
            try Site.with { site in
                try site.sh("mkdir \"$M/d\"; for i in $(seq 20); do seq $i > \"$M/d/$i\"; done")
                try site.remount()
                try site.server.admin.reset()
                try site.server.admin.add(
                    ServerFault(.status, on: "*", status: 503, code: "ServiceUnavailable", seconds: 10))
                let clock = ContinuousClock.now
                let reader = try site.start(
                    "ls \"$M/d\" | wc -l; for i in $(seq 20); do cmp \"$M/d/$i\" <(seq $i); done")
                let writer = try site.start("for i in $(seq 21 40); do seq $i > \"$M/d/$i\"; done")
                let stranger = try site.start("test ! -e \"$M/never there\"")
                for process in [reader, writer, stranger] {
                    let output = try site.wait(process, within: .seconds(90))
                    #expect(output.status == 0, "\(output)")
                }
                #expect(clock.duration(to: .now) > .seconds(8))
                #expect(try site.server.admin.statistics().faults["status", default: 0] >= 5)
                try site.remount()
                try site.sh("for i in $(seq 40); do cmp \"$M/d/$i\" <(seq $i); done")
            }
        }

        @Test("bodies that are cut short are noticed and fetched again")
        func cutBodies() throws {
            try Site.with { site in
                try site.sh("head -c 30000000 /dev/urandom > \"$T/f\"; cp \"$T/f\" \"$M/f\"; cp \"$T/f\" \"$M/g\"")
                try site.remount()
                try site.server.admin.reset()
                try site.server.admin.add(ServerFault(.cut, on: "GetObject", count: 3, afterBytes: 100_000))
                try site.server.admin.add(ServerFault(.cut, on: "GetObject", count: 2))
                try site.sh("cmp \"$T/f\" \"$M/f\"; cmp \"$T/f\" \"$M/g\"")
                #expect(try site.server.admin.statistics().faults["cut"] == 5)
            }
        }

        @Test(
            "an upload that is cut, dropped before or after its effect, or answered with a wrong checksum is repeated",
            arguments: [ServerFault.Kind.cut, .dropBefore, .dropAfter, .wrongCRC])
        func brokenUploads(_ kind: ServerFault.Kind) throws {
            try Site.with { site in
                try site.server.admin.add(ServerFault(kind, on: "PutObject", count: 2, afterBytes: 50_000))
                try site.sh("head -c 3000000 /dev/urandom > \"$T/f\"; cp \"$T/f\" \"$M/f\"")
                let faults = try site.server.admin.statistics().faults
                #expect(faults[kind.rawValue, default: 0] >= 2, "\(faults)")
                try site.sh("judge oss2 get f | cmp - \"$T/f\"")
            }
        }

        @Test("bytes that differ from the object's checksum never reach a reader")
        func wrongChecksumOfGet() throws {
            try Site.with { site in
                try site.sh("head -c 3000000 /dev/urandom > \"$T/f\"; cp \"$T/f\" \"$M/f\"")
                try site.remount()
                try site.server.admin.add(ServerFault(.wrongCRC, on: "GetObject", count: 2))
                try site.sh("cmp \"$T/f\" \"$M/f\"")
                try site.remount()
                try site.server.admin.add(ServerFault(.wrongCRC, on: "GetObject"))
                let output = try site.run(script: "cat \"$M/f\" > \"$T/out\"")
                #expect(output.status == 1)
                #expect(output.errorText.contains("Input/output error"), "\(output)")
                // Three for each read(2) that the kernel makes of it.
                #expect(try site.server.admin.statistics().faults["wrong-crc", default: 0] >= 5)
                try site.server.admin.clearFaults()
                try site.sh("cmp \"$T/f\" \"$M/f\"")
            }
        }

        @Test("an upload that is refused is an error of close, and the old object stays")
        func refusedUpload() throws {
            try Site.with { site in
                try site.sh("seq 1000 > \"$M/f\"")
                try site.server.admin.add(
                    ServerFault(.status, on: "PutObject", status: 403, code: "AccessDenied"))
                let output = try site.run(script: "cp /etc/passwd \"$M/f\"")
                #expect(output.status != 0)
                #expect(output.errorText.contains("Permission denied"), "\(output)")
                #expect(try site.server.admin.statistics().faults["status", default: 0] >= 1)
                try site.sh("judge oss2 get f | cmp - <(seq 1000)")
                try site.server.admin.clearFaults()
                try site.sh("cmp \"$M/f\" <(seq 1000); cp /etc/passwd \"$M/f\"; cmp /etc/passwd \"$M/f\"")
            }
        }

        @Test("a server killed in the middle of an upload has the old object, whole")
        func killedServer() throws {
            try Site.with { site in
                try site.sh("head -c 8000000 /dev/urandom > \"$T/new\"; seq 100000 > \"$M/f\"")
                try slowDownUpload(site)
                let writer = try site.start("cp \"$T/new\" \"$M/f\"")
                try waitForUpload(site)
                site.server.killNow()
                // The mount would send it again: it goes first, so that what the server kept is all there is.
                site.killDaemons()
                _ = writer.waitForExit(within: .seconds(10))
                try site.server.start()
                try site.sh("judge oss2 get f | cmp - <(seq 100000)")
                try site.sh("umount -l \"$M\" || fusermount3 -uz \"$M\"")
            }
        }

        @Test("an upload goes through when its server is killed in the middle and comes back")
        func returningServer() throws {
            try Site.with { site in
                try site.sh("head -c 8000000 /dev/urandom > \"$T/new\"; seq 100000 > \"$M/f\"")
                try slowDownUpload(site)
                let writer = try site.start("cp \"$T/new\" \"$M/f\"")
                try waitForUpload(site)
                site.server.killNow()
                try site.server.start()
                let output = try site.wait(writer, within: .seconds(60))
                #expect(output.status == 0, "\(output)")
                try site.sh("judge oss2 get f | cmp - \"$T/new\"")
            }
        }

        private func slowDownUpload(_ site: Site) throws {
            try site.server.admin.reset()
            try site.server.admin.add(ServerFault(.slow, on: "PutObject", rate: 1_000_000))
        }

        private func waitForUpload(_ site: Site) throws {
            let hasBegun = try eventually(within: .seconds(20)) {
                try site.server.admin.statistics().faults["slow", default: 0] >= 1
            }
            guard hasBegun else { throw TestFailure("the upload never began") }
            // Some of the body has to be on its way; there is nothing to look at but the time.
            _ = eventually(within: .milliseconds(500)) { false }
        }
    }
}
