import CRuntime
import FileSystemCore
import FuseBridge
import Glibc
import Instrumentation
import ObjectStore
import Runtime

/// The process that serves a mount: from its first thread to the end of the drain.
struct MountService: Sendable {
    let wiring: MountWiring
    let session: FuseSession
    let credentials: MountCredentials
    let mountPoint: [UInt8]
    let log: Log
    let logFile: LogFile?
    let startTimeout: Duration
    let allowsCoreDumps: Bool
    let disk: LocalDisk

    /// Probes the bucket, serves until the mount has ended, and sends what is left.
    ///
    /// - Parameter started: called once, with nil when the bucket has answered and the mount is served, or with the error
    ///   that is then thrown; the mount is gone by then.
    /// - Throws: why it didn't start, or that something written isn't in the bucket.
    func serve(started: (CommandError?) -> Void) throws(CommandError) {
        // Root only; without it the kernel could ask us for memory by writing to ourselves.
        _ = cruntime_set_io_flusher()
        if allowsCoreDumps { log(.warning, "core-dumps is on: a crash leaves a file with keys and data in it") }
        let store = wiring.store(credentials: credentials.provider, log: log)
        let fileSystem = wiring.fileSystem(store: store, notifier: session.notifier, disk: disk, log: log)
        let instance = InstanceFile.make(device: session.device, log: log)
        let shutdown = Shutdown(session: session, fileSystem: fileSystem, log: log) { instance?.write($0) }
        let probing = Cancellation()
        do throws(CommandError) {
            let hasThread = Signals.startThread(
                stop: {
                    probing.cancel()
                    shutdown.begin()
                },
                hangUp: { logFile?.reopen() })
            guard hasThread else { throw CommandError(.failure, "the system has no room for a thread") }
            // Before the bucket is asked, and with all the patience there is, so that an auth server that can't be reached
            // isn't taken for a bucket that can't.
            let deadline = Deadline.after(startTimeout)
            try credentials.obtain(by: deadline, probing)
            try probe(store, by: deadline, probing)
        } catch {
            log(.error, "not mounted", [LogField("reason", error.message)])
            try? session.detach()
            instance?.remove()
            disk.remove()
            started(error)
            throw error
        }
        log(.info, "mounted", [LogField("on", mountPoint), LogField("version", Version.number)])
        started(nil)
        disk.sweep(fileSystem)

        var failure: CommandError?
        do throws(FuseMountError) {
            try session.run(fileSystem)
        } catch {
            log(.error, "the mount can't be served", [LogField("reason", error.message)])
            try? session.detach()
            failure = CommandError(error, on: mountPoint)
        }
        // The device number may be given to another mount from here on, and with it the file's name.
        instance?.remove()
        let isDrained = shutdown.finish()
        // What is still in the bucket is the next start's to remove.
        if isDrained, fileSystem.hiddenObjects == 0 { disk.remove() }
        if let failure { throw failure }
        guard isDrained else {
            throw CommandError(.failure, "not everything that was written is in the bucket; the log names what is left")
        }
    }

    /// Asks whether the bucket is there for these credentials, within `start-timeout`.
    private func probe(
        _ store: any ObjectStore, by deadline: Deadline, _ cancellation: Cancellation
    ) throws(CommandError) {
        do throws(ObjectStoreError) {
            try store.probe(RequestContext(deadline: deadline, cancellation: cancellation))
        } catch {
            if error.kind == .cancelled {
                throw CommandError(.failure, "stopped by a signal before the bucket had answered")
            }
            throw CommandError(probe: error)
        }
    }
}

extension InstanceFile {
    /// The file of the mount with `device` in this user's folder; nil, with a line in the log, where there can't be one.
    static func make(device: String?, log: Log) -> InstanceFile? {
        let folder = InstanceFolder.own(runtimeFolder: Environment.value("XDG_RUNTIME_DIR"))
        if let device, let file = InstanceFile(device: device, folder: folder) { return file }
        log(
            .warning, "ossmount umount will not be able to wait for this mount: no file can be made",
            [LogField("folder", folder)])
        return nil
    }
}
