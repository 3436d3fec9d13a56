import Checksums
import Glibc
import Runtime

/// A mount's part of the cache folder, open and locked; see the module's design page for what lies where.
package final class CacheFolder: Sendable {
    /// For messages only: everything is reached through descriptors.
    package let path: [UInt8]
    package let identity: MountIdentity
    /// Whether this is the one mount of its bucket and prefix, on this machine, that holds the folder's own lock.
    package let isFirst: Bool
    /// Where this mount's files are made.
    package let mountFolder: Descriptor
    private let mounts: Descriptor
    private let lock: Descriptor
    private let folderLock: Descriptor

    /// Opens, and makes where it isn't there, the part of the folder at `root` that is for `endpoint`, `bucket` and
    /// `prefix`, for the mount `identity`.
    ///
    /// - Throws: what can't be made, opened or locked. Folders that were made stay.
    package init(
        root: [UInt8], endpoint: [UInt8], bucket: [UInt8], prefix: [UInt8], identity: MountIdentity
    ) throws(CacheFolderError) {
        self.identity = identity
        try Self.makeFolders(root)
        guard let name = Self.name(endpoint: endpoint, bucket: bucket, prefix: prefix) else {
            throw CacheFolderError(path: root, errno: EIO)
        }
        let path = root + [Self.slash] + name
        self.path = path
        func own(_ number: Int32) throws(CacheFolderError) -> Descriptor {
            guard number >= 0 else { throw CacheFolderError(path: path, errno: errno) }
            return Descriptor(number)
        }
        _ = Self.with(path) { mkdir($0, 0o700) }
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW
        let folder = try own(Self.with(path) { open($0, flags) })
        // Under a root that others can write somebody may have made it: only a folder of our own will do.
        var status = stat()
        guard fstat(folder.number, &status) == 0, status.st_uid == geteuid(), fchmod(folder.number, 0o700) == 0 else {
            throw CacheFolderError(path: path, errno: EACCES)
        }
        folderLock = try own(openat(folder.number, "lock", Self.lockFlags, 0o600))
        isFirst = flock(folderLock.number, LOCK_EX | LOCK_NB) == 0
        mkdirat(folder.number, "mounts", 0o700)
        mounts = try own(openat(folder.number, "mounts", flags))

        let newName = Array(".new-".utf8) + identity.bytes
        let mounts = mounts
        guard Self.with(newName, { mkdirat(mounts.number, $0, 0o700) }) == 0 else {
            throw CacheFolderError(path: path, errno: errno)
        }
        mountFolder = try own(Self.with(newName) { openat(mounts.number, $0, flags) })
        lock = try own(openat(mountFolder.number, "lock", Self.lockFlags, 0o600))
        guard flock(lock.number, LOCK_EX | LOCK_NB) == 0 else { throw CacheFolderError(path: path, errno: errno) }
        let isNamed = Self.with(newName) { old in
            Self.with(identity.bytes) { renameat(mounts.number, old, mounts.number, $0) == 0 }
        }
        guard isNamed else { throw CacheFolderError(path: path, errno: errno) }
    }

    /// All descriptors that must stay open in the process that serves the mount.
    package var descriptors: [Int32] { [mounts, mountFolder, lock, folderLock].map(\.number) }

    /// What is free on the folder's disk for this user, in bytes; nil where that can't be told.
    package var freeBytes: Int64? {
        var status = statvfs()
        guard fstatvfs(mountFolder.number, &status) == 0 else { return nil }
        return Int64(clamping: UInt64(status.f_bavail) &* UInt64(status.f_frsize))
    }

    /// The mounts that are gone and have not tidied up; each is locked against other starts while its value lives.
    package func deadMounts() -> [DeadMount] {
        names(in: mounts.number).compactMap { name in
            guard let identity = MountIdentity(name), identity != self.identity else { return nil }
            let mounts = mounts
            let opened = Self.with(name) {
                openat(mounts.number, $0, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
            }
            guard opened >= 0 else { return nil }
            let folder = Descriptor(opened)
            let number = openat(folder.number, "lock", O_RDWR | O_CLOEXEC | O_NOFOLLOW)
            guard number >= 0 else {
                // The lock goes last but one: only the folder itself was left.
                if errno == ENOENT { _ = Self.with(name) { unlinkat(mounts.number, $0, AT_REMOVEDIR) } }
                return nil
            }
            let lock = Descriptor(number)
            guard flock(lock.number, LOCK_EX | LOCK_NB) == 0 else { return nil }
            return DeadMount(identity: identity, mounts: mounts, folder: folder, lock: lock)
        }
    }

    /// Takes this mount's own folder away, at its end: nothing of it is left in the bucket that a later start must tidy up.
    package func remove() { Self.remove(identity, from: mounts, folder: mountFolder) }

    fileprivate static func remove(_ identity: MountIdentity, from mounts: Descriptor, folder: Descriptor) {
        for name in names(in: folder.number) where name != Array("lock".utf8) {
            _ = with(name) { unlinkat(folder.number, $0, 0) }
        }
        unlinkat(folder.number, "lock", 0)
        _ = with(identity.bytes) { unlinkat(mounts.number, $0, AT_REMOVEDIR) }
    }

    private static let lockFlags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
    private static let slash = UInt8(ascii: "/")

    /// `BUCKET-HASH`: readable, and another for each endpoint and prefix; nil where no digest can be had.
    static func name(endpoint: [UInt8], bucket: [UInt8], prefix: [UInt8]) -> [UInt8]? {
        guard let digest = try? Digest.sha256(endpoint + [0] + bucket + [0] + prefix) else { return nil }
        let digits = Array("0123456789abcdef".utf8)
        return bucket + [UInt8(ascii: "-")] + digest.prefix(8).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }

    /// Makes what is missing of a path, for this user alone; what is there is left as it is.
    private static func makeFolders(_ path: [UInt8]) throws(CacheFolderError) {
        for end in path.indices.dropFirst() where path[end] == slash {
            _ = with(Array(path[..<end])) { mkdir($0, 0o700) }
        }
        _ = with(path) { mkdir($0, 0o700) }
        var status = stat()
        guard with(path, { stat($0, &status) }) == 0 else { throw CacheFolderError(path: path, errno: errno) }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw CacheFolderError(path: path, errno: ENOTDIR) }
    }

    fileprivate static func names(in folder: Int32) -> [[UInt8]] {
        // A description of its own, as reading moves the position.
        let copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0 else { return [] }
        guard let stream = fdopendir(copy) else {
            close(copy)
            return []
        }
        defer { closedir(stream) }
        var names: [[UInt8]] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if name != Array(".".utf8), name != Array("..".utf8) { names.append(name) }
        }
        return names
    }

    private func names(in folder: Int32) -> [[UInt8]] { Self.names(in: folder) }

    /// Calls `body` with `path` as C wants it; the pointer dies with the call.
    fileprivate static func with<Result>(_ path: [UInt8], _ body: (UnsafePointer<CChar>) -> Result) -> Result {
        let terminated = path.map { CChar(bitPattern: $0) } + [0]
        return terminated.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return body("") }
            return body(base)
        }
    }
}

/// A mount of this folder that is gone without having tidied up. Nobody else sweeps it while this value lives.
package final class DeadMount: Sendable {
    package let identity: MountIdentity
    private let mounts: Descriptor
    private let folder: Descriptor
    private let lock: Descriptor

    fileprivate init(identity: MountIdentity, mounts: Descriptor, folder: Descriptor, lock: Descriptor) {
        self.identity = identity
        self.mounts = mounts
        self.folder = folder
        self.lock = lock
    }

    /// Takes its folder away, once nothing of it is left in the bucket.
    package func remove() { CacheFolder.remove(identity, from: mounts, folder: folder) }
}
