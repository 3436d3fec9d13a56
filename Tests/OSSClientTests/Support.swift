import Credentials
import HTTPTransport
import Instrumentation
import ObjectStore
import Runtime
import Testing

@testable import OSSClient

/// What a scripted server does with one request.
enum Step: Sendable {
    case reply(Int, [String: String] = [:], String = "")
    /// Sends headers and these bytes, then ends as the error says.
    case cut(Int, [String: String], String, TransportError.Kind)
    case fail(TransportError.Kind, reached: Bool = true)
    /// Replies to a request that was sent twice, as over a kept connection that turned out to be closed.
    case replyToSecond(Int, [String: String], String)
}

/// A transport that follows a script and notes what it was sent.
final class ScriptedTransport: HTTPExchanging {
    struct Sent: Sendable {
        var request: HTTPRequest
        var body: [UInt8]
        var deadline: Deadline

        func header(_ name: String) -> String? {
            HTTPResponseHead(status: 0, headers: request.headers).value(of: name).map { text($0) }
        }
    }

    private struct State {
        var steps: [Step]
        var sent: [Sent] = []
    }

    private let state: Locked<State>
    private let onRequest: @Sendable (Int) -> Void

    /// - Parameter onRequest: called with the number of each request, from 1.
    init(_ steps: [Step], onRequest: @escaping @Sendable (Int) -> Void = { _ in }) {
        state = Locked(State(steps: steps))
        self.onRequest = onRequest
    }

    var sent: [Sent] { state.withLock { $0.sent } }
    var stepsLeft: Int { state.withLock { $0.steps.count } }

    func perform(
        _ request: HTTPRequest, into receiver: any HTTPResponseReceiver, deadline: Deadline,
        cancellation: Cancellation?
    ) throws(TransportError) {
        var body: [UInt8] = []
        if let source = request.body {
            var buffer = [UInt8](repeating: 0, count: 7)
            while Int64(body.count) < source.count {
                let copied = buffer.withUnsafeMutableBytes { source.copy(from: Int64(body.count), into: $0) }
                body += buffer.prefix(copied)
            }
        }
        let sent = Sent(request: request, body: body, deadline: deadline)
        let (step, number): (Step?, Int) = state.withLock { state in
            state.sent.append(sent)
            return (state.steps.isEmpty ? nil : state.steps.removeFirst(), state.sent.count)
        }
        onRequest(number)
        if cancellation?.isCancelled == true { throw Self.error(.cancelled, reached: true) }
        switch step {
        case .reply(let status, let headers, let text): try Self.play(status, headers, text, into: receiver)
        case .replyToSecond(let status, let headers, let text):
            try Self.play(status, headers, text, wasSentAgain: true, into: receiver)
        case .cut(let status, let headers, let text, let kind):
            try Self.play(status, headers, text, into: receiver)
            throw Self.error(kind, reached: true)
        case .fail(let kind, let reached): throw Self.error(kind, reached: reached)
        case nil: throw Self.error(.invalidRequest, reached: false)
        }
    }

    private static func play(
        _ status: Int, _ headers: [String: String], _ text: String, wasSentAgain: Bool = false,
        into receiver: any HTTPResponseReceiver
    ) throws(TransportError) {
        receiver.begin(
            HTTPResponseHead(
                status: status, headers: headers.map { HTTPHeader($0.key, $0.value) }, wasSentAgain: wasSentAgain))
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: 5) {
            let piece = Array(bytes[start..<min(start + 5, bytes.count)])
            if !piece.withUnsafeBytes({ receiver.receive($0) }) { throw error(.cancelled, reached: true) }
        }
    }

    private static func error(_ kind: TransportError.Kind, reached: Bool) -> TransportError {
        TransportError(kind: kind, message: "scripted \(kind)", mayHaveReachedServer: reached)
    }
}

/// A clock that only waiting moves, and a chance that always takes the whole of it.
final class ManualTime: Instrumentation.Clock, Pausing {
    private struct State {
        var nanoseconds: UInt64 = 1_000_000_000
        var pauses: [Duration] = []
    }

    private let state = Locked(State())
    private let start: Int64
    private let chance: Double

    init(wallSeconds: Int64 = 1_790_000_000, chance: Double = 1) {
        start = wallSeconds
        self.chance = chance
    }

    var monotonic: Deadline { Deadline(nanoseconds: state.withLock { $0.nanoseconds }) }
    var wall: WallTime { WallTime(seconds: start) }
    var pauses: [Duration] { state.withLock { $0.pauses } }

    func move(_ duration: Duration) {
        state.withLock { $0.nanoseconds = Deadline(nanoseconds: $0.nanoseconds).advanced(by: duration).nanoseconds }
    }

    func pause(until moment: Deadline, cancellation: Cancellation?) {
        state.withLock { state in
            state.pauses.append(.nanoseconds(Int64(moment.nanoseconds - state.nanoseconds)))
            state.nanoseconds = moment.nanoseconds
        }
    }

    func fraction() -> Double { chance }
}

/// Notes log lines.
final class LogNotes: LogSink {
    private let lines = Locked<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func write(_ line: [UInt8], level: LogLevel) { lines.withLock { $0.append(text(line)) } }
}

/// A client on a script, with everything that it touches.
struct Fixture {
    let transport: ScriptedTransport
    let time: ManualTime
    let notes = LogNotes()
    let client: OSSClient

    init(
        _ steps: [Step], time: ManualTime = ManualTime(), provider: (any CredentialsProvider)? = nil,
        signature: SignatureVersion = .automatic,
        onRequest: @escaping @Sendable (Int) -> Void = { _ in }
    ) throws {
        transport = ScriptedTransport(steps, onRequest: onRequest)
        self.time = time
        let fixed = try Credentials(
            accessKeyID: Array("LTAIid".utf8), accessKeySecret: Array("markersecret".utf8))
        client = OSSClient(
            configuration: try OSSClientConfiguration(
                endpoint: "http://127.0.0.1:9000", region: "cn-hangzhou", bucket: "photos", signature: signature),
            transport: transport, credentials: provider ?? StaticCredentialsProvider(fixed),
            log: Log(level: .debug, sink: notes), clock: time, pausing: time)
    }

    /// A minute from the manual clock's now.
    var context: RequestContext { RequestContext(deadline: time.monotonic.advanced(by: .seconds(60))) }
}

/// Collects what a get hands on.
final class CollectingReceiver: ObjectReceiver {
    private struct State {
        var begun: [ObjectInfo] = []
        var bytes: [UInt8] = []
        var offsets: [Int64] = []
    }

    private let state = Locked(State())
    private let limit: Int

    init(limit: Int = .max) { self.limit = limit }

    var begun: [ObjectInfo] { state.withLock { $0.begun } }
    var content: String { state.withLock { text($0.bytes) } }
    var bytes: [UInt8] { state.withLock { $0.bytes } }
    var firstOffset: Int64? { state.withLock { $0.offsets.first } }

    func begin(_ info: ObjectInfo) { state.withLock { $0.begun.append(info) } }

    func receive(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Bool {
        state.withLock { state in
            if let last = state.offsets.last, offset <= last { Issue.record("bytes out of order") }
            state.bytes += bytes
            state.offsets.append(offset)
            return state.bytes.count <= limit
        }
    }
}

/// A body of text.
struct TextBody: ObjectBody {
    var bytes: [UInt8]
    var crc64: UInt64?

    init(_ text: String, crc64: UInt64? = nil) {
        bytes = Array(text.utf8)
        self.crc64 = crc64
    }

    var count: Int64 { Int64(bytes.count) }

    func copy(from offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let piece = bytes[Int(offset)...].prefix(buffer.count)
        buffer.copyBytes(from: piece)
        return piece.count
    }
}

/// Text of bytes for comparisons; a failure to decode can't pass for success.
func text(_ bytes: [UInt8]) -> String {
    String(validating: bytes, as: UTF8.self) ?? "not UTF-8: \(bytes)"
}

func key(_ text: String) -> ObjectKey { ObjectKey(text.utf8) }

/// The headers of an object of this content.
func objectHeaders(_ content: String, crc: UInt64? = nil, etag: String = "\"v1\"") -> [String: String] {
    var headers = [
        "Content-Length": String(content.utf8.count), "ETag": etag, "x-oss-request-id": "REQ1",
        "Last-Modified": "Mon, 21 Sep 2026 14:13:20 GMT", "x-oss-object-type": "Normal",
        "Date": "Mon, 21 Sep 2026 14:13:21 GMT",
    ]
    if let crc { headers["x-oss-hash-crc64ecma"] = String(crc) }
    return headers
}

func errorDocument(_ code: String, _ more: String = "") -> String {
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Error><Code>\(code)</Code><Message>told</Message>"
        + "<RequestId>5C1B</RequestId><HostId>h</HostId><EC>0026-00000001</EC>\(more)</Error>"
}

/// The error of a call; nil where it succeeded.
func failure<Value>(_ call: () throws(ObjectStoreError) -> Value) -> ObjectStoreError? {
    do throws(ObjectStoreError) {
        _ = try call()
        return nil
    } catch {
        return error
    }
}
