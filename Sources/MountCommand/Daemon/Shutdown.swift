import FuseBridge
import Glibc
import Instrumentation
import Runtime

/// What the end of a mount needs of the kernel's side.
protocol DetachableSession: Sendable {
    /// Takes the mount out of the tree at once; what is open in it goes on being served.
    func detach() throws(FuseMountError)
    /// Makes the serving loop end, whatever is still open.
    func stop()
}

/// What the end of a mount needs of the file system.
protocol DrainableFileSystem: Sendable {
    /// Handles that programs hold.
    var openFileCount: Int { get }
    /// Files with bytes that aren't in the bucket.
    var unsentFileCount: Int { get }
    /// Sends everything; returns the paths of what is left at `deadline`, or was refused.
    func sendEverything(by deadline: Deadline) -> [[UInt8]]
}

/// The end of a mount, from the signal to the exit status.
///
/// At the signal the mount is detached and served on, so that no program loses what it writes. The kernel ends the loop
/// once the last user is gone; a working directory in the mount is a user too, so the loop is also ended once no file
/// has been open and nothing unsent for a second. Then what is left is sent. One deadline, counted from the signal,
/// bounds all of it.
final class Shutdown: Sendable {
    /// 5 min: the deadline of an upload's repeats; service managers that kill sooner must be told so (TimeoutStopSec).
    static let patience = Duration.seconds(300)
    /// The last part of the patience, kept for sending what open files have when their time is over.
    private static let sendingTime = Duration.seconds(30)
    /// Files that are named in the log when they can't be sent.
    private static let namedFiles = 100
    /// A program between two files has none open for a moment.
    private static let idleTime = Duration.seconds(1)
    /// How soon the loop's end, and a changed count in the instance file, are noticed.
    private static let interval = Duration.milliseconds(100)

    private struct State {
        var deadline: Deadline?
        var hasLoopEnded = false
    }

    private let session: any DetachableSession
    private let fileSystem: any DrainableFileSystem
    private let log: Log
    private let patience: Duration
    private let report: @Sendable (DrainStatus) -> Void
    // Guards: whether the end has begun and by when it must be over. A leaf lock.
    private let state = Locked(State())

    /// - Parameter report: takes each change of the drain, for `umount`; called from one thread at a time.
    init(
        session: any DetachableSession, fileSystem: any DrainableFileSystem, log: Log,
        patience: Duration = Shutdown.patience, report: @escaping @Sendable (DrainStatus) -> Void
    ) {
        self.session = session
        self.fileSystem = fileSystem
        self.log = log
        self.patience = patience
        self.report = report
    }

    /// Begins the end; called by the signal thread. A second call only logs what is waited for.
    func begin() {
        let isFirst = state.withLock { state in
            guard state.deadline == nil else { return false }
            state.deadline = .after(patience)
            return true
        }
        let counts = status(.draining)
        log(
            .info, isFirst ? "stopping: the mount is detached and served on" : "still stopping",
            [LogField("open_files", counts.openFiles), LogField("unsent_files", counts.unsentFiles)])
        guard isFirst else { return }
        report(counts)
        do throws(FuseMountError) {
            try session.detach()
        } catch {
            // Detached by somebody else already, or not ours to detach: the loop's end is waited for all the same.
            if error != .notMounted {
                log(.warning, "the mount could not be detached", [LogField("reason", error.message)])
            }
        }
        let isStarted = PlainThread.start(name: "shutdown", stackBytes: 256 * 1024) { self.watch() }
        if !isStarted { session.stop() }
    }

    /// Called when the serving loop has ended, by a signal or because somebody unmounted: sends what is left.
    ///
    /// - Returns: whether everything is in the bucket.
    func finish() -> Bool {
        let deadline: Deadline = state.withLock { state in
            state.hasLoopEnded = true
            let deadline = state.deadline ?? .after(patience)
            state.deadline = deadline
            return deadline
        }
        state.wakeAll()
        report(status(.sending))
        let left = fileSystem.sendEverything(by: deadline)
        for path in left.prefix(Self.namedFiles) { log(.error, "not in the bucket", [LogField("path", path)]) }
        if left.isEmpty {
            log(.info, "unmounted, and everything is in the bucket")
        } else {
            log(.error, "unmounted with files that are not in the bucket", [LogField("files", left.count)])
        }
        report(DrainStatus(phase: left.isEmpty ? .drained : .failed, unsentFiles: left.count))
        return left.isEmpty
    }

    private func status(_ phase: DrainStatus.Phase) -> DrainStatus {
        DrainStatus(phase: phase, unsentFiles: fileSystem.unsentFileCount, openFiles: fileSystem.openFileCount)
    }

    /// Runs beside the loop until that has ended.
    private func watch() {
        let closing = Deadline.after(patience - min(Self.sendingTime, patience / 2))
        var last = status(.draining)
        var idleSince: Deadline?
        while true {
            let next = Deadline.after(Self.interval)
            let hasEnded = state.wait(until: next) { $0.hasLoopEnded ? true : nil } ?? false
            if hasEnded { return }
            let counts = status(.draining)
            if counts != last { report(counts) }
            last = counts
            let isIdle = counts.openFiles == 0 && counts.unsentFiles == 0
            if !isIdle {
                idleSince = nil
            } else if let since = idleSince {
                if since.advanced(by: Self.idleTime).hasPassed { return session.stop() }
            } else {
                idleSince = .now
            }
            if closing.hasPassed {
                log(
                    .error, "files are still open, and are sent as they are",
                    [LogField("open_files", counts.openFiles), LogField("unsent_files", counts.unsentFiles)])
                return session.stop()
            }
        }
    }
}
