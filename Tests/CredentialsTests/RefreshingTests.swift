import Glibc
import Instrumentation
import Runtime
import Testing

@testable import Credentials

/// A source whose answers a test decides, one by one.
private final class ManualSource: CredentialsSource {
    private struct State {
        var asked = 0
        var answers: [Result<Credentials, CredentialsError>] = []
    }

    private let state = Locked(State())
    var asked: Int { state.withLock { $0.asked } }

    func answer(_ answer: Result<Credentials, CredentialsError>) {
        state.withLock { $0.answers.append(answer) }
        state.wakeAll()
    }

    func fetch(deadline: Deadline) throws(CredentialsError) -> Credentials {
        state.withLock { $0.asked += 1 }
        let answer = state.wait(until: .after(.seconds(20))) { $0.answers.isEmpty ? nil : $0.answers.removeFirst() }
        guard let answer else { throw CredentialsError(kind: .unavailable, message: "the test gave no answer") }
        return try answer.get()
    }
}

@Suite struct RefreshingTests {
    private let source = ManualSource()
    private let wall = ManualWall()
    private let notes = LogNotes()
    private let serverClock: ServerClock
    private let provider: RefreshingCredentialsProvider

    init() {
        serverClock = ServerClock(wall)
        var policy = RefreshPolicy()
        policy.failureBase = .milliseconds(20)
        policy.failureCap = .milliseconds(40)
        policy.leastAge = .zero
        provider = RefreshingCredentialsProvider(
            source: source, serverClock: serverClock, policy: policy, log: Log(level: .debug, sink: notes)
        ) { 0 }
    }

    private func made(_ id: String, life: Int64? = 100) throws -> Credentials {
        try Credentials(
            accessKeyID: bytes(id), accessKeySecret: bytes(marker), securityToken: bytes(marker + "-token"),
            expiry: life.map { WallTime(seconds: wall.wall.seconds + $0) })
    }

    private func id(_ deadline: Deadline = .after(.seconds(10))) throws -> String {
        text(try provider.credentials(deadline: deadline).accessKeyID)
    }

    private let passing = CredentialsError(kind: .unavailable, message: "down")
    private let refusing = CredentialsError(kind: .refused, message: "not you")

    @Test("many callers at once ask the source once, and all get its answer")
    func singleFlight() async throws {
        let answer = try made("a")
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<8 { group.addTask { try self.id() } }
            source.answer(.success(answer))
            for try await id in group { #expect(id == "a") }
        }
        #expect(source.asked == 1)
        #expect(try id() == "a")
        #expect(source.asked == 1)
    }

    @Test("ahead of expiry the source is asked while the old ones go on being used")
    func ahead() throws {
        source.answer(.success(try made("a")))
        #expect(try id() == "a")
        wall.move(74)
        #expect(try id() == "a")
        #expect(source.asked == 1, "a quarter of their life is left")
        usleep(30_000)
        wall.move(1)
        #expect(try id() == "a", "at once")
        #expect(eventually { source.asked == 2 })
        wall.move(24)
        #expect(try id() == "a", "they are still good")
        source.answer(.success(try made("b")))
        #expect(eventually { (try? id()) == "b" })
        #expect(source.asked == 2)
    }

    @Test("while the source fails the old ones are used until they expire, then callers wait for it")
    func outage() throws {
        source.answer(.success(try made("a")))
        #expect(try id() == "a")
        usleep(30_000)
        wall.move(80)
        source.answer(.failure(refusing))
        #expect(try id() == "a")
        #expect(eventually { source.asked == 2 && notes.all.contains("not you") })
        #expect(try id() == "a")
        wall.move(20)
        source.answer(.failure(passing))
        source.answer(.failure(passing))
        source.answer(.success(try made("b")))
        usleep(60_000)
        #expect(try id() == "b")
    }

    @Test("the caller waits no longer than its deadline, and learns why")
    func deadline() throws {
        let error = failure { () throws(CredentialsError) in
            try provider.credentials(deadline: .after(.milliseconds(20)))
        }
        #expect(error?.kind == .unavailable)
        for _ in 0..<100 { source.answer(.failure(passing)) }
        let start = Deadline.now
        let later = failure { () throws(CredentialsError) in
            try provider.credentials(deadline: .after(.milliseconds(150)))
        }
        #expect(later == passing)
        #expect(start.advanced(by: .seconds(10)) > .now)
        #expect((2...20).contains(source.asked), "failures are spaced: \(source.asked)")
        source.answer(.failure(passing))
    }

    @Test("a source that refuses is believed at once, and not asked again by each caller")
    func refusal() throws {
        source.answer(.failure(refusing))
        for _ in 0..<5 {
            let error = failure { () throws(CredentialsError) in
                try provider.credentials(deadline: .after(.seconds(10)))
            }
            #expect(error == refusing)
        }
        #expect(source.asked <= 2)
        for _ in 0..<5 { source.answer(.success(try made("a"))) }
        #expect(eventually { (try? id()) == "a" })
    }

    @Test("what the server has refused is replaced, once for all who were refused")
    func forced() throws {
        source.answer(.success(try made("a", life: nil)))
        let first = try provider.credentials(deadline: .after(.seconds(10)))
        usleep(30_000)
        source.answer(.success(try made("b", life: nil)))
        let second = try provider.forceRefresh(rejected: first, deadline: .after(.seconds(10)))
        #expect(second.map { text($0.accessKeyID) } == "b")
        #expect(try provider.forceRefresh(rejected: first, deadline: .now) == second)
        #expect(source.asked == 2)
        usleep(30_000)
        source.answer(.success(try made("b", life: nil)))
        #expect(try provider.forceRefresh(rejected: try #require(second), deadline: .after(.seconds(10))) == nil)
    }

    @Test("credentials that come expired by our wrong clock are used, and as fresh ones once it is corrected")
    func wrongClock() throws {
        let answer = try made("a", life: -1200)
        source.answer(.success(answer))
        #expect(try id() == "a")
        serverClock.correct(WallTime(seconds: wall.wall.seconds - 2000))
        usleep(30_000)
        let asked = source.asked
        #expect(try id() == "a")
        wall.move(700)
        #expect(try id() == "a", "the source is asked, and they are still good")
        #expect(source.asked >= asked)
        source.answer(.success(try made("b")))
    }

    @Test("no secret is logged")
    func logs() throws {
        source.answer(.success(try made("a")))
        #expect(try id() == "a")
        #expect(eventually { notes.all.contains("refreshed") })
        #expect(!notes.all.contains(marker))
    }
}
