import CRuntime
import FuseBridge
import Glibc
import Instrumentation
import Runtime

/// `ossmount mount`: the checks in their order, the mount, and the step into the background.
enum MountSubcommand {
    /// What the parent waits longer than the child's own `start-timeout`, so that the child's word comes first.
    private static let grace = Duration.seconds(5)

    /// Ends when the mount stands, or in the foreground when it has ended.
    static func run(_ request: MountRequest) throws(CommandError) {
        let options = request.options
        let wiring = try MountWiring(request)
        let logFile = try openLogFile(options)
        cruntime_die_of_crashes()
        // Before any secret is read.
        if !options.allowsCoreDumps { _ = cruntime_forbid_core_dumps() }
        let log = Log(level: options.logLevel, sink: sink(logFile, isForeground: options.isForeground))
        let credentials = try wiring.credentials(log: log)
        let session = wiring.session(log: log)
        let mountPoint = try told(request) { () throws(FuseMountError) in try session.checkMountPoint() }
        if !options.allowsNonEmpty { try MountPoint.checkEmpty(mountPoint) }
        try told(request) { () throws(FuseMountError) in try session.checkFuse() }
        try credentials.checkLocally()
        let disk = try wiring.localDisk(mountPoint: mountPoint)

        // From here on a signal must not end the process, or the mount would stay behind it.
        Signals.block()
        try told(request) { () throws(FuseMountError) in try session.mount() }
        let service = MountService(
            wiring: wiring, session: session, credentials: credentials, mountPoint: mountPoint, log: log,
            logFile: logFile, startTimeout: options.startTimeout, allowsCoreDumps: options.allowsCoreDumps, disk: disk)
        if options.isForeground {
            try service.serve { _ in }
        } else {
            try serveInBackground(service, session, logFile, options.startTimeout)
        }
    }

    /// Forks; the child never returns, the parent returns with the child's word.
    private static func serveInBackground(
        _ service: MountService, _ session: FuseSession, _ logFile: LogFile?, _ startTimeout: Duration
    ) throws(CommandError) {
        let side: Background.Side
        do {
            side = try Background.fork()
        } catch {
            try? session.detach()
            throw error
        }
        switch side {
        case .child(let report):
            Background.leaveTerminal(log: logFile?.descriptor)
            Background.closeInherited(
                keeping: [session.fileDescriptor, report] + service.disk.descriptors
                    + (logFile.map { [$0.descriptor] } ?? []))
            do throws(CommandError) {
                try service.serve { error in StartReport.send(error, to: report) }
                _exit(ExitCode.success.rawValue)
            } catch {
                _exit(error.code.rawValue)
            }
        case .parent(let child, let report):
            // Ctrl-C ends the waiting; the child then ends by itself or mounts.
            Signals.unblock()
            let outcome = StartReport.receive(from: report, by: .after(startTimeout + grace))
            if case .told(let code, let words) = outcome {
                if code == .success { return }
                throw CommandError(code, words)
            }
            kill(child, SIGKILL)
            try? session.detach()
            throw outcome == .late
                ? CommandError(.unreachable, "the bucket did not answer within start-timeout")
                : CommandError(
                    .failure, "the background process died before the mount stood",
                    remedy: "run it with -f to see why")
        }
    }

    private static func openLogFile(_ options: MountOptions) throws(CommandError) -> LogFile? {
        guard let path = options.logFile else { return nil }
        return try LogFile(Paths.absolute(path))
    }

    private static func sink(_ logFile: LogFile?, isForeground: Bool) -> any LogSink {
        if let logFile { return logFile.sink }
        return isForeground ? DescriptorSink(descriptor: STDERR_FILENO) : SystemLogSink()
    }

    /// `body`, with its error in this command's words.
    private static func told<Result>(
        _ request: MountRequest, _ body: () throws(FuseMountError) -> Result
    ) throws(CommandError) -> Result {
        do throws(FuseMountError) {
            return try body()
        } catch {
            throw CommandError(error, on: request.directory)
        }
    }
}
