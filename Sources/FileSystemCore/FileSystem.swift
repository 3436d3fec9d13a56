import Glibc
import Instrumentation
import ObjectStore
import Runtime
import Transfer

/// A bucket, or a part of it, as a file system.
package final class FileSystem: FileSystemOperations {
    let configuration: FileSystemConfiguration
    let store: any ObjectStore
    let cache: BlockCache
    let uploads: UploadEngine
    let contentTypes: ContentTypes
    let notifier: any KernelNotifier
    let clock: any Clock
    let log: Log
    /// The time shown for directories that have none of their own.
    let startedAt: WallTime
    /// Guards all nodes; rank: inode table.
    let table: Locked<InodeTable>
    /// Guards what is open; rank: handle table.
    let handles = Locked(HandleTable())
    /// Directories whose listing is being fetched for lookups; a leaf, which threads wait at.
    let listings = Locked<Set<InodeNumber>>([])
    /// Operations that wait for the server or for memory: one thread each. 1,024: every process of a busy machine may
    /// wait at once, at 256 KiB of mostly untouched stack.
    let operations = WorkerPool(name: "operation", limit: 1024)
    /// Requests that go beside another of the same operation; they never wait for work of either pool.
    let companions = WorkerPool(name: "companion", limit: 256)
    /// Opens that wait for the server only as long as patience lasts, so that they never stand in line behind those that
    /// wait for good.
    let revalidations = WorkerPool(name: "revalidation", limit: 256)
    /// Whether the log has said that properties of objects can't be read; a leaf.
    let hasToldProperties = Locked(false)
    /// How many hidden objects of this mount are in the bucket, as far as is known; a leaf.
    let hiddenCount = Locked(0)
    /// Set when the mount ends, for what tidies up behind earlier ones.
    let sweeping = Cancellation()
    /// Bytes of writes that wait for memory.
    let overflow: WriteOverflow

    package init(
        configuration: FileSystemConfiguration, store: any ObjectStore, cache: BlockCache, uploads: UploadEngine,
        memoryBytes: Int, contentTypes: ContentTypes, notifier: any KernelNotifier, clock: any Clock, log: Log
    ) {
        self.configuration = configuration
        self.store = store
        self.cache = cache
        self.uploads = uploads
        self.contentTypes = contentTypes
        self.notifier = notifier
        self.clock = clock
        self.log = log
        startedAt = clock.wall
        // A program has one write of at most 1 MiB under way for each of its threads: 256 of them may wait at least.
        overflow = WriteOverflow(limitBytes: max(256 << 20, memoryBytes / 2))
        // The epoch is the start's second, modulo 2^24: it repeats after 194 days, long after a mount's last inode of
        // that epoch was forgotten.
        table = Locked(
            InodeTable(
                epoch: UInt64(truncatingIfNeeded: clock.wall.seconds), firstCount: UInt64.random(in: 0..<1 << 39)))
    }

    // MARK: Answering

    /// Runs `body` on a thread of the pool (`operations` unless another is given) and answers with what it returns or throws.
    ///
    /// - Parameter undo: called with a value whose answer reached nobody.
    func dispatch<Value>(
        _ context: OperationContext, _ reply: @escaping Reply<Value>, on pool: WorkerPool? = nil,
        undo: @escaping @Sendable (Value) -> Void = { _ in },
        _ body: @escaping @Sendable () throws(FileSystemError) -> Value
    ) {
        let isTaken = (pool ?? operations).submit { [self] in
            guard !context.cancellation.isCancelled else {
                _ = reply(.failure(FileSystemError(EINTR)))
                return
            }
            do throws(FileSystemError) {
                answer(try body(), reply, undo: undo)
            } catch {
                report(error)
                _ = reply(.failure(error))
            }
        }
        if !isTaken { _ = reply(.failure(FileSystemError(ENOTCONN, "The mount is ending."))) }
    }

    /// Answers with a value, which is taken back if that reached nobody.
    func answer<Value>(_ value: Value, _ reply: Reply<Value>, undo: (Value) -> Void = { _ in }) {
        if !reply(.success(value)) { undo(value) }
    }

    /// Logs an error that an operation ends in.
    func report(_ error: FileSystemError) {
        guard !error.message.isEmpty else { return }
        log(
            error.level, "operation failed",
            [LogField("errno", Int(error.errno)), LogField("why", error.message)])
    }

    /// The bounds of one operation's requests.
    func requestContext(_ context: OperationContext) -> RequestContext {
        RequestContext(deadline: .after(configuration.deadline), cancellation: context.cancellation)
    }

    // MARK: Keys and names

    /// The key of a file under `parent`; nil where the directory has no name any more.
    func key(of name: FileName, under parent: Node, _ table: InodeTable) -> ObjectKey? {
        directoryPrefix(of: parent, table).map { ObjectKey($0 + name.bytes) }
    }

    /// What the keys of a directory's content begin with; the key of its marker, but for the root.
    func directoryPrefix(of node: Node, _ table: InodeTable) -> [UInt8]? {
        guard let path = table.path(of: node) else { return nil }
        return path.isEmpty ? configuration.prefix : configuration.prefix + path + [UInt8(ascii: "/")]
    }

    /// The key of the object that holds a directory's attributes.
    func markerKey(of node: Node, _ table: InodeTable) -> ObjectKey? {
        guard let prefix = directoryPrefix(of: node, table) else { return nil }
        return ObjectKey(node.number == .root ? prefix + Self.hiddenName + Array("/root".utf8) : prefix)
    }

    /// Our own keys, which no listing shows.
    static let hiddenName = Array(".ossmount".utf8)

    /// The name that a program gave for something to look for; nil where no file can have it.
    func existingName(_ bytes: [UInt8], under parent: InodeNumber) throws(FileSystemError) -> FileName {
        guard bytes.count <= FileName.maximumBytes else { throw FileSystemError(ENAMETOOLONG) }
        // A name that no key can have is absent without asking, so that a create of it gets to say what is wrong.
        let isPossible = FileName(bytes).map { $0.isUTF8 && !(startsKey(parent) && bytes.first == Self.backslash) }
        guard let name = FileName(bytes), isPossible == true, !(parent == .root && bytes == Self.hiddenName) else {
            throw FileSystemError(ENOENT)
        }
        return name
    }

    private static let backslash = UInt8(ascii: "\\")

    /// Whether names in this directory begin their keys.
    private func startsKey(_ parent: InodeNumber) -> Bool { parent == .root && configuration.prefix.isEmpty }

    /// The name that a program gave for something to make.
    func newName(_ bytes: [UInt8], under parent: InodeNumber) throws(FileSystemError) -> FileName {
        guard bytes.count <= FileName.maximumBytes else { throw FileSystemError(ENAMETOOLONG) }
        guard let name = FileName(bytes) else { throw FileSystemError(EINVAL) }
        guard name.isUTF8 else {
            throw FileSystemError(EILSEQ, "Names in OSS must be UTF-8.")
        }
        guard !(parent == .root && bytes == Self.hiddenName) else {
            throw FileSystemError(EPERM, "This name is kept for ossmount's own objects.")
        }
        guard !configuration.isReadOnly else { throw FileSystemError(EROFS) }
        return name
    }

    /// Refuses a key that the store can't hold.
    func check(_ key: ObjectKey) throws(FileSystemError) {
        guard key.bytes.count <= store.capabilities.maximumKeyBytes else {
            throw FileSystemError(ENAMETOOLONG, "The path is longer than a key may be.")
        }
        // OSS refuses keys that begin with a slash or backslash.
        guard let first = key.bytes.first, first != UInt8(ascii: "/"), first != UInt8(ascii: "\\") else {
            throw FileSystemError(EINVAL, "A key in OSS must not begin with a backslash.")
        }
    }

    /// How much longer what the server said at `time` is trusted.
    func remainingTrust(_ time: Deadline?) -> Duration {
        guard let time else { return .zero }
        let end = time.advanced(by: configuration.metadataLifetime).nanoseconds
        let present = clock.monotonic.nanoseconds
        return end > present ? .nanoseconds(Int64(clamping: end - present)) : .zero
    }

    /// Whether what is trusted for so much longer was said within the last second.
    func isFresh(_ trust: Duration) -> Bool { configuration.metadataLifetime - trust < Self.freshness }

    /// A server's word on a key younger than this counts as asked just now: open right after a lookup asks once.
    static let freshness = Duration.seconds(1)

    func isTrusted(_ time: Deadline?) -> Bool { remainingTrust(time) > .zero }
}
