import CRuntime
import Glibc

/// An elastic pool of plain threads that may block.
///
/// A thread is made when work arrives and none is idle, up to `limit`; past that work waits in line, in order. An idle
/// thread ends after ten seconds: long enough to span the gaps of a copy, short enough to give stacks back.
package final class WorkerPool: Sendable {
    package typealias Work = @Sendable () -> Void

    private struct State {
        var queue: [Work] = []
        var head = 0
        var threads = 0
        var idle = 0
        var isStopping = false
    }

    /// 256 KiB: deep enough for a commit with its requests, small enough for a thousand blocked threads.
    private static let stackBytes = 256 * 1024
    private static let idleTime = Duration.seconds(10)

    private let name: String
    private let limit: Int
    private let state = Locked(State())

    /// A pool of at most `limit` threads that ps shows as `name`.
    package init(name: String, limit: Int) {
        self.name = name
        self.limit = max(limit, 1)
    }

    /// Takes `work` for a thread of the pool; false once `stop` was called, and then it never runs.
    @discardableResult
    package func submit(_ work: @escaping Work) -> Bool {
        enum Decision { case refused, wake, start }
        let decision: Decision = state.withLock { state in
            if state.isStopping { return .refused }
            state.queue.append(work)
            // Idle threads that were woken but haven't run yet still count as idle: compare with what is waiting.
            if state.idle >= state.queue.count - state.head || state.threads >= limit { return .wake }
            state.threads += 1
            return .start
        }
        switch decision {
        case .refused: return false
        case .wake: state.wakeOne()
        case .start:
            if !startThread() { retire() }
        }
        return true
    }

    /// Runs what waits in line, then ends all threads; false if some still work at the deadline.
    package func stop(by deadline: Deadline) -> Bool {
        state.withLock { $0.isStopping = true }
        state.wakeAll()
        return state.wait(until: deadline) { $0.threads == 0 ? true : nil } ?? false
    }

    private func startThread() -> Bool {
        PlainThread.start(name: name, stackBytes: Self.stackBytes) { self.run() }
    }

    /// Called when a thread could not be made: its work stays in line for the threads that exist. With none at all the
    /// caller's thread runs it, as work taken is never dropped.
    private func retire() {
        let orphaned: Work? = state.withLock { state in
            state.threads -= 1
            guard state.threads == 0, state.head < state.queue.count else { return nil }
            return Self.takeFirst(&state)
        }
        orphaned?()
    }

    private func run() {
        while runNext() {}
        state.wakeAll()
    }

    /// In a function of its own, so that an idle thread holds nothing of its last work: buffers, above all.
    private func runNext() -> Bool {
        guard let work = nextWork() else { return false }
        work()
        return true
    }

    private func nextWork() -> Work? {
        state.withLock { $0.idle += 1 }
        let next: Work?? = state.wait(until: .after(Self.idleTime)) { state -> Work?? in
            if state.head < state.queue.count {
                state.idle -= 1
                return Self.takeFirst(&state)
            }
            guard state.isStopping else { return nil }
            state.idle -= 1
            state.threads -= 1
            return .some(nil)
        }
        if let next { return next }
        // The idle time is over; work may have come between the last look and here.
        return state.withLock { state in
            state.idle -= 1
            if state.head < state.queue.count { return Self.takeFirst(&state) }
            state.threads -= 1
            return nil
        }
    }

    private static func takeFirst(_ state: inout State) -> Work {
        let work = state.queue[state.head]
        state.queue[state.head] = {}
        state.head += 1
        if state.head == state.queue.count {
            state.queue.removeAll(keepingCapacity: state.queue.count < 1024)
            state.head = 0
        } else if state.head > 1024 {
            state.queue.removeFirst(state.head)
            state.head = 0
        }
        return work
    }
}
