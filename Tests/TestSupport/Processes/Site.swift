import Glibc
import Runtime

/// A server with a bucket, a folder to mount it at, and the shell that works there: all that a test of a mount needs.
///
/// Scripts run in bash with `-euo pipefail` and see `$M`, the mount; `$N`, the second one where there is one; `$T`, a
/// folder for the test's files; `$OSSMOUNT`; `$TOOLS`, the folder of the built programs; the bucket's keys and endpoint as
/// the SDKs read them; `judge`, which is `Tests/Interop/judge.py`; `steps`, which is `Tests/Interop/steps.py`; and
/// `fails COMMAND`, which ends the script where the command succeeds.
package final class Site: Sendable {
    package let folder: TemporaryFolder
    package let server: ServerProcess
    package let mountPoint: String
    /// Where `mountSecond` mounts the same bucket once more, by a daemon of its own, as another machine would.
    package let secondMountPoint: String
    package let scratch: String
    private let environment: [String: String]
    private let logPath: String
    /// The mounts' cache-dir, unless their options say another.
    package let cacheFolder: String
    // Guards the list of all programs started here, to end what is left of them.
    private let children = Locked<[ChildProcess]>([])

    /// Runs `body` on a mounted bucket, then takes everything down, whatever `body` did.
    ///
    /// An error of `body` comes out with the mount's last log lines; a mount that can't be taken down in order after a
    /// `body` that succeeded is an error too.
    package static func with(
        options: [String] = [], server: [String] = [], mounts: Bool = true, _ body: (Site) throws -> Void
    ) throws {
        let site = try Site(serverOptions: server)
        do {
            if mounts { try site.mount(options) }
            try body(site)
        } catch {
            let log = site.logTail
            site.takeDown()
            throw TestFailure("\(error)\n--- the mount's log ends with\n\(log)")
        }
        let isClean = site.takeDown()
        if !isClean { throw TestFailure("the mount could not be taken down in order") }
    }

    private init(serverOptions: [String]) throws {
        folder = try TemporaryFolder()
        mountPoint = folder.path + "/mount"
        secondMountPoint = folder.path + "/second"
        scratch = folder.path + "/scratch"
        logPath = folder.path + "/mount.log"
        cacheFolder = folder.path + "/cache"
        for path in [mountPoint, secondMountPoint, scratch] where mkdir(path, 0o755) != 0 {
            throw TestFailure("can't make folders: errno \(errno)")
        }
        do {
            server = try ServerProcess(folder: folder, options: serverOptions)
        } catch {
            folder.remove()
            throw error
        }
        var environment = server.clientEnvironment
        environment["M"] = mountPoint
        environment["N"] = secondMountPoint
        environment["T"] = scratch
        environment["OSSMOUNT"] = Programs.mount
        environment["TOOLS"] = Programs.folder
        environment["REPOSITORY"] = Programs.root
        environment["LC_ALL"] = "C.UTF-8"
        self.environment = environment
    }

    // MARK: - Mounting

    package var mountArguments: [String] { arguments(mountPoint, log: logPath, cache: cacheFolder) }

    private func arguments(_ mountPoint: String, log: String, cache: String) -> [String] {
        [
            Programs.mount, "mount", "oss://\(ServerProcess.bucket)", mountPoint, "--endpoint", server.endpoint,
            "--region", ServerProcess.region, "--log-level", "debug", "--log-file", log, "--cache-dir", cache,
        ]
    }

    /// Mounts in the background with these options added; throws unless the command ends with `status`.
    package func mount(_ options: [String] = [], expecting status: Int32 = 0) throws {
        let output = try run(mountArguments + options, within: .seconds(40))
        guard output.status == status else { throw TestFailure("ossmount mount: \(output)") }
        // What it tidies up in the background would count among a test's requests.
        if status == 0 { _ = eventually(within: .seconds(3)) { isSwept } }
        if status == 0, !isMounted { throw TestFailure("ossmount mount ended with 0 and nothing is mounted") }
    }

    /// Whether the last mount has said that it is done with tidying up, which it says at `log-level` debug.
    private var isSwept: Bool {
        let lines = log.split(separator: "\n")
        let last = lines.lastIndex { $0.contains(" cache-dir") } ?? lines.endIndex
        return lines[last...].contains { $0.contains("sweep.ended") }
    }

    /// Mounts the bucket once more at `$N`; its log is the first one's name and `.second`.
    package func mountSecond(_ options: [String] = []) throws {
        let arguments = arguments(secondMountPoint, log: logPath + ".second", cache: cacheFolder + ".second")
        let output = try run(arguments + options, within: .seconds(40))
        guard output.status == 0 else { throw TestFailure("ossmount mount, the second: \(output)") }
    }

    /// Unmounts by the command, which waits until everything is in the bucket; throws unless it ends with 0.
    package func unmount(within limit: Duration = .seconds(60)) throws {
        try unmount(mountPoint, within: limit)
    }

    private func unmount(_ mountPoint: String, within limit: Duration) throws {
        let output = try run([Programs.mount, "umount", mountPoint], within: limit)
        guard output.status == 0 else { throw TestFailure("ossmount umount: \(output)") }
        if isMounted(mountPoint) { throw TestFailure("ossmount umount ended with 0 and the mount is still there") }
    }

    /// Unmounts and mounts anew: what is seen afterwards comes from the bucket.
    package func remount(_ options: [String] = []) throws {
        try unmount()
        try mount(options)
    }

    /// Whether something is mounted at the mount point, by the kernel's table alone.
    package var isMounted: Bool { isMounted(mountPoint) }

    private func isMounted(_ mountPoint: String) -> Bool {
        let table = String(decoding: FileSystemPath.contents("/proc/self/mountinfo"), as: UTF8.self)
        return table.split(separator: "\n").contains { line in
            let fields = line.split(separator: " ")
            return fields.count > 4 && fields[4] == mountPoint
        }
    }

    /// The daemons that serve the mount point, or the second one: those whose arguments name it after `mount`.
    package var daemons: [pid_t] { daemons(of: mountPoint) + daemons(of: secondMountPoint) }

    private func daemons(of mountPoint: String) -> [pid_t] {
        guard let proc = opendir("/proc") else { return [] }
        defer { closedir(proc) }
        var found: [pid_t] = []
        while let entry = readdir(proc) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard let number = pid_t(name) else { continue }
            let arguments = FileSystemPath.contents("/proc/\(number)/cmdline").split(separator: 0).map {
                String(decoding: $0, as: UTF8.self)
            }
            guard arguments.count > 3, arguments[0].hasSuffix("/ossmount"), arguments[1] == "mount" else { continue }
            if arguments.contains(mountPoint) { found.append(number) }
        }
        return found
    }

    /// Kills the daemons as a crash would; callers that wait in the mount get errors.
    package func killDaemons() {
        for daemon in daemons { kill(daemon, SIGKILL) }
        _ = eventually(within: .seconds(5)) { daemons.isEmpty }
    }

    /// The last lines of the daemon's log.
    package var logTail: String {
        let lines = String(decoding: FileSystemPath.contents(logPath), as: UTF8.self).split(separator: "\n")
        return lines.suffix(40).joined(separator: "\n")
    }

    /// The most memory that the mount's daemon ever had, in bytes: VmHWM of /proc.
    package func peakMemoryBytes() throws -> Int {
        guard let daemon = daemons(of: mountPoint).first else { throw TestFailure("no daemon serves the mount") }
        let status = String(decoding: FileSystemPath.contents("/proc/\(daemon)/status"), as: UTF8.self)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
        guard let kibibytes = Int(line.filter(\.isNumber)) else { throw TestFailure("no VmHWM of process \(daemon)") }
        return kibibytes << 10
    }

    /// All of the daemon's log so far.
    package var log: String { String(decoding: FileSystemPath.contents(logPath), as: UTF8.self) }

    // MARK: - Working

    /// Runs a script to its end and returns what came of it, whatever its exit code.
    ///
    /// A script that outlives `limit` has met a hanging mount: the daemons are killed, so that their callers wake, then
    /// the script; that is a failure.
    package func run(script: String, within limit: Duration = .seconds(60)) throws -> ProgramOutput {
        try run(["bash", "-euo", "pipefail", "-c", Self.prelude + script], within: limit)
    }

    /// Runs a script that must end with 0, and returns its standard output.
    @discardableResult
    package func sh(_ script: String, within limit: Duration = .seconds(60)) throws -> String {
        let output = try run(script: script, within: limit)
        guard output.status == 0 else { throw TestFailure("the script failed: \(output)\n\(script)") }
        return output.text
    }

    /// Starts a script and returns at once.
    package func start(_ script: String) throws -> ChildProcess {
        try start(["bash", "-euo", "pipefail", "-c", Self.prelude + script])
    }

    private func start(_ arguments: [String]) throws -> ChildProcess {
        let child = try ChildProcess(arguments, environment: environment, folder: folder)
        children.withLock { $0.append(child) }
        return child
    }

    /// Waits for a program that `start` began; past the limit as in `run`.
    package func wait(_ process: ChildProcess, within limit: Duration = .seconds(60)) throws -> ProgramOutput {
        guard !process.waitForExit(within: limit) else { return process.output }
        killDaemons()
        process.killGroup()
        throw TestFailure("a program did not end within \(limit): \(process.output)")
    }

    /// Waits for a file of this name in `$T`, by which scripts tell how far they are; throws once `limit` has passed.
    package func waitForFile(_ name: String, within limit: Duration = .seconds(10)) throws {
        let isThere = eventually(within: limit) { FileSystemPath.exists("\(scratch)/\(name)") }
        if !isThere { throw TestFailure("the file \(name) did not appear within \(limit)") }
    }

    /// Whether no daemon serves the mount point any more, at the latest after `limit`.
    package func daemonsEnd(within limit: Duration) -> Bool { eventually(within: limit) { daemons.isEmpty } }

    private static let prelude = """
        judge() { "$(OSSMOUNT_PYTHON=${OSSMOUNT_PYTHON:-} "$REPOSITORY/scripts/python-env.sh")" \
        "$REPOSITORY/Tests/Interop/judge.py" "$@"; }
        steps() { python3 "$REPOSITORY/Tests/Interop/steps.py" "$@"; }
        fails() { if "$@"; then echo "succeeded: $*" >&2; exit 9; fi; }

        """

    private func run(_ arguments: [String], within limit: Duration) throws -> ProgramOutput {
        try wait(start(arguments), within: limit)
    }

    // MARK: - Taking down

    /// Takes everything down; false where that needed force.
    @discardableResult
    private func takeDown() -> Bool {
        if server.isRunning, !server.isSecure {
            try? server.admin.clearFaults()
            try? server.admin.setLatency(milliseconds: 0)
        }
        for child in children.withLock({ $0 }) where child.isRunning { child.killGroup() }
        var isClean = true
        for path in [mountPoint, secondMountPoint] where isMounted(path) {
            do { try unmount(path, within: .seconds(20)) } catch { isClean = false }
        }
        if !eventually(within: .seconds(5), { daemons.isEmpty }) { isClean = false }
        killDaemons()
        // The last resort, lazily: what still uses the mount must not keep the folder.
        for (path, name) in [(mountPoint, "M"), (secondMountPoint, "N")] {
            for _ in 0..<5 where isMounted(path) {
                let script = "umount -l \"$\(name)\" || fusermount3 -uz \"$\(name)\""
                let process = try? ChildProcess(["sh", "-c", script], environment: environment, folder: folder)
                _ = process?.waitForExit(within: .seconds(5))
            }
        }
        try? server.stop()
        folder.remove()
        return isClean
    }
}
