import Foundation
import TestSupport
import Testing

extension MountTests {
    /// What a crash leaves: nothing, unless the user wants it.
    @Suite(.enabled(if: geteuid() == 0, "the daemon is given another group")) struct CoreDumpTests {
        private static let otherGroup = "setpriv --regid 65534 --clear-groups"

        /// Mounts in the foreground, in a folder of its own with leave to dump, and lets it crash; returns the core files.
        private func crash(_ site: Site, _ options: String) throws -> (limit: String, isDumpable: Bool, cores: [String])
        {
            let words = site.mountArguments.map { "'\($0)'" }.joined(separator: " ")
            let process = try site.start(
                """
                mkdir "$T/cwd"; cd "$T/cwd"; ulimit -c unlimited
                exec \(Self.otherGroup) \(words) -f \(options)
                """)
            #expect(eventually(within: .seconds(20)) { site.isMounted && site.log.contains("mounted on=") })
            // Others than the mount's own user and group are not let in.
            try site.sh(
                "M=\"$M\" \(Self.otherGroup) sh -ec 'echo content > \"$M/f\"; test \"$(cat \"$M/f\")\" = content'")
            let daemon = try #require(site.daemons.first)
            let rights = try site.coreRights(of: daemon)
            kill(daemon, SIGABRT)
            #expect(try site.wait(process, within: .seconds(30)).status == 128 + SIGABRT)
            // A mount whose process has crashed is left behind, and fails at once.
            try site.sh("fails ls \"$M\" 2> /dev/null; fusermount3 -u \"$M\" || umount \"$M\"")
            let cores = try FileManager.default.contentsOfDirectory(atPath: "\(site.scratch)/cwd")
            return (rights.limit, rights.isDumpable, cores)
        }

        @Test("a crash leaves no core file, whatever the shell allows, and nobody may look into the daemon")
        func withoutCore() throws {
            try Site.with(mounts: false) { site in
                let left = try crash(site, "")
                #expect(left.limit == "0")
                #expect(!left.isDumpable)
                #expect(left.cores == [])
                #expect(!site.log.contains("core-dumps is on"))
            }
        }

        @Test(
            "with core-dumps=on the shell's limit holds, a crash leaves a core file, and the log warns of what is in it"
        )
        func withCore() throws {
            try Site.with(mounts: false) { site in
                let left = try crash(site, "--core-dumps on")
                #expect(left.limit == "unlimited")
                #expect(left.isDumpable)
                #expect(site.log.contains("warning core-dumps is on"))
                // Where the kernel gives cores to a program, or puts them elsewhere, they aren't ours to look for.
                let pattern = String(
                    decoding: FileSystemPath.contents("/proc/sys/kernel/core_pattern"), as: UTF8.self)
                guard !pattern.hasPrefix("|"), !pattern.contains("/") else { return }
                #expect(left.cores.count == 1, "the pattern is \(pattern)")
            }
        }
    }
}
