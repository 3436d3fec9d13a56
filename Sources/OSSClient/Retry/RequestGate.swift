import Runtime

/// How many requests a client has in flight once the server has asked it to slow down.
package struct ConcurrencyPolicy: Sendable {
    /// Few enough for any limit of the service, and enough that a listing goes on beside slow bodies.
    package var minimum = 4
    /// What more than this would wait for anyway: as many connections as the transport opens.
    package var ceiling = 128
    /// One halving in this time: what was sent before it says nothing about it.
    package var interval = Duration.seconds(1)

    package init() {}
}

/// Admits requests: all of them until the server throttles, then a number that halves with each such second and grows by
/// one with each round of answers, until it bounds nothing any more.
///
/// Those that wait are admitted in the order they came.
final class RequestGate: Sendable {
    private final class Waiter: Sendable {
        enum Fate { case waiting, admitted, woken }
        // Below the gate's lock.
        let fate = Locked(Fate.waiting)

        /// False where it waits no more.
        func admit() -> Bool {
            let isWaiting = fate.withLock { fate in
                guard fate == .waiting else { return false }
                fate = .admitted
                return true
            }
            fate.wakeAll()
            return isWaiting
        }

        func wake() {
            fate.withLock { if $0 == .waiting { $0 = .woken } }
            fate.wakeAll()
        }
    }

    private struct State {
        var inFlight = 0
        /// Nil while nothing is bounded.
        var limit: Int?
        var answersSinceGrowth = 0
        /// No halving before.
        var nextHalving = Deadline(nanoseconds: 0)
        var waiters: [Waiter] = []
    }

    private let policy: ConcurrencyPolicy
    // A leaf lock but for the waiters' own.
    private let state = Locked(State())

    init(_ policy: ConcurrencyPolicy) { self.policy = policy }

    /// How many requests may be in flight; nil for any number.
    var limit: Int? { state.withLock { $0.limit } }

    /// How many wait to be admitted.
    var waiting: Int { state.withLock { $0.waiters.count } }

    /// Blocks until one more request may be sent; false at `deadline` and where `cancellation` is set, else `leave` must
    /// follow.
    func enter(until deadline: Deadline, _ cancellation: Cancellation?) -> Bool {
        let waiter: Waiter? = state.withLock { state in
            guard let limit = state.limit, state.inFlight >= limit || !state.waiters.isEmpty else {
                state.inFlight += 1
                return nil
            }
            let waiter = Waiter()
            state.waiters.append(waiter)
            return waiter
        }
        guard let waiter else { return true }
        let number = cancellation?.onCancel { waiter.wake() }
        defer { if let number { cancellation?.remove(number) } }
        _ = waiter.fate.wait(until: deadline) { $0 == .waiting ? nil : true }
        // An admission that comes now counts: it has taken a place.
        let isAdmitted = waiter.fate.withLock { fate in
            if fate == .waiting { fate = .woken }
            return fate == .admitted
        }
        if !isAdmitted { state.withLock { $0.waiters.removeAll { $0 === waiter } } }
        return isAdmitted
    }

    /// Ends what `enter` admitted.
    ///
    /// - Parameter status: of the answer; nil where none came.
    /// - Returns: the new limit where the server's answer has lowered it.
    func leave(status: Int?, at now: Deadline) -> Int? {
        state.withLock { state in
            var lowered: Int?
            if status == 429 || status == 503 {
                lowered = halve(&state, now)
            } else if status != nil {
                grow(&state)
            }
            state.inFlight -= 1
            admit(&state)
            return lowered
        }
    }

    private func halve(_ state: inout State, _ now: Deadline) -> Int? {
        state.answersSinceGrowth = 0
        guard now >= state.nextHalving else { return nil }
        state.nextHalving = now.advanced(by: policy.interval)
        let half = max(policy.minimum, min(state.inFlight, policy.ceiling) / 2)
        guard half < state.limit ?? .max else { return nil }
        state.limit = half
        return half
    }

    private func grow(_ state: inout State) {
        guard let limit = state.limit else { return }
        state.answersSinceGrowth += 1
        guard state.answersSinceGrowth >= limit else { return }
        state.answersSinceGrowth = 0
        state.limit = limit + 1 < policy.ceiling ? limit + 1 : nil
    }

    private func admit(_ state: inout State) {
        while let first = state.waiters.first, state.inFlight < state.limit ?? .max {
            state.waiters.removeFirst()
            if first.admit() { state.inFlight += 1 }
        }
    }
}
