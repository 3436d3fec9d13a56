import CObjectServer
import Glibc

/// The files with the objects' bytes: each written once under a number of its own, never changed, unlinked when no row
/// names it any more. Safe from any thread, as no two threads ever have the same number to write.
struct BodyStore: Sendable {
    private let folder: String
    /// True where large bodies are measured and thrown away.
    let isSynthetic: Bool

    /// Makes the folder's 256 subfolders if they aren't there.
    init(folder: String, isSynthetic: Bool) throws(StorageError) {
        self.folder = folder
        self.isSynthetic = isSynthetic
        try Self.makeFolder(folder)
        for number in 0..<256 { try Self.makeFolder(Self.subfolder(folder, Int64(number))) }
    }

    static func makeFolder(_ path: String) throws(StorageError) {
        guard mkdir(path, 0o700) != 0, errno != EEXIST else { return }
        throw StorageError(action: "make a folder", number: errno)
    }

    private static func subfolder(_ folder: String, _ number: Int64) -> String {
        let digits = String(number & 0xFF, radix: 16)
        return folder + "/" + (digits.utf8.count < 2 ? "0" : "") + digits
    }

    private func path(_ body: BodyID) -> String {
        Self.subfolder(folder, body.number) + "/" + String(body.number, radix: 16)
    }

    /// Opens for reading; nil where the file is gone, as it was replaced since its row was read.
    func open(_ body: BodyID) throws(StorageError) -> Int32? {
        let descriptor = Glibc.open(path(body), O_RDONLY | O_CLOEXEC)
        if descriptor >= 0 { return descriptor }
        if errno == ENOENT { return nil }
        throw StorageError(action: "open a body", number: errno)
    }

    fileprivate func create(_ body: BodyID) throws(StorageError) -> Int32 {
        let descriptor = Glibc.open(path(body), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StorageError(action: "make a body", number: errno) }
        return descriptor
    }

    /// Gives `copy` the bytes of `body`, by a second link: bodies never change.
    func link(_ body: BodyID, as copy: BodyID) throws(StorageError) {
        guard Glibc.link(path(body), path(copy)) != 0 else { return }
        throw StorageError(action: "link a body", number: errno)
    }

    func remove(_ body: BodyID) {
        guard body != .empty, body != .synthetic else { return }
        unlink(path(body))
    }

    /// Every body on disk, named by a row or not.
    func all() throws(StorageError) -> [BodyID] {
        var found: [BodyID] = []
        for number in 0..<256 {
            guard let directory = opendir(Self.subfolder(folder, Int64(number))) else {
                throw StorageError(action: "read a folder", number: errno)
            }
            defer { closedir(directory) }
            while let entry = readdir(directory) {
                let name = withUnsafeBytes(of: entry.pointee.d_name) { Bytes($0.prefix { $0 != 0 }) }
                guard let text = name.text, let number = Int64(text, radix: 16) else { continue }
                found.append(BodyID(number: number))
            }
        }
        return found
    }
}

/// Writes one body as its bytes come in, and measures them. Of one thread.
final class BodyWriter {
    /// Up to here an object's ETag is its MD5, as OSS has it. Above, MD5 (0.6 GB/s) would set the server's pace, and
    /// the ETag is made of CRC-64 and length.
    static let digestLimitBytes: UInt64 = 8 << 20

    /// With `--bodies synthetic` what is longer isn't stored: the bodies by which links and the like are kept are
    /// shorter.
    static let storedLimitBytes: UInt64 = 1 << 20

    let body: BodyID
    private let store: BodyStore
    private var descriptor: Int32 = -1
    private var isDropped = false
    private var md5: RunningMD5?
    private let alwaysDigests: Bool
    private(set) var size: UInt64 = 0
    private(set) var crc: UInt64 = 0

    /// - Parameters:
    ///   - expectedBytes: the length where it is known beforehand.
    ///   - alwaysDigests: takes the MD5 of any length, to check the one that was sent along.
    init(_ store: BodyStore, _ body: BodyID, expectedBytes: UInt64?, alwaysDigests: Bool) {
        self.store = store
        self.body = body
        self.alwaysDigests = alwaysDigests
        if alwaysDigests || (expectedBytes ?? 0) <= Self.digestLimitBytes { md5 = RunningMD5() }
    }

    deinit { closeFile() }

    func write(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
        guard !bytes.isEmpty else { return }
        crc = cobjectserver_crc64(crc, bytes.baseAddress, bytes.count)
        size += UInt64(bytes.count)
        if !alwaysDigests && size > Self.digestLimitBytes { md5 = nil }
        md5?.update(bytes)
        if store.isSynthetic && size > Self.storedLimitBytes { return drop() }
        if descriptor < 0 { descriptor = try store.create(body) }
        var rest = bytes
        while !rest.isEmpty {
            let written = Glibc.write(descriptor, rest.baseAddress, rest.count)
            if written < 0 && errno == EINTR { continue }
            guard written > 0 else { throw StorageError(action: "write a body", number: errno) }
            rest = UnsafeRawBufferPointer(rebasing: rest[written...])
        }
    }

    /// Ends the file: where its bytes are, and their MD5 where it was taken.
    func finish() -> (body: BodyID, md5: Bytes?) {
        closeFile()
        return (size == 0 ? .empty : isDropped ? .synthetic : body, md5?.finish())
    }

    /// Takes the file away again.
    func abandon() {
        closeFile()
        if size > 0 && !isDropped { store.remove(body) }
    }

    /// Goes on without the file.
    private func drop() {
        guard !isDropped else { return }
        isDropped = true
        guard descriptor >= 0 else { return }
        closeFile()
        store.remove(body)
    }

    private func closeFile() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }
}
