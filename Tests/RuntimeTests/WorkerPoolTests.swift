import Runtime
import Testing

@Suite struct WorkerPoolTests {
    @Test("work that blocks gets a thread each, up to the limit, and the rest waits in line")
    func elastic() {
        let pool = WorkerPool(name: "test", limit: 8)
        let state = Locked((running: 0, most: 0, done: 0, isOpen: false))
        for _ in 0..<50 {
            pool.submit {
                state.withLock { state in
                    state.running += 1
                    state.most = max(state.most, state.running)
                }
                state.wakeAll()
                _ = state.wait(until: .after(.seconds(20))) { $0.isOpen ? true : nil }
                state.withLock { state in
                    state.running -= 1
                    state.done += 1
                }
                state.wakeAll()
            }
        }
        #expect(state.wait(until: .after(.seconds(10))) { $0.running == 8 ? true : nil } == true)
        state.withLock { $0.isOpen = true }
        state.wakeAll()
        #expect(state.wait(until: .after(.seconds(10))) { $0.done == 50 ? true : nil } == true)
        #expect(state.withLock { $0.most } == 8)
    }

    @Test("ten thousand short works from many threads are each done once")
    func everyWorkOnce() {
        let pool = WorkerPool(name: "test", limit: 16)
        let done = Locked(0)
        let submitters = WorkerPool(name: "submit", limit: 8)
        for _ in 0..<10 {
            submitters.submit {
                for _ in 0..<1000 {
                    pool.submit {
                        done.withLock { $0 += 1 }
                        done.wakeAll()
                    }
                }
            }
        }
        #expect(done.wait(until: .after(.seconds(20))) { $0 == 10_000 ? true : nil } == true)
    }

    @Test("a stopped pool does what it had taken, and takes nothing more")
    func stop() {
        let pool = WorkerPool(name: "test", limit: 2)
        let done = Locked(0)
        for _ in 0..<100 { pool.submit { done.withLock { $0 += 1 } } }
        #expect(pool.stop(by: .after(.seconds(10))))
        #expect(done.withLock { $0 } == 100)
        #expect(!pool.submit {})
    }

    @Test("a stop gives up at its deadline while work still blocks")
    func stopDeadline() {
        let pool = WorkerPool(name: "test", limit: 2)
        let isOpen = Locked(false)
        pool.submit { _ = isOpen.wait(until: .after(.seconds(20))) { $0 ? true : nil } }
        #expect(!pool.stop(by: .after(.milliseconds(50))))
        isOpen.withLock { $0 = true }
        isOpen.wakeAll()
        #expect(pool.stop(by: .after(.seconds(10))))
    }
}
