import Credentials
import Instrumentation
import HTTPTransport
import OSSClient
import Runtime

/// The credentials of one mount: their provider, and what can be said of them before the network may be used.
struct MountCredentials: Sendable {
    let provider: any CredentialsProvider
    private let check: @Sendable () throws(CredentialsError) -> Void

    /// Reads the environment, which it wipes whatever the choice is, or a file; opens no connection.
    init(
        _ options: MountOptions, bucket: String, transport: any HTTPExchanging, serverClock: ServerClock, log: Log
    ) throws(CommandError) {
        let environment = EnvironmentCredentialsProvider()
        ProcessEnvironment.wipe(EnvironmentCredentialsProvider.variables)
        switch options.credentials {
        case .environment:
            provider = environment
            check = { () throws(CredentialsError) in _ = try environment.credentials(deadline: .now) }
        case .file(let path):
            let file = PasswordFileProvider(path: try Paths.absolute(path), bucket: bucket)
            provider = file
            check = { () throws(CredentialsError) in _ = try file.credentials(deadline: .now) }
        case .url(let url):
            var configuration = AuthServerSource.Configuration(url: url)
            configuration.headersFile = try Self.absolute(options.credentialsHeaders)
            configuration.decoder = options.credentialsDecoder
            configuration.userAgent = "ossmount/\(Version.number)"
            let source = AuthServerSource(configuration, transport: transport)
            provider = RefreshingCredentialsProvider(source: source, serverClock: serverClock, log: log)
            check = { () throws(CredentialsError) in try source.check() }
        }
    }

    /// Throws what is missing or wrong as far as this machine alone can tell; asks nobody.
    func checkLocally() throws(CommandError) { try told(check) }

    /// Waits until there are credentials, at most until `deadline` or until it is cancelled.
    func obtain(by deadline: Deadline, _ cancellation: Cancellation) throws(CommandError) {
        try told { () throws(CredentialsError) in
            _ = try provider.credentials(deadline: deadline, cancellation: cancellation)
        }
    }

    private func told(_ body: () throws(CredentialsError) -> Void) throws(CommandError) {
        do throws(CredentialsError) {
            try body()
        } catch {
            guard error.kind != .cancelled else {
                throw CommandError(.failure, "stopped by a signal while the keys were awaited")
            }
            throw CommandError(.credentials, error.message)
        }
    }

    private static func absolute(_ path: [UInt8]?) throws(CommandError) -> [UInt8]? {
        guard let path else { return nil }
        return try Paths.absolute(path)
    }
}
