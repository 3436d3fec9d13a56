import Glibc
import Runtime

/// Ends the requests of callers that are being killed, and leaves those of callers that merely got a signal alone.
///
/// The kernel sends INTERRUPT for the first signal of any kind and nothing for those after it, so an interrupted request
/// is looked at again until it is answered or its caller is dying. A FLUSH that waits is looked at without an interrupt:
/// it may be part of a killed process' exit, which no signal interrupts any more.
final class InterruptWatcher: Sendable {
    private struct Watched {
        var since: Deadline
        var next: Deadline
        var isInterrupted: Bool
    }

    private struct State {
        var watched: [UInt64: Watched] = [:]
        /// When the thread looks next by itself.
        var wakesAt = Deadline.never
        var isStopping = false
    }

    /// A tenth of a second: a kill is seen well within one; a thousand callers cost a few percent of a processor.
    private static let period = Duration.milliseconds(100)
    /// A waiting FLUSH is normal (an upload), so it is looked at half as often as would be noticed.
    private static let flushPeriod = Duration.milliseconds(400)
    /// An interrupt can overtake its request, but not by a second; and a caller that can't be seen here (another pid
    /// namespace, hidepid) gets its EINTR after as long, when short waits are over.
    private static let patience = Duration.seconds(1)

    // Guards which requests are watched; a leaf.
    private let state = Locked(State())
    private let requests: RequestTable

    init(requests: RequestTable) { self.requests = requests }

    /// An INTERRUPT came for the request of this number, known here or not yet.
    func interrupted(unique: UInt64) {
        watch(unique, isInterrupted: true, after: .zero)
    }

    /// A FLUSH is not answered yet.
    func watchExit(of request: FuseRequest) {
        watch(request.unique, isInterrupted: false, after: Self.flushPeriod / 2)
    }

    /// Starts the thread; false where the system has no room for it.
    func start() -> Bool {
        // 128 KiB: it reads small files and keeps little.
        PlainThread.start(name: "fuse-interrupt", stackBytes: 128 * 1024) { self.run() }
    }

    /// Ends the thread; what it watches is left to itself.
    func stop() {
        state.withLock { $0.isStopping = true }
        state.wakeAll()
    }

    private func watch(_ unique: UInt64, isInterrupted: Bool, after delay: Duration) {
        let now = Deadline.now
        let next = now.advanced(by: delay)
        let isSooner = state.withLock { state in
            if var known = state.watched[unique] {
                known.isInterrupted = known.isInterrupted || isInterrupted
                known.next = min(known.next, next)
                state.watched[unique] = known
            } else {
                state.watched[unique] = Watched(since: now, next: next, isInterrupted: isInterrupted)
            }
            return next < state.wakesAt
        }
        if isSooner { state.wakeAll() }
    }

    private func run() {
        while let due = waitForDue() {
            for (unique, watched) in due where isSettled(unique, watched) {
                _ = state.withLock { $0.watched.removeValue(forKey: unique) }
            }
        }
    }

    /// What is to be looked at now, with its next look set; nil at the end.
    private func waitForDue() -> [(UInt64, Watched)]? {
        while true {
            let earliest = state.withLock { state in
                state.wakesAt = state.watched.values.map(\.next).min() ?? .never
                return state.wakesAt
            }
            let found: [(UInt64, Watched)]?? = state.wait(until: earliest) { state in
                if state.isStopping { return .some(nil) }
                let now = Deadline.now
                let due = state.watched.filter { $0.value.next <= now }
                for (unique, watched) in due {
                    state.watched[unique]?.next = now.advanced(
                        by: watched.isInterrupted ? Self.period : Self.flushPeriod)
                }
                if !due.isEmpty { return .some(due.map { ($0.key, $0.value) }) }
                // Something nearer may have come since `earliest` was computed.
                let nearest = state.watched.values.map(\.next).min() ?? .never
                return nearest < earliest ? .some([]) : nil
            }
            switch found {
            case .some(.some(let due)) where !due.isEmpty: return due
            case .some(.none): return nil
            default: continue
            }
        }
    }

    /// Whether there is nothing more to watch for.
    private func isSettled(_ unique: UInt64, _ watched: Watched) -> Bool {
        let isOld = watched.since.advanced(by: Self.patience) < Deadline.now
        guard let request = requests.request(unique: unique) else { return isOld || !watched.isInterrupted }
        if request.isAnswered { return true }
        let isDying =
            watched.isInterrupted
            ? CallerState.isDying(request.pid) ?? isOld : CallerState.isExitingBySignal(request.pid)
        if isDying { request.interrupt() }
        return isDying
    }
}
