import Instrumentation
import Runtime

/// When a `RefreshingCredentialsProvider` asks its source.
package struct RefreshPolicy: Sendable {
    /// Before expiry: this part of the credentials' life, and at most `longestLead`; half as much again by chance, so that
    /// machines that began together don't ask together.
    package var leadPart = 0.25
    /// 5 min, as the mobile SDKs do.
    package var longestLead = Duration.seconds(300)
    /// Between failures: doubling from the first to the second, each somewhere in its upper half.
    package var failureBase = Duration.milliseconds(250)
    package var failureCap = Duration.seconds(30)
    /// What was got less than this ago and is refused already is hardly better for asking again: that waits so long.
    package var leastAge = Duration.milliseconds(500)
    /// For one request to the source, its decoder included.
    package var fetchTimeout = Duration.seconds(20)

    package init() {}
}

/// Temporary credentials that never lapse as long as their source answers now and then.
///
/// One thread at a time asks the source, ahead of expiry while the old ones go on being used; they are used until they
/// really expire, by the server's clock. Callers wait only where there are none to use: then until the source answers,
/// through its outages, or until their deadline; a source that refuses is believed at once, and not asked again by each
/// caller. The first call starts the first thread, so a process may still fork before it.
package final class RefreshingCredentialsProvider: CredentialsProvider {
    private struct State {
        var current: Credentials?
        /// Of `current`, by the server's clock; nil where it has no expiry.
        var refreshAt: WallTime?
        var fetchedAt = Deadline(nanoseconds: 0)
        /// Whether the server has refused `current`.
        var isRejected = false
        var isFetching = false
        /// Counts what the source has answered, errors too.
        var answers: UInt64 = 0
        var failures = 0
        var lastError: CredentialsError?
        /// No request to the source before.
        var nextFetch = Deadline(nanoseconds: 0)
    }

    private enum Step {
        case use(Credentials)
        case fail(CredentialsError)
        /// Look again at this moment, or when the source has answered.
        case wait(until: Deadline)
        case fetch
    }

    private let source: any CredentialsSource
    private let serverClock: ServerClock
    private let policy: RefreshPolicy
    private let log: Log
    private let fraction: @Sendable () -> Double
    // Wakes those who wait for the source's answer; below it only the lock of a cancellation.
    private let state = Locked(State())

    /// - Parameters:
    ///   - serverClock: the clock that the client of the service corrects.
    ///   - fraction: a number from 0 to 1, another each time.
    package init(
        source: any CredentialsSource, serverClock: ServerClock, policy: RefreshPolicy = RefreshPolicy(), log: Log,
        fraction: @escaping @Sendable () -> Double = { .random(in: 0...1) }
    ) {
        self.source = source
        self.serverClock = serverClock
        self.policy = policy
        self.log = log
        self.fraction = fraction
    }

    package func credentials(
        deadline: Deadline, cancellation: Cancellation?
    ) throws(CredentialsError) -> Credentials {
        let (known, startsFetch): (Credentials?, Bool) = state.withLock { state in
            guard let current = usable(state) else { return (nil, false) }
            let isDue = state.refreshAt.map { serverClock.now >= $0 } ?? false
            guard isDue, !state.isFetching, state.nextFetch.hasPassed else { return (current, false) }
            state.isFetching = true
            return (current, true)
        }
        if startsFetch { startFetch() }
        if let known { return known }
        return try fresh(since: nil, deadline, cancellation) { self.usable($0) }
    }

    package func forceRefresh(
        rejected: Credentials, deadline: Deadline, cancellation: Cancellation?
    ) throws(CredentialsError) -> Credentials? {
        let answered: UInt64 = state.withLock { state in
            guard state.current == rejected else { return state.answers }
            state.isRejected = true
            // Where keys are refused that have just come, the source is asked less often, and all wait for it.
            state.nextFetch = max(state.nextFetch, state.fetchedAt.advanced(by: policy.leastAge))
            return state.answers
        }
        let other = try fresh(since: answered, deadline, cancellation) { state in
            state.current.flatMap { $0 == rejected ? nil : $0 }
        }
        return other == rejected ? nil : other
    }

    /// What can be signed with now.
    private func usable(_ state: State) -> Credentials? {
        guard let current = state.current, !state.isRejected else { return nil }
        if let expiry = current.expiry, serverClock.now >= expiry { return nil }
        return current
    }

    /// Waits until `choice` finds something, and has the source asked as often as the policy allows.
    ///
    /// - Parameter since: answers of the source that don't count, as they came before; nil lets none count but the next.
    private func fresh(
        since: UInt64?, _ deadline: Deadline, _ cancellation: Cancellation?, _ choice: (State) -> Credentials?
    ) throws(CredentialsError) -> Credentials {
        let before = since ?? state.withLock { $0.answers }
        // Those who wait look again, each at its own cancellation. The lock is taken, so that none is about to sleep.
        let number = cancellation?.onCancel { [state] in
            state.withLock { _ in }
            state.wakeAll()
        }
        defer { if let number { cancellation?.remove(number) } }
        var startsFetch = false
        while true {
            if startsFetch { startFetch() }
            startsFetch = false
            let next: Step = state.withLock { state in step(&state, before, choice) }
            switch next {
            case .use(let credentials): return credentials
            case .fail(let error): throw error
            case .fetch: startsFetch = true
            case .wait(let moment):
                let seen = state.withLock { $0.answers }
                let isAnswered =
                    state.wait(until: min(moment, deadline)) { (state: inout State) -> Bool? in
                        let isOver = state.answers != seen || !state.isFetching && moment == .never
                        return isOver || cancellation?.isCancelled == true ? true : nil
                    } ?? false
                if cancellation?.isCancelled == true {
                    throw CredentialsError(kind: .cancelled, message: "the caller gave up waiting for credentials")
                }
                if !isAnswered, deadline.hasPassed { throw late() }
            }
        }
    }

    private func step(_ state: inout State, _ before: UInt64, _ choice: (State) -> Credentials?) -> Step {
        if let credentials = choice(state) { return .use(credentials) }
        if state.isFetching { return .wait(until: .never) }
        if let error = state.lastError, error.kind != .unavailable, !state.nextFetch.hasPassed { return .fail(error) }
        if state.lastError == nil, state.answers > before, let current = state.current {
            // Just come, and yet expired by our clock, which may be wrong, or the same as before: the server will tell.
            return .use(current)
        }
        guard state.nextFetch.hasPassed else { return .wait(until: state.nextFetch) }
        state.isFetching = true
        return .fetch
    }

    private func late() -> CredentialsError {
        let known = state.withLock { $0.lastError }
        return known ?? CredentialsError(kind: .unavailable, message: "the credentials didn't come in time")
    }

    private func startFetch() {
        // 512 KiB: the decoder of JSON recurses.
        let isStarted = PlainThread.start(name: "credentials", stackBytes: 512 * 1024) { self.fetch() }
        if !isStarted { fetch() }
    }

    private func fetch() {
        let outcome: Result<Credentials, CredentialsError>
        do throws(CredentialsError) {
            outcome = .success(try source.fetch(deadline: .after(policy.fetchTimeout)))
        } catch {
            outcome = .failure(error)
        }
        let now = serverClock.now
        let chance = min(max(fraction(), 0), 1)
        let delay: Duration = state.withLock { state in
            state.isFetching = false
            state.answers += 1
            switch outcome {
            case .success(let credentials):
                state.current = credentials
                state.isRejected = false
                state.lastError = nil
                state.failures = 0
                state.fetchedAt = .now
                state.refreshAt = credentials.expiry.map { refreshTime(expiry: $0, now: now, chance) }
                // Not sooner, even where all that comes has expired by our clock.
                state.nextFetch = .after(policy.failureBase)
                return .zero
            case .failure(let error):
                state.lastError = error
                state.failures += 1
                // 16: past that any cap has been reached.
                let bound = min(policy.failureCap, policy.failureBase * (1 << min(state.failures - 1, 16)))
                let delay = bound * (0.5 + chance / 2)
                state.nextFetch = .after(delay)
                return delay
            }
        }
        state.wakeAll()
        tell(outcome, delay)
    }

    /// Ahead of expiry; for credentials that have expired already by our clock, now.
    private func refreshTime(expiry: WallTime, now: WallTime, _ chance: Double) -> WallTime {
        let life = Duration.seconds(max(expiry.seconds - now.seconds, 0))
        let lead = min(life * policy.leadPart, policy.longestLead) * (1 + chance / 2)
        let (seconds, attoseconds) = lead.components
        let time = WallTime(seconds: expiry.seconds - seconds, nanoseconds: expiry.nanoseconds)
        guard attoseconds > 0 else { return time }
        // Earlier by the rest of the second.
        return WallTime(
            seconds: time.seconds - 1, nanoseconds: UInt32(999_999_999 - attoseconds / 1_000_000_000))
    }

    private func tell(_ outcome: Result<Credentials, CredentialsError>, _ delay: Duration) {
        switch outcome {
        case .success(let credentials):
            log(
                .debug, "credentials refreshed",
                [LogField("id", credentials.accessKeyID), LogField("expires", credentials.expiry?.seconds ?? 0)])
        case .failure(let error):
            log(
                .warning, "credentials not refreshed",
                [LogField("cause", error.message), LogField("retry_ms", Int64(delay / .milliseconds(1)))])
        }
    }
}
