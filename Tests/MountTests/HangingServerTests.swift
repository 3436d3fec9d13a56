import Glibc
import TestSupport
import Testing

extension MountTests {
    /// A server that answers nothing for a while: the mount stays usable, its waiters can be killed, and then all is well.
    @Suite struct HangingServerTests {
        /// How the waiters wait; each is a share of the processes that `Tests/Interop/waiters.py` starts.
        private static let kinds = ["read", "read-direct", "stat", "open", "close"]

        @Test("with the server hanging, cached things answer, waiters die when killed, and the rest end well")
        func hangingServer() throws {
            let count = Programs.rounds(short: 200, long: 2000)
            try Site.with(options: ["--metadata-ttl", "1h"]) { site in
                try prepare(site, count)
                let waiters = try site.start(
                    "exec python3 \"$REPOSITORY/Tests/Interop/waiters.py\" run \"$M\" \"$T\" \(count)")
                try waitFor("all processes are ready", site, waiters, "ready", within: .seconds(60))
                let holder = try startHolder(site)
                try waitFor("the cached file is open", site, holder, "held", within: .seconds(10))
                try site.server.admin.add(ServerFault(.hang, on: "*"))
                try site.sh("touch \"$T/go\"")
                // Of 200 processes 40 close a file each; lookups in one directory may share a listing.
                let isHanging = try eventually(within: .seconds(20)) {
                    try site.server.admin.statistics().faults["hang", default: 0] >= 40
                }
                #expect(isHanging, "the server never had forty requests that hang")

                for script in ["df \"$M\"", "ls -l \"$M/listed\"", "stat \"$M/listed/2\"", "ls \"$M\""] {
                    try expectQuick(site, script)
                }
                try site.sh("touch \"$T/look\"")
                #expect(try site.wait(holder, within: .seconds(5)).text == "cached data is there\n")
                let killed = try killSome(site)
                for script in ["df \"$M\"", "ls -l \"$M/listed\""] { try expectQuick(site, script) }

                try site.server.admin.clearFaults()
                let result = try site.wait(waiters, within: .seconds(60))
                #expect(result.text == "\(count - killed) ended well, \(killed) killed, 0 failed\n", "\(result)")
                #expect(result.status == 0)
            }
        }

        private func prepare(_ site: Site, _ count: Int) throws {
            try site.sh(
                """
                python3 "$REPOSITORY/Tests/Interop/waiters.py" make "$T/tree" \(count)
                judge oss2 put-tree "$T/tree"
                mkdir "$M/listed"
                for i in 1 2 3; do echo $i > "$M/listed/$i"; done
                ls -l "$M" "$M/listed" > /dev/null
                """)
        }

        /// Holds a cached file open, and reads it again when told to: an open would ask the server in any case.
        private func startHolder(_ site: Site) throws -> ChildProcess {
            try site.start(
                """
                exec 3< "$M/listed/2"
                cat <&3 > /dev/null
                touch "$T/held"
                until test -e "$T/look"; do sleep 0.02; done
                python3 -c 'import os; assert os.pread(3, 10, 0) == b"2\\n"; print("cached data is there")'
                """)
        }

        private func waitFor(
            _ what: String, _ site: Site, _ process: ChildProcess, _ file: String, within limit: Duration
        ) throws {
            let isThere = eventually(within: limit) {
                FileSystemPath.exists("\(site.scratch)/\(file)") || !process.isRunning
            }
            guard isThere, process.isRunning else { throw TestFailure("\(what): not so, \(process.output)") }
        }

        private func expectQuick(_ site: Site, _ script: String) throws {
            let text = try site.sh(
                "start=$(date +%s%N); \(script) > /dev/null; echo $(( ($(date +%s%N) - start) / 1000000 ))",
                within: .seconds(20))
            let milliseconds = Int(text.split(separator: "\n").last ?? "") ?? .max
            #expect(milliseconds < 1000, "\(script) took \(milliseconds) ms")
        }

        /// `waiters.py` writes a line `KIND PID` for each of its processes. The first, the middle and the last of each kind
        /// are taken: a kernel lock that they wait for in line is held by the first.
        private func killSome(_ site: Site) throws -> Int {
            let lines = String(decoding: FileSystemPath.contents(site.scratch + "/processes"), as: UTF8.self)
            var count = 0
            for kind in Self.kinds {
                let processes = lines.split(separator: "\n").filter { $0.hasPrefix(kind + " ") }.compactMap {
                    $0.split(separator: " ").last.flatMap { pid_t($0) }
                }
                for process in Set([0, processes.count / 2, processes.count - 1]).map({ processes[$0] }) {
                    kill(process, SIGKILL)
                    count += 1
                    let isGone = eventually(within: .seconds(1)) { kill(process, 0) != 0 }
                    let stack = String(decoding: FileSystemPath.contents("/proc/\(process)/stack"), as: UTF8.self)
                    #expect(isGone, "a process in \(kind) outlives SIGKILL by a second; it is in\n\(stack)")
                }
            }
            return count
        }
    }
}
