import Runtime

/// Holds a stream of bytes to a rate by blocking its thread.
struct Pacer {
    /// Bytes per second, above 0.
    let rate: UInt64
    /// Once open, the rate holds no more; nil for a rate that always holds.
    let release: Gate?
    private let start = Deadline.now
    private var bytes: UInt64 = 0

    init(rate: UInt64, release: Gate?) {
        self.rate = max(rate, 1)
        self.release = release
    }

    /// How many bytes go at a time: a twentieth of a second's worth.
    var pieceBytes: Int { Int(clamping: max(rate / 20, 1)) }

    /// Blocks until `count` more bytes are due; false if the peer has gone or the server stops.
    mutating func pass(_ count: Int, waits: Waits, socket: Int32) -> Bool {
        bytes += UInt64(count)
        // Thirty years at the most: a deadline, and no overflow.
        let due = start.advanced(by: .nanoseconds(Int64(min(Double(bytes) / Double(rate), 1e9) * 1e9)))
        let gates = release.map { [$0, waits.stop] } ?? [waits.stop]
        switch Gate.wait(gates, socket: socket, until: due) {
        case .timeout: return true
        case .disconnected: return false
        case .opened: return !waits.stop.isOpen
        }
    }
}
