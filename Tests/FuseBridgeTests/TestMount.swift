import FileSystemCore
import FuseBridge
import Glibc
import Instrumentation
import Runtime
import Testing

/// Keeps what the bridge logs.
final class LogKeeper: LogSink {
    private let lines = Locked([String]())

    func write(_ line: [UInt8], level: LogLevel) {
        lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
    }

    func has(_ event: String) -> Bool { lines.withLock { $0.contains { $0.contains(event) } } }
}

/// A memory file system mounted on a folder of its own, served by this process and entered by children only.
final class TestMount {
    let files = MemoryFileSystem()
    let session: FuseSession
    let path: String
    let log = LogKeeper()
    private let ended = Locked(false)
    private let guardian: ChildProcess?
    private let guardianPipe: Int32
    private var isCleanedUp = false

    /// Whether mounts can be tried here; where CI says that they must be, a missing device is a failure and no skip.
    static var isPossible: Bool {
        geteuid() == 0 && access("/dev/fuse", R_OK | W_OK) == 0 || getenv("CI").map { String(cString: $0) } == "true"
    }

    init(allowsOtherUsers: Bool = false, isReadOnly: Bool = false) throws {
        var template = Array("/tmp/ossmount-bridge-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw FuseMountError.mountPointMissing }
        let bytes = template.dropLast().map { UInt8(bitPattern: $0) }
        path = String(decoding: bytes, as: UTF8.self)
        chmod(path, 0o755)
        var configuration = FuseConfiguration(mountPoint: bytes, source: "ossmount#test,bucket")
        configuration.allowsOtherUsers = allowsOtherUsers
        configuration.isReadOnly = isReadOnly
        session = FuseSession(configuration: configuration, log: Log(level: .debug, sink: log))
        (guardian, guardianPipe) = Self.startGuardian(path)
        files.state.withLock { [notifier = session.notifier] in $0.notifier = notifier }
        try session.mount()
        let (session, files, ended) = (session, files, ended)
        let isStarted = PlainThread.start(name: "test-serve", stackBytes: 256 * 1024) {
            try? session.run(files)
            ended.withLock { $0 = true }
            ended.wakeAll()
        }
        if !isStarted { throw FuseMountError.noThreads }
    }

    deinit { end() }

    /// Whether the session has ended within `limit`.
    func waitForEnd(_ limit: Duration) -> Bool { ended.wait(until: .after(limit)) { $0 ? true : nil } ?? false }

    /// Unmounts and cleans up; safe to call twice.
    func end() {
        guard !isCleanedUp else { return }
        isCleanedUp = true
        files.release()
        try? session.detach()
        if !waitForEnd(.seconds(5)) { session.exit() }
        Glibc.rmdir(path)
        close(guardianPipe)
        _ = guardian?.wait(.seconds(2))
    }

    /// A child that unmounts when this process has died or 55 seconds have passed: before the limit of a test, and
    /// by force, as threads of the test may then be stuck in the mount's callers.
    private static func startGuardian(_ path: String) -> (ChildProcess?, Int32) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { return (nil, -1) }
        for end in ends { closeOnExec(end) }
        defer { close(ends[0]) }
        // The child reads the pipe as its standard input would be read: by a descriptor handed over by number in /proc.
        let script = """
            exec 3<"/proc/\(getpid())/fd/\(ends[0])" || exit 1
            echo ready
            timeout 55 cat <&3 >/dev/null
            grep -q " $1 " /proc/self/mountinfo || exit 0
            umount -f -l "$1"; rmdir "$1"
            """
        let child = ChildProcess(["bash", "-c", script, "guardian", path])
        let deadline = Deadline.after(.seconds(10))
        while let child, !child.text.contains("ready"), !deadline.hasPassed { usleep(1000) }
        return (child, ends[1])
    }
}

/// Tests through the kernel, one mount after the other.
@Suite(.serialized, .enabled(if: TestMount.isPossible)) struct KernelTests {}
