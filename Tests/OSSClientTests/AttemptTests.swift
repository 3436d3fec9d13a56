import Credentials
import Instrumentation
import ObjectStore
import Runtime
import Testing

@testable import OSSClient

/// A provider that has a fresh triple each time it is told that the last was refused.
private final class RotatingProvider: CredentialsProvider {
    private let state = Locked((generation: 0, refreshes: 0))
    private let last: Int
    init(last: Int) { self.last = last }
    var refreshes: Int { state.withLock { $0.refreshes } }

    func credentials(
        deadline: Deadline, cancellation: Cancellation?
    ) throws(CredentialsError) -> Credentials {
        let generation = state.withLock { $0.generation }
        return try Credentials(
            accessKeyID: Array("STS.\(generation)".utf8), accessKeySecret: Array("markersecret".utf8),
            securityToken: Array("markertoken\(generation)".utf8))
    }

    func forceRefresh(
        rejected: Credentials, deadline: Deadline, cancellation: Cancellation?
    ) throws(CredentialsError) -> Credentials? {
        let hasMore = state.withLock { state in
            state.refreshes += 1
            guard state.generation < last else { return false }
            state.generation += 1
            return true
        }
        return hasMore ? try credentials(deadline: deadline) : nil
    }
}

/// A provider whose source can't be reached.
private struct FailingProvider: CredentialsProvider {
    var kind: CredentialsError.Kind
    func credentials(
        deadline: Deadline, cancellation: Cancellation?
    ) throws(CredentialsError) -> Credentials {
        throw CredentialsError(kind: kind, message: "no source")
    }
    func forceRefresh(
        rejected: Credentials, deadline: Deadline, cancellation: Cancellation?
    ) throws(CredentialsError) -> Credentials? { nil }
}

@Suite struct AttemptTests {
    private func headError(_ fixture: Fixture) -> ObjectStoreError? {
        failure { () throws(ObjectStoreError) in try fixture.client.head(key("a"), fixture.context) }
    }

    @Test("outages and throttling are waited for with growing waits, and each repeat is signed anew")
    func repeats() throws {
        let fixture = try Fixture([
            .fail(.cannotConnect, reached: false), .reply(503, [:], errorDocument("ServiceUnavailable")),
            .reply(500, [:]), .reply(429, [:], errorDocument("QpsLimitExceeded")),
            .reply(200, objectHeaders("hello")),
        ])
        let info = try fixture.client.head(key("a"), fixture.context)
        #expect(info.size == 5)
        #expect(
            fixture.time.pauses == [.milliseconds(100), .seconds(1), .milliseconds(200), .seconds(2)])
        #expect(fixture.transport.sent.allSatisfy { $0.header("Authorization") != nil })
        #expect(fixture.client.counters.now.requests == [.headObject: 5])
        #expect(fixture.client.counters.now.repeats == 4)
        #expect(fixture.client.counters.now.failures == 0)
    }

    @Test("at the deadline the last error comes out, as one that may pass, and never as an absent object")
    func deadline() throws {
        let fixture = try Fixture(
            [Step](repeating: .reply(503, ["x-oss-request-id": "R"], errorDocument("TotalQpsLimitExceeded")), count: 50)
        )
        let error = headError(fixture)
        #expect(error?.kind == .throttled)
        #expect(error?.isRetryable == true)
        #expect(error?.status == 503)
        #expect(fixture.time.pauses.reduce(.zero, +) <= .seconds(60))
        #expect(fixture.transport.sent.count > 5)
    }

    @Test("a deadline that has passed sends nothing")
    func passedDeadline() throws {
        let fixture = try Fixture([])
        let error = failure { () throws(ObjectStoreError) in
            try fixture.client.head(key("a"), RequestContext(deadline: fixture.time.monotonic))
        }
        #expect(error?.kind == .unavailable)
        #expect(error?.isRetryable == true)
        #expect(fixture.transport.sent.isEmpty)
    }

    @Test("one attempt gets half of the time at most, so that a server that hangs leaves room for another")
    func attemptBound() throws {
        let fixture = try Fixture([.fail(.timedOut), .reply(200, objectHeaders("hello"))])
        let start = fixture.time.monotonic
        _ = try fixture.client.head(key("a"), RequestContext(deadline: start.advanced(by: .seconds(20))))
        _ = try Fixture([.reply(200, objectHeaders(""))]).client.head(key("a"), fixture.context)
        #expect(fixture.transport.sent.first?.deadline == start.advanced(by: .seconds(10)))
    }

    @Test("cancellation ends the call, also between attempts")
    func cancellation() throws {
        let cancellation = Cancellation()
        let fixture = try Fixture([.reply(503, [:]), .reply(200, objectHeaders(""))]) { number in
            if number == 1 { cancellation.cancel() }
        }
        let error = failure { () throws(ObjectStoreError) in
            try fixture.client.head(
                key("a"), RequestContext(deadline: fixture.context.deadline, cancellation: cancellation))
        }
        #expect(error?.kind == .cancelled)
        #expect(fixture.transport.sent.count == 1)
        #expect(fixture.time.pauses.isEmpty)
    }

    @Test(
        "a refused date teaches the client the server's clock, once for all calls",
        arguments: [
            Step.reply(
                403, [:], errorDocument("RequestTimeTooSkewed", "<ServerTime>2026-09-21T15:13:20.000Z</ServerTime>")),
            Step.reply(403, ["Date": "Mon, 21 Sep 2026 15:13:20 GMT"], errorDocument("RequestTimeTooSkewed")),
            Step.reply(
                400, ["Date": "Mon, 21 Sep 2026 15:13:20 GMT"],
                "<Error><Code>InvalidArgument</Code><Message>Invalid signing date in Authorization header.</Message></Error>"
            ),
        ])
    func clock(refusal: Step) throws {
        let fixture = try Fixture([refusal, .reply(200, objectHeaders("")), .reply(200, objectHeaders(""))])
        _ = try fixture.client.head(key("a"), fixture.context)
        _ = try fixture.client.head(key("b"), fixture.context)
        #expect(
            fixture.transport.sent.map { $0.header("x-oss-date") }
                == ["20260921T141320Z", "20260921T151320Z", "20260921T151320Z"])
        #expect(fixture.time.pauses.isEmpty)
    }

    @Test("a date refused again after correction is final")
    func clockTwice() throws {
        let refusal = Step.reply(
            403, [:], errorDocument("RequestTimeTooSkewed", "<ServerTime>2026-09-21T15:13:20.000Z</ServerTime>"))
        let fixture = try Fixture([refusal, refusal, refusal])
        #expect(headError(fixture)?.kind == .clockSkewed)
        #expect(fixture.transport.sent.count == 2)
    }

    @Test("refused tokens are refreshed once, and the request is sent once more with the new ones")
    func refresh() throws {
        let provider = RotatingProvider(last: 5)
        let refusal = Step.reply(403, [:], errorDocument("SecurityTokenExpired"))
        let fixture = try Fixture([refusal, .reply(200, objectHeaders(""))], provider: provider)
        _ = try fixture.client.head(key("a"), fixture.context)
        #expect(
            fixture.transport.sent.map { $0.header("x-oss-security-token") } == ["markertoken0", "markertoken1"])
        let again = try Fixture([refusal, refusal, refusal], provider: RotatingProvider(last: 5))
        #expect(headError(again)?.kind == .invalidCredentials)
        #expect(again.transport.sent.count == 2)
    }

    @Test("where the provider has no others the refusal is final at once")
    func noRefresh() throws {
        let provider = RotatingProvider(last: 0)
        let fixture = try Fixture([.reply(403, [:], errorDocument("InvalidSecurityToken"))], provider: provider)
        let error = headError(fixture)
        #expect(error?.kind == .invalidCredentials)
        #expect(error?.isRetryable == false)
        #expect(provider.refreshes == 1)
    }

    @Test("credentials that aren't there end the call, those that can't be reached are waited for")
    func failingProviders() throws {
        let missing = try Fixture([], provider: FailingProvider(kind: .missing))
        #expect(headError(missing)?.kind == .invalidCredentials)
        #expect(missing.time.pauses.isEmpty)
        let unreachable = try Fixture([], provider: FailingProvider(kind: .unavailable))
        #expect(headError(unreachable)?.kind == .unavailable)
        #expect(unreachable.time.pauses.count > 3)
    }

    @Test("refusals are final at once", arguments: [403, 412, 501])
    func refusals(status: Int) throws {
        let fixture = try Fixture([.reply(status, [:])])
        #expect(headError(fixture)?.isRetryable == false)
        #expect(fixture.transport.sent.count == 1)
        #expect(fixture.client.counters.now.failures == 1)
    }

    @Test("every request and repeat is logged, with request id and without secret, token or signature")
    func logs() throws {
        let provider = RotatingProvider(last: 1)
        let fixture = try Fixture(
            [
                .reply(503, ["x-oss-request-id": "R7"], errorDocument("ServiceUnavailable")), .fail(.stalled),
                .reply(403, [:], errorDocument("SecurityTokenExpired")), .reply(200, objectHeaders("")),
            ], provider: provider)
        _ = try fixture.client.head(key("a b"), fixture.context)
        let lines = fixture.notes.all
        #expect(lines.filter { $0.contains(" debug request ") }.count == 4)
        #expect(lines.filter { $0.contains("warning request repeated") }.count == 3)
        #expect(lines.contains { $0.contains("operation=HeadObject key=\"a b\" status=503") && $0.contains("R7") })
        for line in lines {
            #expect(!line.contains("marker") && !line.contains("Signature") && !line.contains("Credential"))
        }
    }
}
