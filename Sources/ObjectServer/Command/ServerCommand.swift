import Glibc
import Instrumentation

/// ossmount-server from its arguments to its exit code.
package enum ServerCommand {
    private static let version = "0.1.0"
    private static let usageExitCode: Int32 = 2

    /// Serves until SIGTERM or SIGINT; the process's exit code: 0, 1 (can't start) or 2 (bad usage).
    package static func run(_ arguments: [String]) -> Int32 {
        do throws(ServerOptions.UsageError) {
            switch try ServerOptions.parse(Array(arguments.dropFirst())) {
            case .help: say(ServerOptions.help)
            case .version: say("ossmount-server \(version)\n")
            case .serve(let options): return try serve(options)
            }
            return 0
        } catch {
            complain(error.message + "\nTry 'ossmount-server --help'.")
            return usageExitCode
        }
    }

    private static func serve(_ options: ServerOptions) throws(ServerOptions.UsageError) -> Int32 {
        let signals = blockSignals()
        raiseDescriptorLimit()
        var configuration = ServerConfiguration(
            listen: options.listen, folder: options.data, buckets: options.buckets,
            region: Bytes(options.region.utf8), keys: try keys(),
            log: Log(level: .info, sink: StandardErrorSink()))
        configuration.limits = options.limits
        configuration.tokenSeconds = options.tokens.seconds
        configuration.auth = options.tokens.auth
        configuration.hasSyntheticBodies = options.hasSyntheticBodies
        configuration.answers = options.answers
        configuration.elsewhere = options.elsewhere
        configuration.isHierarchical = options.isHierarchical
        if let path = options.tokens.headerFile {
            guard let headers = TokenOptions.headers(try contents(path)) else {
                throw ServerOptions.UsageError(message: "\(path) has a line that is no header")
            }
            configuration.auth.headers = headers
        }
        if let path = options.certificate { configuration.certificate = try contents(path) }
        if let path = options.certificateKey { configuration.certificateKey = try contents(path) }
        do throws(StartFailure) {
            let server = try ObjectServer(configuration)
            say("listening on \(server.url)\n")
            waitForSignal(signals)
            server.stop()
            return 0
        } catch {
            complain(error.reason)
            return 1
        }
    }

    private static func keys() throws(ServerOptions.UsageError) -> AccessKeys {
        guard let identifier = environment("OSS_ACCESS_KEY_ID"), let secret = environment("OSS_ACCESS_KEY_SECRET")
        else {
            throw ServerOptions.UsageError(
                message: "OSS_ACCESS_KEY_ID and OSS_ACCESS_KEY_SECRET must be set in the environment")
        }
        return AccessKeys(
            identifier: identifier, secret: secret, securityToken: environment("OSS_SESSION_TOKEN"))
    }

    private static func environment(_ name: String) -> Bytes? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return Bytes(UnsafeRawBufferPointer(start: value, count: strlen(value)))
    }

    private static func contents(_ path: String) throws(ServerOptions.UsageError) -> Bytes {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        // A certificate with its chain is a few KiB.
        var bytes = Bytes(repeating: 0, count: 1 << 20)
        let count = descriptor < 0 ? -1 : read(descriptor, &bytes, bytes.count)
        guard count > 0 else { throw ServerOptions.UsageError(message: "can't read \(path)") }
        return Bytes(bytes[..<count])
    }

    /// Blocks the signals that end the server, for this thread and those to come, and ignores broken pipes.
    private static func blockSignals() -> sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTERM)
        sigaddset(&signals, SIGINT)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        signal(SIGPIPE, SIG_IGN)
        return signals
    }

    private static func waitForSignal(_ signals: sigset_t) {
        var signals = signals
        var number: Int32 = 0
        while sigwait(&signals, &number) != 0 {}
    }

    /// A connection may hold two descriptors: its socket and a body.
    private static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    private static func say(_ text: String) { put(Bytes(text.utf8), to: STDOUT_FILENO) }

    private static func complain(_ text: String) { put(Bytes("ossmount-server: \(text)\n".utf8), to: STDERR_FILENO) }

    fileprivate static func put(_ bytes: Bytes, to descriptor: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    private struct StandardErrorSink: LogSink {
        func write(_ line: [UInt8], level: LogLevel) { ServerCommand.put(line, to: STDERR_FILENO) }
    }
}
