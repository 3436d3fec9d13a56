import CCurl
import Runtime

/// How callers' threads reach the multi thread: a locked queue, and a wake-up only where that thread sleeps.
final class HandOver: @unchecked Sendable {
    // Unchecked: `multi` is the multi thread's but for `curl_multi_wakeup`, which libcurl allows from any thread and
    // which is called under the lock, while the handle is sure to exist.

    struct Delivery {
        var arrivals: [Exchange] = []
        var cancelled: [Exchange] = []
        var isStopping = false
        var isEmpty: Bool { arrivals.isEmpty && cancelled.isEmpty && !isStopping }
    }

    private enum Phase { case running, closing, ended }

    private struct State {
        var delivery = Delivery()
        var isAsleep = false
        var phase = Phase.running
    }

    /// What the multi thread polls. It alone may use it but for the wake-up.
    let multi: UnsafeMutableRawPointer
    /// The multi thread's too; here, as it must outlive the last connection.
    let sockets = OpenSockets()
    // Guards the queue; a leaf lock. The wake-up, a write of a byte that can't block, is done under it.
    private let state = Locked(State())

    /// Nil where libcurl has no memory.
    init?() {
        guard CurlLibrary.isReady, let multi = curl_multi_init() else { return nil }
        self.multi = multi
    }

    /// Puts `exchange` in line; false once `requestStop` was called.
    func submit(_ exchange: Exchange) -> Bool {
        state.withLock { state in
            guard state.phase == .running, !state.delivery.isStopping else { return false }
            state.delivery.arrivals.append(exchange)
            wake(&state)
            return true
        }
    }

    /// Asks the multi thread to end `exchange`, which has been submitted.
    func cancel(_ exchange: Exchange) {
        state.withLock { state in
            guard state.phase == .running else { return }
            state.delivery.cancelled.append(exchange)
            wake(&state)
        }
    }

    /// Asks the multi thread to end all exchanges and itself.
    func requestStop() {
        state.withLock { state in
            state.delivery.isStopping = true
            wake(&state)
        }
    }

    /// Waits until `serve` has returned.
    func waitForEnd() { _ = state.wait(until: .never) { $0.phase == .ended ? true : nil } }

    /// The life of the multi thread: runs `body`, which returns once a stop was asked for, then closes all connections.
    func serve(_ body: () -> Void) {
        body()
        state.withLock { $0.phase = .closing }
        curl_multi_cleanup(multi)
        state.withLock { $0.phase = .ended }
        state.wakeAll()
    }

    /// All that has come in; on the multi thread.
    func take() -> Delivery {
        state.withLock { state in
            state.isAsleep = false
            defer {
                state.delivery.arrivals = []
                state.delivery.cancelled = []
            }
            return state.delivery
        }
    }

    /// Notes that the multi thread is about to poll; false where something has come in meanwhile.
    func fallAsleep() -> Bool {
        state.withLock { state in
            guard state.delivery.isEmpty else { return false }
            state.isAsleep = true
            return true
        }
    }

    private func wake(_ state: inout State) {
        guard state.isAsleep, state.phase == .running else { return }
        state.isAsleep = false
        curl_multi_wakeup(multi)
    }
}

/// libcurl's process-wide set-up, done once, at first use: after the fork to the background.
enum CurlLibrary {
    static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
}
