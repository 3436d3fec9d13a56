import CFuse
import FileSystemCore
import Glibc
import Instrumentation
import Runtime

/// One mount, from the making to its end: construct, `mount`, fork if wanted, `run` in the process that serves.
package final class FuseSession: Sendable {
    private struct State {
        var connection: FuseConnection?
        var loop: ReceivingLoop?
        var path: [UInt8] = []
        /// `major:minor` of the mount's st_dev; nil where it isn't in this namespace's table.
        var device: String?
    }

    // Guards what `mount` and `run` made; a leaf.
    private let state = Locked(State())
    private let configuration: FuseConfiguration
    private let preconditions: MountPreconditions
    private let log: Log
    private let notifications = NotificationQueue()

    /// Does nothing yet.
    package convenience init(configuration: FuseConfiguration, log: Log) {
        self.init(configuration: configuration, log: log, preconditions: MountPreconditions())
    }

    init(configuration: FuseConfiguration, log: Log, preconditions: MountPreconditions) {
        self.configuration = configuration
        self.log = log
        self.preconditions = preconditions
    }

    /// Where the core sends invalidations; they are carried out while `run` runs.
    package var notifier: any KernelNotifier { notifications }

    /// The mount point's absolute path without links, or what is wrong with it. Changes nothing, makes no thread.
    package func checkMountPoint() throws(FuseMountError) -> [UInt8] {
        try preconditions.checkMountPoint(configuration)
    }

    /// Throws where FUSE can't be used here. Changes nothing, makes no thread.
    package func checkFuse() throws(FuseMountError) { try preconditions.checkFuse(configuration) }

    /// `major:minor` of the mount's st_dev, as mountinfo shows it; nil before `mount`.
    package var device: String? { state.withLock { $0.device } }

    /// Makes the mount; whoever enters it waits until `run` serves. Blocks for as long as fusermount3 runs, makes no thread,
    /// and is called once. On an error nothing is mounted.
    package func mount() throws(FuseMountError) {
        let isDescriptor = MountPreconditions.isDescriptorPath(configuration.mountPoint)
        let path = try preconditions.check(configuration)
        let connection = try FuseConnection(arguments: configuration.arguments, log: log)
        try connection.mount(at: path)
        let device = isDescriptor ? nil : MountTable.topmost(at: path)?.device
        state.withLock { $0 = State(connection: connection, loop: nil, path: path, device: device) }
    }

    /// Serves `fileSystem` until the kernel ends the session (unmounted, or detached and no longer used) or `exit` is
    /// called; then `fileSystem.destroy()` has been called. Blocks; called once, after `mount`, by the process that is to
    /// serve. The threads of the mount start here.
    package func run(_ fileSystem: any FileSystemOperations) throws(FuseMountError) {
        let (connection, device) = state.withLock { ($0.connection, $0.device) }
        guard let connection else { throw .notMounted }
        let log = log
        let loop = ReceivingLoop(connection: connection) {
            if let device { ReadAhead.raise(device: device) }
            log(.info, "fuse.serving")
        }
        state.withLock { $0.loop = loop }
        connection.serve(fileSystem)
        guard connection.watcher.start(), notifications.start(for: connection) else { throw .noThreads }
        defer {
            connection.watcher.stop()
            notifications.stop()
        }
        let isComplete = try loop.run()
        fileSystem.destroy()
        log(.info, "fuse.ended", [LogField("unanswered", connection.requests.count)])
        if !isComplete { log(.warning, "fuse.abandoned") }
    }

    /// Takes the mount out of the tree (MNT_DETACH; by fusermount3 where not root), while open files and working
    /// directories in it go on being served; `run` returns after the last of them. Any thread; blocks at most ten seconds.
    ///
    /// Throws `notMounted` where the mount is gone or another one stands on top of it, and then does nothing.
    package func detach() throws(FuseMountError) {
        let (path, device) = state.withLock { ($0.path, $0.device) }
        guard let device, MountTable.topmost(at: path)?.device == device else { throw .notMounted }
        try Detaching.detach(path)
    }

    /// Ends the session at once, as a last resort: callers that wait get an error, and data not yet committed is the
    /// core's to save. `run` returns, at the latest two seconds later; the process should end soon after.
    package func exit() {
        let (connection, loop, path, device) = state.withLock { ($0.connection, $0.loop, $0.path, $0.device) }
        let isInTree = device != nil && MountTable.topmost(at: path)?.device == device
        guard let connection, let session = connection.session else { return }
        fuse_session_exit(session)
        // Two ways to wake the threads that wait in the device: by force while the mount is in the tree, and through the
        // control file system, where that is mounted and ours to write.
        if isInTree { Detaching.force(path) }
        if let minor = device?.split(separator: ":").last {
            let descriptor = open("/sys/fs/fuse/connections/\(minor)/abort", O_WRONLY | O_CLOEXEC)
            if descriptor >= 0 {
                _ = write(descriptor, "1", 1)
                close(descriptor)
            }
        }
        loop?.abandon(after: .seconds(2))
    }

    /// The device's descriptor, -1 before `mount`.
    package var fileDescriptor: Int32 { state.withLock { $0.connection }?.descriptor ?? -1 }

    /// Requests that the kernel waits for.
    package var requestsInFlight: Int { state.withLock { $0.connection }?.requests.count ?? 0 }

    /// Requests read so far by opcode (linux/fuse.h), for status and tests.
    package var requestCounts: [UInt32: UInt64] {
        state.withLock { $0.connection }?.requests.countsByOpcode ?? [:]
    }
}
