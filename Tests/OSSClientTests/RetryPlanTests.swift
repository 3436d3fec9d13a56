import Runtime
import Testing

@testable import OSSClient

@Suite struct RetryPlanTests {
    private let long = Duration.seconds(3600)

    @Test("after failures the bound doubles from 100 ms to 10 s, and chance takes any part of it")
    func backoff() {
        var plan = RetryPlan(RetryPolicy())
        let bounds = (0..<9).map { _ in plan.next(.backoff, remaining: long, fraction: 1) }
        #expect(
            bounds
                == [100, 200, 400, 800, 1600, 3200, 6400, 10000, 10000].map { .after(.milliseconds($0)) })
        #expect(plan.next(.backoff, remaining: long, fraction: 0) == .after(.zero))
        #expect(plan.next(.backoff, remaining: long, fraction: 0.5) == .after(.seconds(5)))
    }

    @Test("after throttling it doubles from 1 s to 20 s, apart from failures")
    func throttled() {
        var plan = RetryPlan(RetryPolicy())
        _ = plan.next(.backoff, remaining: long, fraction: 1)
        let bounds = (0..<6).map { _ in plan.next(.throttled, remaining: long, fraction: 1) }
        #expect(bounds == [1, 2, 4, 8, 16, 20].map { .after(.seconds($0)) })
        #expect(plan.next(.backoff, remaining: long, fraction: 1) == .after(.milliseconds(200)))
    }

    @Test("progress starts the spacing anew")
    func progress() {
        var plan = RetryPlan(RetryPolicy())
        for _ in 0..<5 { _ = plan.next(.backoff, remaining: long, fraction: 1) }
        #expect(
            plan.next(.backoff, madeProgress: true, remaining: long, fraction: 1) == .after(.milliseconds(100)))
    }

    @Test("a wait leaves time for one attempt more, and with hardly any left there is none")
    func deadline() {
        var plan = RetryPlan(RetryPolicy())
        #expect(plan.next(.throttled, remaining: .seconds(1), fraction: 1) == .after(.milliseconds(750)))
        #expect(plan.next(.throttled, remaining: .milliseconds(100), fraction: 1) == .giveUp)
        #expect(plan.next(.backoff, remaining: .zero, fraction: 1) == .giveUp)
    }

    @Test("what seldom helps is tried twice, the clock and the credentials once, a refusal never")
    func limits() {
        var plan = RetryPlan(RetryPolicy())
        #expect(plan.next(.doubtful, remaining: long, fraction: 0) == .after(.zero))
        #expect(plan.next(.doubtful, remaining: long, fraction: 0) == .after(.zero))
        #expect(plan.next(.doubtful, remaining: long, fraction: 0) == .giveUp)
        #expect(plan.next(.afterClockCorrection, remaining: long, fraction: 0) == .correctClock)
        #expect(plan.next(.afterClockCorrection, remaining: long, fraction: 0) == .giveUp)
        #expect(plan.next(.afterRefresh, remaining: long, fraction: 0) == .refreshCredentials)
        #expect(plan.next(.afterRefresh, remaining: long, fraction: 0) == .giveUp)
        #expect(plan.next(.never, remaining: long, fraction: 0) == .giveUp)
        #expect(plan.next(.byCaller, remaining: long, fraction: 0) == .giveUp)
    }

    @Test("cancellation ends a real wait at once")
    func cancellationWakes() {
        let cancellation = Cancellation()
        let start = Deadline.now
        #expect(
            PlainThread.start(name: "canceller", stackBytes: 64 * 1024) { cancellation.cancel() })
        SystemPausing().pause(until: .after(.seconds(60)), cancellation: cancellation)
        #expect(Deadline.now < start.advanced(by: .seconds(30)))
    }
}
