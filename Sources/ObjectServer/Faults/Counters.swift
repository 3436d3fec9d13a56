import Runtime

/// What the server has done since the last reset: counts, and a line for each request. Safe from any thread.
final class Counters: Sendable {
    /// The place of a request in the log; void after a reset.
    struct Slot: Sendable {
        fileprivate let epoch: Int
        fileprivate let index: Int
    }

    /// What `GET /-/stats` answers.
    struct Snapshot: Codable, Sendable {
        var requests: [String: Int]
        var total: Int
        var faults: [String: Int]
        var bytesIn: UInt64
        var bytesOut: UInt64
        var connections: Int

        enum CodingKeys: String, CodingKey {
            case requests, total, faults, connections
            case bytesIn = "bytes_in"
            case bytesOut = "bytes_out"
        }
    }

    private struct Line {
        let operation: Operation
        let key: Bytes
        var status = 0
        var bytes: UInt64 = 0
        var fault: FaultKind?
    }

    private struct State {
        var epoch = 0
        var requests: [Operation: Int] = [:]
        var total = 0
        var faults: [FaultKind: Int] = [:]
        var bytesIn: UInt64 = 0
        var bytesOut: UInt64 = 0
        var connections = 0
        var lines: [Line] = []
    }

    /// A million lines, some 100 MB: a test that makes more resets between.
    private static let lineLimit = 1_000_000

    // Guards everything counted; a leaf.
    private let state = Locked(State())

    /// Counts a request that has come in; it shows in the log with status 0 until it is answered.
    func begin(_ operation: Operation, key: Bytes) -> Slot {
        state.withLock { state in
            state.requests[operation, default: 0] += 1
            state.total += 1
            if state.lines.count < Self.lineLimit { state.lines.append(Line(operation: operation, key: key)) }
            return Slot(epoch: state.epoch, index: state.total - 1)
        }
    }

    /// Counts a fault that is being given to the request.
    func gave(_ fault: FaultKind, _ slot: Slot) {
        state.withLock { state in
            state.faults[fault, default: 0] += 1
            Self.change(&state, slot) { $0.fault = fault }
        }
    }

    /// Writes down how the request is answered, before the first byte of the answer leaves.
    func answered(_ slot: Slot, status: Int, bytes: UInt64) {
        state.withLock { state in
            Self.change(&state, slot) { line in
                line.status = status
                line.bytes = bytes
            }
        }
    }

    func moved(bytesIn: UInt64 = 0, bytesOut: UInt64 = 0) {
        state.withLock { state in
            state.bytesIn += bytesIn
            state.bytesOut += bytesOut
        }
    }

    func connectionsChanged(by difference: Int) { state.withLock { $0.connections += difference } }

    /// Forgets all but the connections, which stand.
    func reset() {
        state.withLock { state in
            let (epoch, connections) = (state.epoch, state.connections)
            state = State()
            state.epoch = epoch + 1
            state.connections = connections
        }
    }

    var snapshot: Snapshot {
        state.withLock { state in
            var requests: [String: Int] = [:]
            for (operation, count) in state.requests { requests[operation.rawValue] = count }
            var faults: [String: Int] = [:]
            for kind in FaultKind.allCases { faults[kind.rawValue] = state.faults[kind] ?? 0 }
            return Snapshot(
                requests: requests, total: state.total, faults: faults, bytesIn: state.bytesIn,
                bytesOut: state.bytesOut, connections: state.connections)
        }
    }

    /// One line per request: sequence, operation, status, bytes, key (percent-encoded, `-` for none), fault (`-` for
    /// none).
    var log: Bytes {
        let lines = state.withLock { $0.lines }
        var text: Bytes = []
        for (index, line) in lines.enumerated() {
            let key = line.key.isEmpty ? Bytes("-") : PercentCoding.encode(line.key, keepsSlash: true)
            text += Bytes("\(index + 1) \(line.operation.rawValue) \(line.status) \(line.bytes) ".utf8)
            text += key
            text += Bytes(" \(line.fault?.rawValue ?? "-")\n".utf8)
        }
        return text
    }

    private static func change(_ state: inout State, _ slot: Slot, _ body: (inout Line) -> Void) {
        guard slot.epoch == state.epoch, slot.index < state.lines.count else { return }
        body(&state.lines[slot.index])
    }
}
