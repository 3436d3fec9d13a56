import Instrumentation
import Runtime

/// All options of `ossmount mount` as plain values; what isn't given has its default here.
struct MountOptions: Sendable, Equatable {
    enum Addressing: String, Sendable, CaseIterable { case auto, virtual, path, cname }
    enum ACLs: String, Sendable, CaseIterable { case keep, ignore }
    enum Signature: String, Sendable, CaseIterable { case auto, v4, v1 }

    // Server.
    /// A URL or a host; nil derives it from the region.
    var endpoint: [UInt8]?
    var region: String?
    var addressing = Addressing.auto
    var signature = Signature.auto
    /// A file of certificates in PEM to trust instead of the system's.
    var caFile: [UInt8]?
    /// 20 s: what OSS's own SDKs wait.
    var requestTimeout = Duration.seconds(20)

    // Credentials.
    var credentials = CredentialsChoice.environment
    /// A file of request headers for the auth server.
    var credentialsHeaders: [UInt8]?
    /// The words of the command that decodes the auth server's replies.
    var credentialsDecoder: [[UInt8]]?

    // Memory and caches.
    /// 512 MiB: sixteen parallel streams of 8 MiB parts with as much again for what is being read.
    var memoryBytes: Int64 = 512 << 20
    /// The length of a block; another than the default is for tests, so that short files have many.
    var blockBytes = SlabPool.defaultSlabBytes
    var acl = ACLs.keep
    /// The first parts of an upload; see `PartLimits`. Another, and the service's limits made smaller, are for tests.
    var partBytes: Int64 = 8 << 20
    var partMinimumBytes: Int64?
    var partCount: Int?
    /// 10 s: short enough for people who look for a picture that a colleague just uploaded, long enough for `ls -l` after `ls`.
    var metadataTTL = Duration.seconds(10)
    var cacheFolder = CacheFolderChoice.standard
    /// Nil is 10 GiB, or half of what is free where that is less.
    var cacheBytes: Int64?

    // Mount point.
    var allowsNonEmpty = false
    var isReadOnly = false
    /// Whether `ro` among mount(8)'s words said so, which `rw` after it takes back.
    var isReadOnlyByWord = false
    var allowsOthers = false
    /// Nil is the mounting user.
    var uid: UInt32?
    var gid: UInt32?
    /// Bits taken away from 0644 and 0755.
    var umask: UInt32 = 0
    /// What mount(8) passes for the kernel: `nosuid`, `noatime`; each word once.
    var kernelWords: [String] = []

    // Process.
    var isForeground = false
    /// 15 s: three tries of a slow connection; systemd's own limit for a mount is 90 s.
    var startTimeout = Duration.seconds(15)
    var logLevel = LogLevel.info
    /// Nil is standard error in the foreground, syslog in the background.
    var logFile: [UInt8]?
    var allowsCoreDumps = false

    init() {}
}
