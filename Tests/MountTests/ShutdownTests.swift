import Glibc
import TestSupport
import Testing

extension MountTests {
    /// How a mount ends: in order, by SIGTERM, by force.
    @Suite struct ShutdownTests {
        @Test("SIGTERM detaches the mount and everything written before and after reaches the bucket")
        func terminatedUnderLoad() throws {
            try Site.with { site in
                try site.server.admin.setLatency(milliseconds: 20)
                let writer = try site.start("steps write-around-signal")
                try site.waitForFile("written", within: .seconds(30))
                let daemon = try #require(site.daemons.first)
                kill(daemon, SIGTERM)
                let isDetached = eventually(within: .seconds(10)) { !site.isMounted }
                #expect(isDetached, "the mount is still there")
                #expect(kill(daemon, 0) == 0, "the daemon left its writers")
                try site.sh("touch \"$T/go\"")
                let output = try site.wait(writer)
                #expect(output.status == 0, "\(output)")
                #expect(site.daemonsEnd(within: .seconds(20)), "the daemon stays")
                try site.sh(
                    """
                    steps expected-around-signal
                    judge oss2 compare "$T/tree"
                    """)
            }
        }

        @Test("umount returns when everything is in the bucket, and leaves no process")
        func orderlyUnmount() throws {
            try Site.with { site in
                try site.server.admin.setLatency(milliseconds: 50)
                try site.sh("for i in $(seq 30); do seq $i > \"$M/$i\" & done; wait")
                try site.unmount()
                #expect(site.daemonsEnd(within: .seconds(5)), "the daemon stays")
                try site.sh("test \"$(judge oss2 list | wc -l)\" = 30; test -z \"$(ls \"$M\")\"")
            }
        }

        @Test("umount of a mount with an open file says what it waits for, and ends when the file is closed")
        func waitingUnmount() throws {
            try Site.with { site in
                let holder = try site.start(
                    """
                    exec 3> "$M/held-open"; echo data >&3; touch "$T/open"
                    until test -e "$T/go"; do sleep 0.02; done
                    """)
                try site.waitForFile("open")
                let unmount = try site.start("\"$OSSMOUNT\" umount \"$M\"")
                let hasSpoken = eventually(within: .seconds(10)) {
                    let said = unmount.output.text + unmount.output.errorText
                    return said.contains("\(holder.processID)") || said.contains("held-open")
                }
                #expect(hasSpoken, "umount names neither the process nor the file: \(unmount.output)")
                #expect(unmount.isRunning, "umount did not wait: \(unmount.output)")
                try site.sh("touch \"$T/go\"")
                #expect(try site.wait(holder).status == 0)
                #expect(try site.wait(unmount).status == 0)
                try site.sh("test \"$(judge oss2 get held-open)\" = data")
            }
        }

        @Test("after kill -9 of the daemon a mount says that the old one is stale, and works once that is cleared")
        func killedDaemon() throws {
            try Site.with { site in
                try site.sh("mkdir \"$M/d\"; seq 1000 > \"$M/d/f\"; exec 3> \"$M/d/unfinished\"; echo x >&3; exec 3>&-")
                site.killDaemons()
                #expect(try site.run(script: "ls \"$M\"").status != 0)
                try site.mount(expecting: 6)
                try site.sh("fusermount3 -u \"$M\" || umount \"$M\"")
                try site.mount()
                try site.sh("cmp \"$M/d/f\" <(seq 1000); echo more > \"$M/d/g\"")
            }
        }

        @Test("a killed writer counts as having closed its file")
        func killedWriter() throws {
            try Site.with { site in
                let writer = try site.start("steps write-and-wait")
                try site.waitForFile("written")
                writer.killGroup()
                let isThere = try eventually(within: .seconds(10)) {
                    try site.run(script: "test \"$(judge oss2 get f)\" = partial").status == 0
                }
                #expect(isThere)
            }
        }
    }
}
