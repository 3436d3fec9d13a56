import Glibc
import Runtime

/// A running ossmount-server over a folder, which can be killed and started anew on the same port.
package final class ServerProcess: Sendable {
    package static let bucket = "test-bucket"
    package static let region = "cn-hangzhou"
    package static let accessKeyID = "test-key-id"
    package static let accessKeySecret = "test-key-secret"

    private struct State {
        var process: ChildProcess?
        var port: UInt16 = 0
    }

    private let folder: TemporaryFolder
    private let dataPath: String
    private let options: [String]
    private let state = Locked(State())

    /// Starts the server on a free port, with these options besides its own.
    package init(folder: TemporaryFolder, options: [String] = []) throws {
        self.folder = folder
        self.options = options
        dataPath = folder.path + "/data"
        try start()
    }

    package var port: UInt16 { state.withLock { $0.port } }
    /// Whether it speaks TLS: then it is reached by the name of this machine, and its admin path not at all.
    package var isSecure: Bool { options.contains("--tls-certificate") }
    package var endpoint: String { isSecure ? "https://localhost:\(port)" : "http://127.0.0.1:\(port)" }
    package var admin: AdminClient { AdminClient(port: port) }

    /// The variables that clients of this server need, beside this process's own.
    package var clientEnvironment: [String: String] {
        var values = Programs.environment
        values.removeValue(forKey: "OSS_SESSION_TOKEN")
        values["OSS_ACCESS_KEY_ID"] = Self.accessKeyID
        values["OSS_ACCESS_KEY_SECRET"] = Self.accessKeySecret
        values["OSS_ENDPOINT"] = endpoint
        values["OSS_REGION"] = Self.region
        values["OSS_BUCKET"] = Self.bucket
        return values
    }

    /// Starts it, on the port of before where there was one, and waits until it listens.
    package func start() throws {
        let port = self.port
        var environment = Programs.environment
        environment.removeValue(forKey: "OSS_SESSION_TOKEN")
        environment["OSS_ACCESS_KEY_ID"] = Self.accessKeyID
        environment["OSS_ACCESS_KEY_SECRET"] = Self.accessKeySecret
        let process = try ChildProcess(
            [
                Programs.server, "--listen", "127.0.0.1:\(port)", "--data", dataPath, "--bucket", Self.bucket,
                "--region", Self.region,
            ] + options, environment: environment, folder: folder)
        state.withLock { $0.process = process }
        let marker = "listening on "
        let isListening = eventually(within: .seconds(20)) {
            !process.isRunning || process.output.text.contains(marker)
        }
        let line = process.output.lines.first { $0.hasPrefix(marker) } ?? ""
        let digits = line.split(separator: ":").last.map { $0.prefix { $0.isNumber } } ?? ""
        guard isListening, let chosen = UInt16(digits) else {
            process.killGroup()
            throw TestFailure("the server did not start: \(process.output)")
        }
        state.withLock { $0.port = chosen }
    }

    /// Kills it as a crash would.
    package func killNow() { state.withLock { $0.process }?.killGroup() }

    /// Ends it in order, or by force after some seconds; throws where it ended with an error of its own.
    package func stop() throws {
        guard let process = state.withLock({ $0.process }), process.isRunning else { return }
        process.signal(SIGTERM)
        if !process.waitForExit(within: .seconds(5)) { process.killGroup() }
    }

    /// Whether it runs.
    package var isRunning: Bool { state.withLock { $0.process }?.isRunning ?? false }
}
