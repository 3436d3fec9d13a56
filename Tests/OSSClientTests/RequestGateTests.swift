import Glibc
import Runtime
import Testing

@testable import OSSClient

@Suite struct RequestGateTests {
    private let start = Deadline(nanoseconds: 1_000_000_000)

    private func gate() -> RequestGate {
        var policy = ConcurrencyPolicy()
        policy.minimum = 2
        policy.ceiling = 16
        return RequestGate(policy)
    }

    private func enter(_ gate: RequestGate, _ count: Int = 1, within time: Duration = .zero) -> Bool {
        (0..<count).allSatisfy { _ in gate.enter(until: .after(time), nil) }
    }

    private func eventually(_ condition: () -> Bool) -> Bool {
        let deadline = Deadline.after(.seconds(10))
        while !condition() {
            if deadline.hasPassed { return false }
            usleep(1000)
        }
        return true
    }

    @Test("nothing is bounded until the server throttles")
    func unbounded() {
        let gate = gate()
        #expect(enter(gate, 1000))
        for _ in 0..<1000 { #expect(gate.leave(status: 200, at: start) == nil) }
        #expect(gate.limit == nil)
    }

    @Test("429 and 503 halve what is in flight, once a second, never below the least", arguments: [429, 503])
    func halving(status: Int) {
        let gate = gate()
        #expect(enter(gate, 12))
        #expect(gate.leave(status: status, at: start) == 6)
        #expect(gate.leave(status: status, at: start.advanced(by: .milliseconds(999))) == nil)
        #expect(!enter(gate), "ten are in flight")
        for _ in 0..<6 { #expect(gate.leave(status: 500, at: start) == nil) }
        #expect(gate.leave(status: status, at: start.advanced(by: .seconds(1))) == 2)
        #expect(gate.leave(status: status, at: start.advanced(by: .seconds(2))) == nil)
        #expect(gate.limit == 2)
    }

    @Test("each round of answers admits one more, until nothing is bounded; what got no answer doesn't count")
    func growth() {
        let gate = gate()
        #expect(enter(gate, 4))
        for status in [503, nil, nil, nil] { _ = gate.leave(status: status, at: start) }
        #expect(gate.limit == 2)
        var answers = 0
        while gate.limit != nil, answers < 1000 {
            #expect(enter(gate))
            #expect(gate.leave(status: 404, at: start) == nil)
            answers += 1
        }
        #expect(answers == (2...15).reduce(0, +))
    }

    @Test("those who wait are admitted in their order, as places get free")
    func order() throws {
        let gate = gate()
        #expect(enter(gate, 4))
        for status in [503, nil] { _ = gate.leave(status: status, at: start) }
        #expect(gate.limit == 2)
        let admitted = Locked<[Int]>([])
        for number in 0..<3 {
            let isStarted = PlainThread.start(name: "waiter", stackBytes: 64 * 1024) {
                guard gate.enter(until: .after(.seconds(20)), nil) else { return }
                admitted.withLock { $0.append(number) }
            }
            try #require(isStarted)
            #expect(eventually { gate.waiting == number + 1 })
        }
        for count in 1...3 {
            #expect(gate.leave(status: nil, at: start) == nil)
            #expect(eventually { admitted.withLock { $0.count } == count })
        }
        #expect(admitted.withLock { $0 } == [0, 1, 2])
    }

    @Test("a caller that gives up, or whose time is over, leaves the line at once")
    func givingUp() throws {
        let gate = gate()
        #expect(enter(gate, 3))
        _ = gate.leave(status: 503, at: start)
        #expect(!enter(gate, within: .milliseconds(20)))
        let cancellation = Cancellation()
        let outcome = Locked<Bool?>(nil)
        let isStarted = PlainThread.start(name: "waiter", stackBytes: 64 * 1024) {
            let isAdmitted = gate.enter(until: .after(.seconds(20)), cancellation)
            outcome.withLock { $0 = isAdmitted }
        }
        try #require(isStarted)
        #expect(eventually { gate.waiting == 1 })
        cancellation.cancel()
        #expect(eventually { outcome.withLock { $0 } == false })
        #expect(gate.waiting == 0)
        _ = gate.leave(status: nil, at: start)
        #expect(enter(gate), "nobody holds the place")
    }

    @Test("a client that is throttled sends less at a time, says so, and its calls end well")
    func client() throws {
        let fixture = try Fixture([.reply(503, [:], errorDocument("SlowDown")), .reply(204), .reply(204)])
        try fixture.client.delete(key("a"), fixture.context)
        #expect(fixture.client.gate.limit == 4)
        #expect(fixture.notes.all.contains { $0.contains("the server asks to slow down") })
        try fixture.client.delete(key("b"), fixture.context)
        #expect(fixture.client.gate.waiting == 0)
    }
}
