import Runtime

/// The ways in which a request can be made to fail.
enum FaultKind: String, CaseIterable, Codable, Sendable {
    /// An error reply instead of the effect.
    case status
    /// The connection closes within the body: that of the reply, or of the request where it carries one.
    case cut
    /// The bodies go at a rate.
    case slow
    /// No answer until released; then the request goes its way.
    case hang
    /// The connection closes with no effect and no reply.
    case dropBefore = "drop-before"
    /// The effect takes place, then the connection closes with no reply.
    case dropAfter = "drop-after"
    /// The reply's x-oss-hash-crc64ecma is not that of the bytes.
    case wrongCRC = "wrong-crc"
}

/// A rule as the admin path takes it and gives it back.
struct FaultRule: Codable, Sendable {
    /// The name of an operation, or `*`.
    var operation: String
    /// A prefix of the keys, percent-encoded; absent for all.
    var key: String?
    var kind: FaultKind
    /// For `status`; 503 if absent.
    var status: Int?
    /// OSS's code for `status`; ServiceUnavailable if absent.
    var code: String?
    /// How many times the fault is given; absent for no end.
    var count: Int?
    /// Each how-manieth matching request gets it; absent for each.
    var every: Int?
    /// How long the rule lives, in seconds; absent for no end.
    var seconds: Double?
    /// For `cut`: how many bytes of the body pass; 0 if absent.
    var afterBytes: UInt64?
    /// For `slow`: bytes per second; 1024 if absent.
    var rate: UInt64?
    /// Given out by the server.
    var id: Int?

    enum CodingKeys: String, CodingKey {
        case operation, key, kind, status, code, count, every, seconds, rate, id
        case afterBytes = "after_bytes"
    }

    /// What is wrong with the rule; nil if nothing is.
    var complaint: StaticString? {
        if let status, !(100...999).contains(status) { return "status must be 100 to 999" }
        if let count, count < 1 { return "count must be at least 1" }
        if let every, every < 1 { return "every must be at least 1" }
        if let seconds, !(seconds > 0 && seconds < 1e9) { return "seconds must be above 0" }
        if let rate, rate < 1 { return "rate must be at least 1" }
        let isKnown = operation == "*" || Operation(rawValue: operation) != nil
        return isKnown ? nil : "operation is the name of none"
    }
}

/// The rules in force. Safe from any thread.
final class FaultRules: Sendable {
    private struct Live {
        var rule: FaultRule
        let prefix: Bytes
        let expiry: Deadline
        var matched = 0
        var given = 0

        var isSpent: Bool { rule.count.map { given >= $0 } ?? false }
    }

    private struct State {
        var rules: [Live] = []
        var lastID = 0
    }

    // Guards the rules; a leaf.
    private let state = Locked(State())

    func add(_ rule: FaultRule) -> Int {
        state.withLock { state in
            state.lastID += 1
            var rule = rule
            rule.id = state.lastID
            let expiry = rule.seconds.map { Deadline.after(.nanoseconds(Int64($0 * 1e9))) } ?? .never
            state.rules.append(
                Live(rule: rule, prefix: PercentCoding.decode((rule.key ?? "").utf8), expiry: expiry))
            return state.lastID
        }
    }

    func clear() { state.withLock { $0.rules = [] } }

    var all: [FaultRule] {
        state.withLock { state in
            Self.sweep(&state)
            return state.rules.map(\.rule)
        }
    }

    /// The fault that the next request of this kind gets: the first rule that matches and whose turn it is.
    func take(_ operation: Operation, key: Bytes) -> FaultRule? {
        state.withLock { state in
            guard !state.rules.isEmpty else { return nil }
            Self.sweep(&state)
            for index in state.rules.indices {
                let rule = state.rules[index].rule
                guard rule.operation == "*" || rule.operation == operation.rawValue,
                    key.hasPrefix(state.rules[index].prefix)
                else { continue }
                state.rules[index].matched += 1
                guard state.rules[index].matched % (rule.every ?? 1) == 0 else { continue }
                state.rules[index].given += 1
                return rule
            }
            return nil
        }
    }

    private static func sweep(_ state: inout State) {
        state.rules.removeAll { $0.isSpent || $0.expiry.hasPassed }
    }
}

/// How slow the network is to look: applied to every request but the admin's own.
struct Latency: Codable, Sendable {
    /// Before each answer.
    var milliseconds: Double = 0
    /// Bytes per second of each connection, 0 for no limit.
    var bandwidth: UInt64 = 0

    init() {}

    enum CodingKeys: String, CodingKey { case milliseconds, bandwidth }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        milliseconds = min(max(try values.decodeIfPresent(Double.self, forKey: .milliseconds) ?? 0, 0), 3_600_000)
        bandwidth = try values.decodeIfPresent(UInt64.self, forKey: .bandwidth) ?? 0
    }
}
