import Foundation
import TestSupport
import Testing

extension Site {
    /// None of these is in what anybody can read of the daemon: its log, what any program here has printed, its own
    /// arguments and environment and those of its children, the file that `umount` finds it by.
    func expectNoSecrets(_ secrets: [String]) throws {
        let daemon = try #require(daemons.first, "no daemon runs")
        var texts = ["the log": log]
        for process in [daemon] + Self.children(of: daemon) {
            for file in ["cmdline", "environ"] {
                let path = "/proc/\(process)/\(file)"
                texts[path] = String(decoding: FileSystemPath.contents(path), as: UTF8.self)
            }
        }
        for folderPath in [folder.path, "/run/ossmount"] {
            for name in (try? FileManager.default.contentsOfDirectory(atPath: folderPath)) ?? [] {
                let path = "\(folderPath)/\(name)"
                var isFolder: ObjCBool = false
                guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue else {
                    continue
                }
                texts[path] = String(decoding: FileSystemPath.contents(path), as: UTF8.self)
            }
        }
        #expect(texts.count >= 5, "the places are there: \(texts.keys)")
        for secret in secrets {
            let places = texts.filter { $0.value.contains(secret) }.map(\.key)
            #expect(places == [], "a secret is there")
        }
    }

    private static func children(of process: pid_t) -> [pid_t] {
        let path = "/proc/\(process)/task/\(process)/children"
        return String(decoding: FileSystemPath.contents(path), as: UTF8.self).split(separator: " ").compactMap {
            pid_t($0)
        }
    }

    /// The limit of core files and whether the kernel lets others look into the daemon.
    func coreRights(of daemon: pid_t) throws -> (limit: String, isDumpable: Bool) {
        let limits = String(decoding: FileSystemPath.contents("/proc/\(daemon)/limits"), as: UTF8.self)
        let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") }, "\(limits)")
        // Files below /proc/PID are root's, user and group, while the process is not dumpable; the test gave it another
        // group. The folder itself tells that group in either case.
        let group = try sh("stat -c %g /proc/\(daemon) /proc/\(daemon)/limits").split(separator: "\n")
        #expect(group.first == "65534", "the daemon runs with another group than root's")
        return (String(line.split(separator: " ")[4]), group.last == "65534")
    }
}
