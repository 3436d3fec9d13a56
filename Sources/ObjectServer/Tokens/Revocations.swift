import Runtime

/// Temporary keys that were taken back before their time. Safe from any thread.
final class Revocations: Sendable {
    /// As what the keys are refused.
    enum Form: String, Codable, Sendable { case invalid, expired }

    private struct State {
        var single: [Bytes: Form] = [:]
        /// Set once all keys were taken back: then only those count that were given out since.
        var all: Form?
        var since: Set<Bytes> = []
    }

    // Guards all of it; a leaf.
    private let state = Locked(State())

    /// Notes keys that are given out.
    func issued(_ identifier: Bytes) {
        state.withLock { state in
            if state.all != nil { state.since.insert(identifier) }
        }
    }

    /// Takes back the keys by this identifier; without one all up to now, those of an earlier server on the folder too.
    func revoke(_ identifier: Bytes?, _ form: Form) {
        state.withLock { state in
            if let identifier {
                state.single[identifier] = form
            } else {
                state.all = form
                state.since = []
            }
        }
    }

    /// How the keys are refused; nil where they are good, and for keys that aren't temporary.
    func form(of identifier: Bytes) -> Form? {
        guard identifier.hasPrefix(TokenIssuer.prefix) else { return nil }
        return state.withLock { state in
            state.single[identifier] ?? (state.since.contains(identifier) ? nil : state.all)
        }
    }
}

/// Numbers that may be used once. Safe from any thread.
final class Nonces: Sendable {
    private struct State {
        var used: Set<Bytes> = []
        /// In the order of use.
        var order: [(moment: Int64, nonce: Bytes)] = []
    }

    // Guards all of it; a leaf.
    private let state = Locked(State())

    /// False where the nonce was used less than `window` seconds ago.
    func use(_ nonce: Bytes, now: Int64, window: Int64) -> Bool {
        state.withLock { state in
            let isOld = { (item: (moment: Int64, nonce: Bytes)) in now - item.moment > window }
            let old = state.order.prefix(while: isOld)
            for item in old { state.used.remove(item.nonce) }
            state.order.removeFirst(old.count)
            guard state.used.insert(nonce).inserted else { return false }
            state.order.append((now, nonce))
            return true
        }
    }
}
