import Glibc

/// A value behind a mutex, with one condition variable on the monotonic clock.
///
/// Locks have ranks, listed at the top of `InodeTable.swift`; none is held across network, disk, a reply or a callback.
package final class Locked<State>: @unchecked Sendable {
    // Unchecked: `state` is touched only between lock and unlock of `mutex`.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var state: State

    package init(_ initial: sending State) {
        mutex = .allocate(capacity: 1)
        condition = .allocate(capacity: 1)
        state = initial
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Runs `body` with the state; what it throws is passed on, with the lock released.
    package func withLock<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state)
    }

    /// Waits until `body` returns a value, and returns it; nil once `deadline` has passed.
    ///
    /// `body` is called at least once, and again after each `wakeAll` or `wakeOne`. The lock is free between calls.
    package func wait<Result, Failure: Error>(
        until deadline: Deadline, for body: (inout State) throws(Failure) -> Result?
    ) throws(Failure) -> Result? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = try body(&state) { return result }
            if deadline == .never {
                pthread_cond_wait(condition, mutex)
            } else {
                if deadline.hasPassed { return nil }
                var time = deadline.timespec
                pthread_cond_timedwait(condition, mutex, &time)
            }
        }
    }

    /// Wakes every thread in `wait`, which looks again.
    package func wakeAll() { pthread_cond_broadcast(condition) }

    /// Wakes one thread in `wait`; right only where all waiters wait for the same thing.
    package func wakeOne() { pthread_cond_signal(condition) }
}
