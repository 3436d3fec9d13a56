import FileSystemCore
import Glibc
import Instrumentation
import Runtime
import Transfer

/// A file system in memory for trying the bridge: plain POSIX, except that operations can be held back, dropped and
/// counted by name.
final class MemoryFileSystem: FileSystemOperations {
    final class Bytes: Sendable {
        let array: [UInt8]
        init(_ array: [UInt8]) { self.array = array }
    }

    struct Node {
        var attributes: Attributes
        var data: [UInt8] = []
        var children: [[UInt8]: InodeNumber] = [:]
        /// Names in the order of their making: what readdir's offsets count.
        var order: [[UInt8]] = []
        var lookups: UInt64 = 0
        var opens = 0
    }

    struct State {
        var nodes: [InodeNumber: Node] = [:]
        var nextInode: UInt64 = 1_000
        var calls: [String: Int] = [:]
        var held: Set<String> = []
        var dropped: Set<String> = []
        var waiting: [UInt64: @Sendable () -> Void] = [:]
        var nextWaiting: UInt64 = 0
        var undelivered: [String: Int] = [:]
        var privilegeClears = 0
        var isDestroyed = false
        var absentTimeout = Duration.zero
        var listsWithoutAttributes = false
        var notifier: (any KernelNotifier)?
    }

    private enum Decision { case now, later(UInt64), never }

    let state = Locked(State())
    /// Long, so that what the kernel may cache it does.
    let timeout = Duration.seconds(60)

    init() {
        state.withLock {
            $0.nodes[.root] = Node(attributes: Self.attributes(.root, .directory, 0o755, geteuid(), getegid()))
        }
    }

    static func attributes(
        _ inode: InodeNumber, _ kind: FileKind, _ permissions: UInt32, _ uid: UInt32, _ gid: UInt32
    ) -> Attributes {
        let now = WallTime.now
        return Attributes(
            inode: inode, kind: kind, permissions: permissions, uid: uid, gid: gid, size: 0, accessTime: now,
            modificationTime: now, changeTime: now)
    }

    /// Runs `body` under the lock and answers with its result, now or, where the operation is held, at `release`.
    func perform<Value: Sendable>(
        _ operation: String, _ context: OperationContext, _ reply: @escaping Reply<Value>,
        _ body: @escaping @Sendable (inout State) -> Result<Value, FileSystemError>
    ) {
        let work: @Sendable () -> Void = {
            let result = self.state.withLock { body(&$0) }
            if !reply(result) { self.state.withLock { $0.undelivered[operation, default: 0] += 1 } }
        }
        let decision: Decision = state.withLock { state in
            state.calls[operation, default: 0] += 1
            if state.dropped.contains(operation) { return .never }
            guard state.held.contains(operation) else { return .now }
            state.nextWaiting += 1
            state.waiting[state.nextWaiting] = work
            return .later(state.nextWaiting)
        }
        switch decision {
        case .never: break
        case .now: work()
        case .later(let number):
            context.cancellation.onCancel {
                _ = self.state.withLock { $0.waiting.removeValue(forKey: number) }
                _ = reply(.failure(FileSystemError(EINTR)))
            }
        }
        state.wakeAll()
    }

    // MARK: What tests ask

    func calls(_ operation: String) -> Int { state.withLock { $0.calls[operation, default: 0] } }

    func undelivered(_ operation: String) -> Int { state.withLock { $0.undelivered[operation, default: 0] } }

    func hold(_ operations: String...) { state.withLock { $0.held.formUnion(operations) } }

    func drop(_ operation: String) { state.withLock { _ = $0.dropped.insert(operation) } }

    /// Whether `count` operations wait within ten seconds.
    func waitForHeld(_ count: Int) -> Bool {
        state.wait(until: .after(.seconds(10))) { $0.waiting.count >= count ? true : nil } ?? false
    }

    var heldCount: Int { state.withLock { $0.waiting.count } }

    /// Holds nothing any more, and answers what was held.
    func release() {
        let waiting = state.withLock { state in
            state.held = []
            defer { state.waiting = [:] }
            return state.waiting.sorted { $0.key < $1.key }.map(\.value)
        }
        for work in waiting { work() }
    }

    /// A file as another client would put it there.
    func put(_ name: String, _ data: [UInt8], permissions: UInt32 = 0o644) {
        state.withLock { state in
            let inode = Self.add(&state, .root, Array(name.utf8), .regular, permissions, geteuid(), getegid())
            state.nodes[inode]?.data = data
            state.nodes[inode]?.attributes.size = Int64(data.count)
        }
    }

    func data(_ name: String) -> [UInt8]? {
        state.withLock { state in
            guard let inode = state.nodes[.root]?.children[Array(name.utf8)] else { return nil }
            return state.nodes[inode]?.data
        }
    }

    func inode(_ name: String) -> InodeNumber? {
        state.withLock { $0.nodes[.root]?.children[Array(name.utf8)] }
    }

    @discardableResult
    static func add(
        _ state: inout State, _ parent: InodeNumber, _ name: [UInt8], _ kind: FileKind, _ permissions: UInt32,
        _ uid: UInt32, _ gid: UInt32
    ) -> InodeNumber {
        state.nextInode += 1
        let inode = InodeNumber(state.nextInode)
        state.nodes[inode] = Node(attributes: attributes(inode, kind, permissions, uid, gid))
        state.nodes[parent]?.children[name] = inode
        state.nodes[parent]?.order.append(name)
        return inode
    }

    func destroy() {
        state.withLock { $0.isDestroyed = true }
        state.wakeAll()
    }
}
