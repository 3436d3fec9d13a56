import Glibc
import Instrumentation
import LocalStore
import ObjectStore
import Runtime
import TestSupport
import Testing
import Transfer

@testable import FileSystemCore

/// A file system over a store in memory, with calls that wait for their answers.
final class CoreFixture: Sendable {
    let memory: MemoryObjectStore
    let store: FaultyObjectStore
    let clock = ManualClock()
    let notified = RecordingNotifier()
    let recorded = RecordingLog()
    let fileSystem: FileSystem
    /// This process: it is the opener and the one that closes.
    let caller = Caller(uid: 1000, gid: 1000, pid: getpid(), umask: 0o022)

    init(
        prefix: String = "", memoryBytes: Int = 64 << 20, isReadOnly: Bool = false, memory: MemoryObjectStore? = nil,
        deadline: Duration = .seconds(20), slabBytes: Int = SlabPool.defaultSlabBytes,
        mountID: MountIdentity = .make()
    ) {
        self.memory = memory ?? MemoryObjectStore(clock: clock)
        store = FaultyObjectStore(self.memory)
        let slabs = SlabPool(budgetBytes: memoryBytes, slabBytes: slabBytes)
        let cache = BlockCache(
            store: store, slabs: slabs,
            configuration: BlockCache.Configuration(deadline: deadline), log: recorded.log)
        let uploads = UploadEngine(
            store: store, cache: cache, staging: nil,
            configuration: UploadEngine.Configuration(
                limits: PartLimits(store.capabilities, budgetBytes: memoryBytes), deadline: deadline,
                hiddenPrefix: Array("\(prefix).ossmount/up/".utf8),
                asidePrefix: Array("\(prefix).ossmount/aside/".utf8)), log: recorded.log)
        fileSystem = FileSystem(
            configuration: FileSystemConfiguration(
                prefix: Array(prefix.utf8), uid: 500, gid: 501, deadline: deadline,
                hostName: Array("testhost".utf8), isReadOnly: isReadOnly,
                mountID: mountID),
            store: store, cache: cache, uploads: uploads, memoryBytes: memoryBytes,
            contentTypes: ContentTypes(mimeTypes: Array("image/jpeg jpeg jpg\ntext/plain txt\n".utf8)),
            notifier: notified, clock: clock, log: recorded.log)
    }

    func context(pid: Int32? = nil) -> OperationContext {
        var caller = caller
        if let pid { caller.pid = pid }
        return OperationContext(caller: caller, cancellation: Cancellation())
    }

    /// Waits for the answer of one operation.
    func wait<Value>(_ start: (@escaping Reply<Value>) -> Void) throws -> Value {
        let answer = Locked<UncheckedSendable<Result<Value, FileSystemError>?>>(UncheckedSendable(nil))
        start { result in
            let carried = UncheckedSendable(result)
            answer.withLock { slot in
                if slot.value != nil { Issue.record("answered twice") }
                slot = UncheckedSendable(carried.value)
            }
            answer.wakeAll()
            return true
        }
        let result = answer.wait(until: .after(.seconds(30))) { slot in slot.value.map { UncheckedSendable($0) } }
        return try #require(result).value.get()
    }

    func lookup(_ name: String, in parent: InodeNumber = .root) throws -> Entry? {
        let result = try wait {
            fileSystem.lookup(parent: parent, name: Array(name.utf8), context: context(), reply: $0)
        }
        if case .found(let entry) = result { return entry }
        return nil
    }

    func attributes(_ inode: InodeNumber) throws -> Attributes {
        try wait { fileSystem.getattr(inode: inode, handle: nil, context: context(), reply: $0) }.attributes
    }

    func create(
        _ name: String, in parent: InodeNumber = .root, flags: Int32 = O_WRONLY | O_TRUNC, mode: UInt32 = 0o666
    ) throws -> (inode: InodeNumber, handle: HandleID) {
        let made = try wait {
            fileSystem.create(
                parent: parent, name: Array(name.utf8), mode: mode, flags: flags, context: context(), reply: $0)
        }
        return (made.entry.attributes.inode, made.file.handle)
    }

    func open(_ inode: InodeNumber, flags: Int32 = O_RDONLY) throws -> HandleID {
        try wait { fileSystem.open(inode: inode, flags: flags, context: context(), reply: $0) }.handle
    }

    func write(_ bytes: [UInt8], _ inode: InodeNumber, _ handle: HandleID, at offset: Int64 = 0) throws {
        let count: Int = try wait { reply in
            bytes.withUnsafeBytes { buffer in
                fileSystem.write(
                    inode: inode, handle: handle, offset: offset, bytes: buffer, clearsPrivileges: false,
                    context: context(), reply: reply)
            }
        }
        #expect(count == bytes.count)
    }

    func read(_ inode: InodeNumber, _ handle: HandleID, _ range: Range<Int> = 0..<(1 << 20)) throws -> [UInt8] {
        let bytes = try wait {
            fileSystem.read(
                inode: inode, handle: handle, offset: Int64(range.lowerBound), count: range.count, context: context(),
                reply: $0)
        }
        return bytes.segments.flatMap { Array($0) }
    }

    func flush(_ inode: InodeNumber, _ handle: HandleID, pid: Int32? = nil) throws {
        try wait { fileSystem.flush(inode: inode, handle: handle, context: context(pid: pid), reply: $0) }
    }

    func release(_ inode: InodeNumber, _ handle: HandleID) throws {
        try wait { fileSystem.release(inode: inode, handle: handle, context: context(), reply: $0) }
    }

    /// Closes as a program does: flush, then release.
    func close(_ inode: InodeNumber, _ handle: HandleID) throws {
        try flush(inode, handle)
        try release(inode, handle)
    }

    /// A whole file, written and closed.
    @discardableResult
    func store(_ name: String, _ bytes: [UInt8], in parent: InodeNumber = .root) throws -> InodeNumber {
        let (inode, handle) = try create(name, in: parent)
        try write(bytes, inode, handle)
        try close(inode, handle)
        return inode
    }

    func unlink(_ name: String, in parent: InodeNumber = .root) throws {
        try wait { fileSystem.unlink(parent: parent, name: Array(name.utf8), context: context(), reply: $0) }
    }

    func rename(_ name: String, to newName: String) throws {
        try wait {
            fileSystem.rename(
                parent: .root, name: Array(name.utf8), newParent: .root, newName: Array(newName.utf8), flags: 0,
                context: context(), reply: $0)
        }
    }

    func names(in inode: InodeNumber = .root) throws -> [String] {
        let handle = try wait { fileSystem.opendir(inode: inode, context: context(), reply: $0) }
        var names: [String] = []
        var offset: UInt64 = 0
        while true {
            let packer = ListingPacker(room: 7)
            let _: Void = try wait {
                fileSystem.readdir(
                    inode: inode, handle: handle, offset: offset, packer: packer, context: context(), reply: $0)
            }
            let entries = packer.entries.withLock { $0 }
            guard let last = entries.last else { break }
            names += entries.map { String(decoding: $0.name, as: UTF8.self) }
            offset = last.next
        }
        let _: Void = try wait {
            fileSystem.releasedir(inode: inode, handle: handle, context: context(), reply: $0)
        }
        return names.filter { $0 != "." && $0 != ".." }
    }

    func contents(_ key: String) -> [UInt8]? { memory.contents(ObjectKey(key.utf8)) }
}

/// Keeps what the kernel would be told.
final class RecordingNotifier: KernelNotifier {
    let names = Locked<[FileName]>([])
    func invalidateEntry(parent: InodeNumber, name: FileName) { names.withLock { $0.append(name) } }
    func invalidateInode(_ inode: InodeNumber, dropsPages: Bool) {}
}

/// Takes a few entries at a time.
final class ListingPacker: DirectoryPacker {
    let entries = Locked<[(name: [UInt8], next: UInt64, kind: FileKind?)]>([])
    let room: Int
    let wantsAttributes = false
    init(room: Int) { self.room = room }

    func add(name: [UInt8], inode: InodeNumber, kind: FileKind?, entry: Entry?, nextOffset: UInt64) -> Bool {
        entries.withLock { entries in
            guard entries.count < room else { return false }
            entries.append((name, nextOffset, kind))
            return true
        }
    }
}

/// Whether `body` ends in this errno.
func expectErrno(_ number: Int32, _ body: () throws -> Void) {
    #expect {
        try body()
    } throws: {
        ($0 as? FileSystemError)?.errno == number
    }
}
