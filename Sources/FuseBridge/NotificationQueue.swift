import CFuse
import FileSystemCore
import Instrumentation
import ObjectStore
import Runtime

/// Carries the core's invalidations to the kernel, in order, by one thread that nobody waits for.
///
/// The thread may be blocked in the kernel for as long as an operation in the same directory or on the same page is
/// unanswered: that is why no callback and no lock may do this work. The same invalidation twice in line counts once.
final class NotificationQueue: KernelNotifier {
    enum Notification: Hashable, Sendable {
        case entry(parent: InodeNumber, name: FileName)
        case inode(InodeNumber, dropsPages: Bool)
    }

    private struct State {
        var line: [Notification] = []
        var head = 0
        var waiting: Set<Notification> = []
        var dropped: UInt64 = 0
        var isStopping = false
    }

    /// Entries in line: some MiB of names, and more changes than the kernel is likely to have cached. Past it the oldest
    /// go: what they named stays cached until its timeout, which is what happens without any notification.
    static let limit = 16_384

    // Guards the line; a leaf.
    private let state = Locked(State())

    func invalidateEntry(parent: InodeNumber, name: FileName) { add(.entry(parent: parent, name: name)) }

    func invalidateInode(_ inode: InodeNumber, dropsPages: Bool) { add(.inode(inode, dropsPages: dropsPages)) }

    /// Invalidations that were given up as the line was full.
    var dropped: UInt64 { state.withLock { $0.dropped } }

    /// Starts the thread, which ends after `stop`; false where the system has no room for it.
    func start(for connection: FuseConnection) -> Bool {
        // 128 KiB: it only calls libfuse.
        PlainThread.start(name: "fuse-notify", stackBytes: 128 * 1024) {
            var reported: UInt64 = 0
            while let notification = self.next() {
                Self.send(notification, to: connection)
                let dropped = self.dropped
                if dropped > 0 && reported == 0 {
                    connection.log(.warning, "fuse.notifications_dropped", [LogField("count", dropped)])
                }
                reported = dropped
            }
        }
    }

    /// Ends the thread; what is in line is given up, as the kernel has nothing cached any more.
    func stop() {
        state.withLock { $0.isStopping = true }
        state.wakeAll()
    }

    private func add(_ notification: Notification) {
        state.withLock { state in
            // Dropping pages drops the attributes too.
            if case .inode(let inode, false) = notification,
                state.waiting.contains(.inode(inode, dropsPages: true))
            {
                return
            }
            guard !state.isStopping, state.waiting.insert(notification).inserted else { return }
            if state.line.count - state.head >= Self.limit {
                state.waiting.remove(state.line[state.head])
                state.head += 1
                state.dropped += 1
            }
            state.line.append(notification)
            if state.head > Self.limit {
                state.line.removeFirst(state.head)
                state.head = 0
            }
        }
        state.wakeOne()
    }

    /// The next in line, once there is one; nil at the end. Taken out before it is sent, so that a change during the
    /// sending is sent again.
    func next() -> Notification? {
        let found: Notification?? = state.wait(until: .never) { state in
            if state.isStopping { return .some(nil) }
            guard state.head < state.line.count else { return nil }
            let first = state.line[state.head]
            state.head += 1
            state.waiting.remove(first)
            if state.head == state.line.count {
                state.line.removeAll(keepingCapacity: state.line.count < 1024)
                state.head = 0
            }
            return .some(first)
        }
        return found ?? nil
    }

    private static func send(_ notification: Notification, to connection: FuseConnection) {
        guard let session = connection.session else { return }
        switch notification {
        case .entry(let parent, let name):
            name.bytes.withUnsafeBytes { bytes in
                let text = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
                _ = fuse_lowlevel_notify_inval_entry(session, fuse_ino_t(parent.rawValue), text, bytes.count)
            }
        case .inode(let inode, let dropsPages):
            // Offset 0 and length 0 mean all pages, a negative offset none.
            _ = fuse_lowlevel_notify_inval_inode(session, fuse_ino_t(inode.rawValue), dropsPages ? 0 : -1, 0)
        }
    }
}
