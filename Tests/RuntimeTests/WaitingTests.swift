import Runtime
import Testing

@Suite struct WaitingTests {
    @Test("a wait ends at its deadline")
    func deadline() {
        let lock = Locked(0)
        let deadline = Deadline.after(.milliseconds(30))
        let outcome: Int? = lock.wait(until: deadline) { _ in nil }
        #expect(outcome == nil)
        #expect(deadline.hasPassed)
    }

    @Test("a wait ends when another thread makes its condition true")
    func wakes() {
        let lock = Locked(0)
        #expect(
            PlainThread.start(name: "test", stackBytes: 65_536) {
                lock.withLock { $0 = 5 }
                lock.wakeAll()
            })
        #expect(lock.wait(until: .after(.seconds(10))) { $0 == 5 ? $0 : nil } == 5)
    }

    @Test("durations past the end of time are never, negative ones have passed")
    func extremes() {
        #expect(Deadline.after(.seconds(Int64.max)) == .never)
        #expect(!Deadline.never.hasPassed)
        #expect(Deadline.after(.seconds(-5)).hasPassed)
        #expect(Deadline.after(.seconds(-5)).remaining == .zero)
        #expect(Deadline.after(.seconds(100)).remaining > .seconds(99))
    }

    @Test("a cancellation runs its handlers once, and one that is added later at once")
    func cancellation() {
        let cancellation = Cancellation()
        let calls = Locked<[Int]>([])
        cancellation.onCancel { calls.withLock { $0.append(1) } }
        let removed = cancellation.onCancel { calls.withLock { $0.append(2) } }
        cancellation.remove(removed)
        cancellation.cancel()
        cancellation.cancel()
        cancellation.onCancel { calls.withLock { $0.append(3) } }
        #expect(calls.withLock { $0 } == [1, 3])
        #expect(cancellation.isCancelled)
    }
}
