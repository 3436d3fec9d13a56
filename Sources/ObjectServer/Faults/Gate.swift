import Glibc
import Runtime

/// Something that threads blocked in poll can be woken by: shut at first, opened once, never shut again.
final class Gate: Sendable {
    private let descriptor: Int32

    init() { descriptor = eventfd(0, Int32(EFD_CLOEXEC.rawValue) | Int32(EFD_NONBLOCK.rawValue)) }

    deinit { close(descriptor) }

    /// Wakes all who wait now or later.
    func open() { eventfd_write(descriptor, 1) }

    var isOpen: Bool { Self.wait([self], socket: -1, until: .now) == .opened }

    enum Wake { case opened, disconnected, timeout }

    /// Blocks until one of `gates` opens, the peer of `socket` (-1 for none) hangs up, or the deadline passes.
    static func wait(_ gates: [Gate], socket: Int32, until deadline: Deadline) -> Wake {
        var polled = gates.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        polled.append(pollfd(fd: socket, events: Int16(0x2000 /* POLLRDHUP, a macro with a cast */), revents: 0))
        while true {
            let result: Int32
            if deadline == .never {
                result = ppoll(&polled, nfds_t(polled.count), nil, nil)
            } else {
                let (seconds, attoseconds) = deadline.remaining.components
                var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
                result = ppoll(&polled, nfds_t(polled.count), &time, nil)
            }
            if result == 0 { return .timeout }
            if result < 0 {
                if errno == EINTR { continue }
                return .timeout
            }
            return polled.dropLast().contains { $0.revents != 0 } ? .opened : .disconnected
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
