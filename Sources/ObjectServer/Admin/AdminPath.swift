import FoundationEssentials

/// What tests ask of the server itself, below `/-/`: unsigned, from this machine alone, never counted nor faulted.
enum AdminPath {
    private static let prefix: StaticString = "/-/"
    private static let documentLimitBytes = 64 * 1024

    /// True where the path is ours: no bucket's name starts with `-`, and a bucket's host has no admin path.
    static func covers(_ request: Request) -> Bool { !request.isVirtualHosted && request.path.hasPrefix(prefix) }

    static func work(_ request: Request, _ parts: ServerParts, isLoopback: Bool) -> Work {
        guard isLoopback else { return .reply(.text(403, Bytes("only from this machine\n"))) }
        let name = Bytes(request.method + [0x20] + request.path.dropFirst(prefix.utf8CodeUnitCount))
        if name.isEqual(to: "GET stats") { return .reply(json(parts.counters.snapshot)) }
        if name.isEqual(to: "POST stats/reset") {
            parts.counters.reset()
            return .reply(json(Empty()))
        }
        if name.isEqual(to: "GET log") { return .reply(.text(200, parts.counters.log)) }
        if name.isEqual(to: "GET faults") { return .reply(json(parts.rules.all)) }
        if name.isEqual(to: "DELETE faults") {
            parts.rules.clear()
            parts.waits.releaseAll()
            return .reply(json(Empty()))
        }
        if name.isEqual(to: "GET latency") { return .reply(json(parts.latency.withLock { $0 })) }
        if name.isEqual(to: "POST faults") { return document { addFault($0, parts) } }
        if name.isEqual(to: "POST latency") { return document { setLatency($0, parts) } }
        if name.isEqual(to: "POST credentials/revoke") { return document { revoke($0, parts) } }
        if name.isEqual(to: "POST clock") { return document { setClock($0, parts) } }
        return .reply(.text(404, Bytes("no such thing\n")))
    }

    private struct Empty: Codable {}
    private struct Given: Codable { let id: Int }

    private struct ClockShift: Codable {
        /// A century, so that no sum overflows.
        static let limitSeconds = 3_155_760_000
        let offsetSeconds: Int
        enum CodingKeys: String, CodingKey { case offsetSeconds = "offset_seconds" }
    }

    /// Temporary keys taken back: those by this identifier, or all that were given out up to now.
    private struct Revocation: Codable {
        let identifier: String?
        /// How requests with them are refused; as invalid ones if absent.
        let form: Revocations.Form?
        enum CodingKeys: String, CodingKey {
            case identifier = "access_key_id"
            case form = "as"
        }
    }

    private static func document(_ answer: @escaping (Bytes) -> Reply) -> Work {
        .receive(DocumentReceiver(limitBytes: documentLimitBytes, answer: answer))
    }

    private static func addFault(_ document: Bytes, _ parts: ServerParts) -> Reply {
        guard let rule = try? JSONDecoder().decode(FaultRule.self, from: Data(document)) else {
            return .text(400, Bytes("not a fault rule\n"))
        }
        if let complaint = rule.complaint { return .text(400, Bytes(complaint) + [0x0A]) }
        return json(Given(id: parts.rules.add(rule)))
    }

    private static func setLatency(_ document: Bytes, _ parts: ServerParts) -> Reply {
        guard let latency = try? JSONDecoder().decode(Latency.self, from: Data(document)) else {
            return .text(400, Bytes("not a latency\n"))
        }
        parts.latency.withLock { $0 = latency }
        return json(latency)
    }

    private static func setClock(_ document: Bytes, _ parts: ServerParts) -> Reply {
        guard let shift = try? JSONDecoder().decode(ClockShift.self, from: Data(document)),
            (-ClockShift.limitSeconds...ClockShift.limitSeconds).contains(shift.offsetSeconds)
        else { return .text(400, Bytes("not a shift of the clock\n")) }
        parts.service.clock.shift(by: Int64(shift.offsetSeconds))
        return json(shift)
    }

    private static func revoke(_ document: Bytes, _ parts: ServerParts) -> Reply {
        guard let order = try? JSONDecoder().decode(Revocation.self, from: Data(document)) else {
            return .text(400, Bytes("not a revocation\n"))
        }
        parts.service.tokens.revocations.revoke(order.identifier.map { Bytes($0.utf8) }, order.form ?? .invalid)
        return json(order)
    }

    private static func json(_ value: some Encodable) -> Reply {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        guard let data = try? encoder.encode(value) else { return .text(500, Bytes("can't be written as JSON\n")) }
        return .json(200, Bytes(data) + [0x0A])
    }
}
