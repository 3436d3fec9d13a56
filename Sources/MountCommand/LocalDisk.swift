import FileSystemCore
import FuseBridge
import Glibc
import Instrumentation
import LocalStore
import Transfer

/// What a mount has of this machine's disk: a folder, or none and the reason why.
struct LocalDisk: Sendable {
    let identity: MountIdentity
    private let folder: CacheFolder?
    /// Nil where the user wants none.
    private let absence: String?
    private let limitBytes: Int64

    /// Finds and opens the folder that the options say.
    ///
    /// A folder that was asked for and can't be used is the user's to mend; without the usual one a mount works too, and
    /// says so in the log.
    ///
    /// - Parameter mountPoint: resolved; nothing is mounted there yet, or this would ask the mount itself.
    static func open(_ request: MountRequest, endpoint: [UInt8], mountPoint: [UInt8]) throws(CommandError) -> LocalDisk
    {
        let options = request.options
        let path: [UInt8]
        switch options.cacheFolder {
        case .none: return LocalDisk(limitBytes: 0, absence: nil)
        case .folder(let given): path = try Paths.absolute(given)
        case .standard:
            guard let usual = standardFolder(isRoot: geteuid() == 0, variable: Environment.value) else {
                return LocalDisk(limitBytes: 0, absence: "neither XDG_CACHE_HOME nor HOME names a folder")
            }
            path = usual
        }
        do throws(CommandError) {
            return try open(path, request, endpoint: endpoint, mountPoint: mountPoint)
        } catch {
            if case .standard = options.cacheFolder { return LocalDisk(limitBytes: 0, absence: error.message) }
            throw error
        }
    }

    private static func open(
        _ path: [UInt8], _ request: MountRequest, endpoint: [UInt8], mountPoint: [UInt8]
    ) throws(CommandError) -> LocalDisk {
        try check(path, mountPoint: mountPoint)
        let identity = MountIdentity.make()
        let folder: CacheFolder
        do throws(CacheFolderError) {
            folder = try CacheFolder(
                root: path, endpoint: endpoint, bucket: Array(request.bucket.bucket.utf8),
                prefix: request.bucket.prefix, identity: identity)
        } catch {
            throw CommandError(
                .usage,
                "the folder \(printable(error.path)) of cache-dir can't be used: \(SystemError.text(error.errno))",
                remedy: "give one on a local disk that this user may write, or cache-dir=none")
        }
        let limit = request.options.cacheBytes ?? StagingFolder.defaultLimit(freeBytes: folder.freeBytes ?? 0)
        return LocalDisk(identity: identity, folder: folder, absence: nil, limitBytes: limit)
    }

    /// Refuses a folder inside a mount of this program: writing there would wait for ourselves.
    private static func check(_ path: [UInt8], mountPoint: [UInt8]) throws(CommandError) {
        // What isn't there yet will be made in the nearest folder that is.
        var present = path
        var missing: [UInt8] = []
        var resolved = Paths.real(present)
        while case .failure(let error) = resolved, error.number == ENOENT,
            let slash = present.lastIndex(of: UInt8(ascii: "/"))
        {
            missing = Array(present[slash...]) + missing
            present = slash == 0 ? [UInt8(ascii: "/")] : Array(present[..<slash])
            resolved = Paths.real(present)
        }
        let real: [UInt8]
        switch resolved {
        case .success(let path): real = path == [UInt8(ascii: "/")] ? [] : path
        case .failure(let error):
            throw CommandError(
                .usage, "the folder \(printable(path)) of cache-dir can't be used: \(SystemError.text(error.number))")
        }
        var status = stat()
        let isInside = withPath(present, { stat($0, &status) }) == 0 && MountTable.isOurs(device: UInt64(status.st_dev))
        let isBelow = (real + missing + [UInt8(ascii: "/")]).starts(with: mountPoint + [UInt8(ascii: "/")])
        guard !isInside, !isBelow else {
            throw CommandError(
                .usage, "the folder \(printable(path)) of cache-dir lies in a mounted bucket",
                remedy: "give one on a local disk, or cache-dir=none")
        }
    }

    /// Where the folder is unless the user says: `/var/cache/ossmount` for root, else as the XDG base directories say.
    static func standardFolder(isRoot: Bool, variable: (String) -> [UInt8]?) -> [UInt8]? {
        if isRoot { return Array("/var/cache/ossmount".utf8) }
        let slash = UInt8(ascii: "/")
        // A relative path is to be ignored: https://specifications.freedesktop.org/basedir-spec/latest/
        if let cache = variable("XDG_CACHE_HOME"), cache.first == slash { return cache + Array("/ossmount".utf8) }
        if let home = variable("HOME"), home.first == slash { return home + Array("/.cache/ossmount".utf8) }
        return nil
    }

    private init(
        identity: MountIdentity = .make(), folder: CacheFolder? = nil, absence: String?, limitBytes: Int64
    ) {
        self.identity = identity
        self.folder = folder
        self.absence = absence
        self.limitBytes = limitBytes
    }

    private init(limitBytes: Int64, absence: String?) {
        self.init(absence: absence, limitBytes: limitBytes)
    }

    /// What the process in the background must keep open.
    var descriptors: [Int32] { folder?.descriptors ?? [] }

    /// Room for uploads; says in the log what there is.
    func staging(log: Log) -> StagingFolder? {
        guard let folder else {
            if let absence {
                log(.warning, "no cache-dir: uploads use no disk", [LogField("why", absence)])
            } else {
                log(.info, "no cache-dir: uploads use no disk")
            }
            return nil
        }
        log(.info, "cache-dir", [LogField("folder", folder.path), LogField("bytes", limitBytes)])
        return StagingFolder(in: folder, limitBytes: limitBytes, log: log)
    }

    /// Begins to tidy up behind mounts that died here.
    func sweep(_ fileSystem: FileSystem) { fileSystem.sweep(folder) }

    /// Tidies up at the end.
    func remove() { folder?.remove() }
}
