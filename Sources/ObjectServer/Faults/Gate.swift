import CObjectServer
import Glibc
import Runtime

/// Something that threads blocked in poll can be woken by: shut at first, opened once, never shut again.
final class Gate: Sendable {
    private let descriptor: Int32

    init() { descriptor = cobjectserver_event() }

    deinit { close(descriptor) }

    /// Wakes all who wait now or later.
    func open() { cobjectserver_event_set(descriptor) }

    var isOpen: Bool { Self.wait([self], socket: -1, until: .now) == .opened }

    enum Wake { case opened, disconnected, timeout }

    /// Blocks until one of `gates` (at most four) opens, the peer of `socket` (-1 for none) hangs up, or the deadline
    /// passes.
    static func wait(_ gates: [Gate], socket: Int32, until deadline: Deadline) -> Wake {
        let (seconds, attoseconds) = deadline.remaining.components
        let nanoseconds = deadline == .never ? -1 : seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        let events = gates.map(\.descriptor)
        switch cobjectserver_wait(events, Int32(events.count), socket, nanoseconds) {
        case -1: return .timeout
        case let index: return index < events.count ? .opened : .disconnected
        }
    }
}

/// The two gates of a server, and the waits of its connections.
final class Waits: Sendable {
    /// Opens when the server stops.
    let stop = Gate()
    // The gate that holds what hangs or is slow now; a new one takes its place when it opens.
    private let current = Locked(Gate())

    var release: Gate { current.withLock { $0 } }

    /// Lets go of everything that a fault holds.
    func releaseAll() {
        let old = current.withLock { gate in
            defer { gate = Gate() }
            return gate
        }
        old.open()
    }

    /// Blocks until `gate` opens; false if the peer has gone or the server stops.
    func hang(at gate: Gate, socket: Int32) -> Bool {
        Gate.wait([gate, stop], socket: socket, until: .never) == .opened && !stop.isOpen
    }

    /// Blocks for `duration`; false if the peer has gone or the server stops.
    func pause(_ duration: Duration, socket: Int32) -> Bool {
        guard duration > .zero else { return true }
        return Gate.wait([stop], socket: socket, until: .after(duration)) == .timeout
    }
}
