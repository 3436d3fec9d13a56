import Glibc
import HTTPTransport
import Instrumentation
import Runtime
import Testing

@testable import Credentials

/// A secret that no text may show.
let marker = "planted-marker-secret"

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

/// The error of a call; nil where it succeeded.
func failure<Value>(_ call: () throws(CredentialsError) -> Value) -> CredentialsError? {
    do throws(CredentialsError) {
        _ = try call()
        return nil
    } catch {
        return error
    }
}

/// A file in the system's place for temporary ones; its maker removes it.
final class TemporaryFile: Sendable {
    let path: String

    init(_ content: String, mode: mode_t = 0o600) throws {
        var template = Array("/tmp/ossmount-credentials-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        try #require(descriptor >= 0)
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        close(descriptor)
        try write(content, mode: mode)
    }

    func write(_ content: String, mode: mode_t = 0o600) throws {
        let descriptor = open(path, O_WRONLY | O_TRUNC)
        try #require(descriptor >= 0)
        let content = bytes(content)
        #expect(Glibc.write(descriptor, content, content.count) == content.count)
        fchmod(descriptor, mode)
        close(descriptor)
    }

    /// Not when the last reference goes, which may be before the file's path is used.
    func remove() { unlink(path) }
}

/// Notes log lines.
final class LogNotes: LogSink {
    private let lines = Locked<[String]>([])
    var all: String { lines.withLock { $0.joined(separator: "\n") } }
    func write(_ line: [UInt8], level: LogLevel) { lines.withLock { $0.append(text(line)) } }
}

/// Wall time that a test moves.
final class ManualWall: Instrumentation.Clock {
    private let seconds = Locked<Int64>(1_790_000_000)
    var monotonic: Deadline { .now }
    var wall: WallTime { WallTime(seconds: seconds.withLock { $0 }) }
    func move(_ by: Int64) { seconds.withLock { $0 += by } }
}

/// A transport that answers each request the same way, and notes the requests.
final class AnsweringTransport: HTTPExchanging {
    private let answer: Result<(Int, [UInt8]), TransportError>
    private let requests = Locked<[HTTPRequest]>([])

    init(_ status: Int, _ body: String) { answer = .success((status, bytes(body))) }

    init(_ kind: TransportError.Kind) {
        answer = .failure(TransportError(kind: kind, message: "scripted", mayHaveReachedServer: false))
    }

    var sent: [HTTPRequest] { requests.withLock { $0 } }

    func perform(
        _ request: HTTPRequest, into receiver: any HTTPResponseReceiver, deadline: Deadline,
        cancellation: Cancellation?
    ) throws(TransportError) {
        requests.withLock { $0.append(request) }
        let (status, body) = try answer.get()
        receiver.begin(HTTPResponseHead(status: status, headers: []))
        let goesOn = body.withUnsafeBytes { receiver.receive($0) }
        if !goesOn {
            throw TransportError(kind: .cancelled, message: "the receiver stopped", mayHaveReachedServer: true)
        }
    }
}

/// Polls until `condition` holds; false after ten seconds.
func eventually(_ condition: () -> Bool) -> Bool {
    let deadline = Deadline.after(.seconds(10))
    while !condition() {
        if deadline.hasPassed { return false }
        usleep(2000)
    }
    return true
}
