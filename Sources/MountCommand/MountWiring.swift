import Credentials
import FileSystemCore
import FuseBridge
import Glibc
import HTTPTransport
import Instrumentation
import OSSClient
import ObjectStore
import Runtime
import Transfer

/// How the modules below fit together for one mount: the only place that names them all.
struct MountWiring: Sendable {
    private let request: MountRequest
    private let client: OSSClientConfiguration
    /// All that goes over the network; its thread starts with the first request.
    private let transport: CurlTransport
    /// Corrected by the store's refused dates; the credentials' expiry is compared with it.
    private let serverClock = ServerClock()

    /// Checks what the options say about the server; opens nothing.
    init(_ request: MountRequest) throws(CommandError) {
        self.request = request
        let options = request.options
        let endpoint: String
        if let given = options.endpoint {
            endpoint = printable(given)
        } else {
            // The service's public hosts: https://help.aliyun.com/zh/oss/user-guide/regions-and-endpoints
            endpoint = "https://oss-\(options.region ?? "").aliyuncs.com"
        }
        do throws(EndpointError) {
            var client = try OSSClientConfiguration(
                endpoint: endpoint, region: options.region, bucket: request.bucket.bucket,
                addressing: Self.addressing(options.addressing),
                signature: Self.signature(options.signature), userAgent: "ossmount/\(Version.number)")
            client.probePrefix = request.bucket.prefix
            client.timeouts = RequestTimeouts(silence: options.requestTimeout)
            self.client = client
        } catch {
            throw CommandError(.usage, error.message)
        }
        var transport = CurlTransport.Configuration()
        transport.maximumConnections = Self.connections(memoryBytes: options.memoryBytes)
        transport.caFile = try options.caFile.map(Self.readableFile)
        transport.stallTimeout = options.requestTimeout
        transport.connectTimeout = min(transport.connectTimeout, options.requestTimeout)
        self.transport = CurlTransport(transport)
    }

    /// What is mounted: `oss://bucket/prefix` on `mountPoint`.
    func session(log: Log) -> FuseSession {
        let options = request.options
        var configuration = FuseConfiguration(
            mountPoint: request.directory, source: printable(request.bucket.text))
        configuration.allowsOtherUsers = options.allowsOthers
        configuration.isReadOnly = options.isReadOnly
        configuration.extraOptions = options.kernelWords
        return FuseSession(configuration: configuration, log: log)
    }

    /// Who the requests are signed for; connects to nothing yet.
    func credentials(log: Log) throws(CommandError) -> MountCredentials {
        try MountCredentials(
            request.options, bucket: request.bucket.bucket, transport: transport, serverClock: serverClock, log: log)
    }

    /// The bucket; starts the transport's thread with its first request.
    func store(credentials: any CredentialsProvider, log: Log) -> OSSClient {
        OSSClient(
            configuration: client, transport: transport, credentials: credentials, log: log, serverClock: serverClock)
    }

    /// The file system over `store`; starts no thread.
    func fileSystem(
        store: any ObjectStore, notifier: any KernelNotifier, disk: LocalDisk, log: Log
    ) -> FileSystem {
        let options = request.options
        let memoryBytes = Int(options.memoryBytes)
        let slabs = SlabPool(budgetBytes: memoryBytes, slabBytes: options.blockBytes)
        let configuration = FileSystemConfiguration(
            prefix: request.bucket.prefix, uid: options.uid ?? geteuid(), gid: options.gid ?? getegid(),
            umask: options.umask, metadataLifetime: options.metadataTTL,
            hostName: Self.hostName, isReadOnly: options.isReadOnly,
            keepsACL: options.acl == .keep, mountID: disk.identity)
        let cache = BlockCache(
            store: store, slabs: slabs,
            configuration: BlockCache.Configuration(deadline: configuration.deadline), log: log)
        let uploads = UploadEngine(
            store: store, cache: cache, staging: disk.staging(log: log),
            configuration: UploadEngine.Configuration(
                limits: partLimits(store.capabilities), deadline: configuration.deadline,
                hiddenPrefix: configuration.hiddenPrefix(.upload, of: disk.identity),
                asidePrefix: configuration.hiddenPrefix(.aside, of: disk.identity)), log: log)
        return FileSystem(
            configuration: configuration, store: store, cache: cache, uploads: uploads, memoryBytes: memoryBytes,
            contentTypes: ContentTypes(mimeTypes: Self.mimeTypes), notifier: notifier, clock: SystemClock(), log: log)
    }

    /// The store's limits, or smaller ones for tests.
    private func partLimits(_ store: StoreCapabilities) -> PartLimits {
        let options = request.options
        var capabilities = store
        if let bytes = options.partMinimumBytes { capabilities.minimumPartBytes = bytes }
        if let count = options.partCount { capabilities.maximumParts = count }
        return PartLimits(capabilities, budgetBytes: Int(options.memoryBytes), base: options.partBytes)
    }

    /// The folder that `cache-dir` says, checked and open; call before anything is mounted at `mountPoint`.
    func localDisk(mountPoint: [UInt8]) throws(CommandError) -> LocalDisk {
        let scheme = client.endpoint.isSecure ? "https" : "http"
        let port = client.endpoint.port.map { ":\($0)" } ?? ""
        return try LocalDisk.open(
            request, endpoint: Array("\(scheme)://\(client.endpoint.host)\(port)".utf8), mountPoint: mountPoint)
    }

    /// One for each MiB of the budget, which their buffers (256 KiB for one that sends) are not part of: a quarter of it at
    /// the most. 128 keeps a line of 1 Gbit/s full at 100 ms with parts of 128 KiB; 16 still lets a listing go on beside
    /// slow bodies.
    private static func connections(memoryBytes: Int64) -> Int { Int(min(max(memoryBytes >> 20, 16), 128)) }

    private static func addressing(_ word: MountOptions.Addressing) -> Addressing {
        switch word {
        case .auto: .automatic
        case .virtual: .virtualHost
        case .path: .path
        case .cname: .customDomain
        }
    }

    private static func signature(_ word: MountOptions.Signature) -> SignatureVersion {
        switch word {
        case .auto: .automatic
        case .v4: .v4
        case .v1: .v1
        }
    }

    /// The absolute path of a file that can be read, as the daemon leaves its folder.
    private static func readableFile(_ path: [UInt8]) throws(CommandError) -> [UInt8] {
        guard withPath(path, { access($0, R_OK) }) == 0 else {
            throw CommandError(
                .usage, "the file \(printable(path)) of ca-file can't be read: \(SystemError.text(errno))")
        }
        return try Paths.absolute(path)
    }

    private static var hostName: [UInt8] {
        var name = [CChar](repeating: 0, count: 256)
        // The last byte stays 0 where the name fills the rest.
        guard gethostname(&name, name.count - 1) == 0 else { return Array("localhost".utf8) }
        return name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    }

    /// Debian's media-types; without it every object is application/octet-stream.
    private static var mimeTypes: [UInt8] {
        guard case .success(let text) = FileBytes.read("/etc/mime.types", limit: 4 << 20) else { return [] }
        return text
    }
}

extension FuseSession: DetachableSession {
    func stop() { exit() }
}

extension FileSystem: DrainableFileSystem {
    var openFileCount: Int { openFiles }
    var unsentFileCount: Int { unsentFiles }
    func sendEverything(by deadline: Deadline) -> [[UInt8]] { drain(by: deadline).paths }
}
