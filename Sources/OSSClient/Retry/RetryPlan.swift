import Runtime

/// Decides after each failed attempt of one call what comes next: a pure state machine, without clock or chance.
struct RetryPlan: Sendable {
    enum Decision: Sendable, Equatable {
        case giveUp
        /// Repeat after this long.
        case after(Duration)
        /// Correct the clock by the answer, then repeat at once.
        case correctClock
        /// Ask for other credentials, then repeat at once.
        case refreshCredentials
    }

    /// Less than this before the deadline no attempt is worth its while.
    static let leastTime = Duration.milliseconds(100)

    private let policy: RetryPolicy
    private var failures = 0
    private var throttlings = 0
    private var doubts = 0
    private var hasCorrectedClock = false
    private var hasRefreshed = false

    init(_ policy: RetryPolicy) { self.policy = policy }

    /// - Parameters:
    ///   - madeProgress: whether the attempt moved bytes that count, so that spacing starts anew.
    ///   - remaining: the time until the call's deadline.
    ///   - fraction: a random number from 0 to 1, which spreads the waits.
    mutating func next(
        _ repetition: Repetition, madeProgress: Bool = false, remaining: Duration, fraction: Double
    ) -> Decision {
        if madeProgress {
            failures = 0
            throttlings = 0
        }
        guard remaining > Self.leastTime else { return .giveUp }
        switch repetition {
        case .never, .byCaller: return .giveUp
        case .backoff: return backoff(remaining, fraction)
        case .throttled:
            throttlings += 1
            return Self.wait(policy.throttledBase, policy.throttledCap, throttlings, remaining, fraction)
        case .doubtful:
            guard doubts < policy.doubtfulRepeats else { return .giveUp }
            doubts += 1
            return backoff(remaining, fraction)
        case .afterClockCorrection:
            guard !hasCorrectedClock else { return .giveUp }
            hasCorrectedClock = true
            return .correctClock
        case .afterRefresh:
            guard !hasRefreshed else { return .giveUp }
            hasRefreshed = true
            return .refreshCredentials
        }
    }

    private mutating func backoff(_ remaining: Duration, _ fraction: Double) -> Decision {
        failures += 1
        return Self.wait(policy.failureBase, policy.failureCap, failures, remaining, fraction)
    }

    /// Full jitter under a bound that doubles; never past three quarters of what is left, so that one attempt more fits.
    private static func wait(
        _ base: Duration, _ cap: Duration, _ count: Int, _ remaining: Duration, _ fraction: Double
    ) -> Decision {
        // 16: past that any cap has been reached.
        let bound = min(cap, base * (1 << min(count - 1, 16)))
        return .after(min(bound * min(max(fraction, 0), 1), remaining * 3 / 4))
    }
}
