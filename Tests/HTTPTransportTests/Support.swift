import Glibc
import Runtime
import Testing

@testable import HTTPTransport

/// Keeps all of an answer; refuses its body after `limit` bytes.
final class Collector: HTTPResponseReceiver {
    struct Content {
        var heads: [HTTPResponseHead] = []
        var body: [UInt8] = []
        var count: Int64 = 0
    }

    private let content = Locked(Content())
    private let limit: Int
    private let keepsBody: Bool

    init(limit: Int = .max, keepsBody: Bool = true) {
        self.limit = limit
        self.keepsBody = keepsBody
    }

    func begin(_ head: HTTPResponseHead) {
        content.withLock { $0.heads.append(head) }
        content.wakeAll()
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        content.withLock { content in
            if keepsBody { content.body += bytes }
            content.count += Int64(bytes.count)
            return content.count <= limit
        }
    }

    var head: HTTPResponseHead? { content.withLock { $0.heads.first } }
    var headCount: Int { content.withLock { $0.heads.count } }
    var status: Int? { head?.status }
    var body: [UInt8] { content.withLock { $0.body } }
    var text: String { String(decoding: body, as: UTF8.self) }
    var count: Int64 { content.withLock { $0.count } }

    func waitForHead() -> Bool { content.wait(until: .after(.seconds(10))) { $0.heads.isEmpty ? nil : true } ?? false }
}

/// A body of bytes in memory.
struct Bytes: HTTPBody {
    let bytes: [UInt8]
    var count: Int64 { Int64(bytes.count) }

    func copy(from offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let rest = bytes[Int(offset)...].prefix(buffer.count)
        buffer.copyBytes(from: rest)
        return rest.count
    }
}

/// A body of any length whose bytes follow from their offsets.
struct Pattern: HTTPBody {
    let count: Int64

    /// A prime, so that blocks of no size look alike.
    private static let period = 65521
    private static let table = (0..<period).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 13) }

    func copy(from offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let length = min(buffer.count, Int(count - offset))
        var done = 0
        while done < length {
            let start = Int((offset + Int64(done)) % Int64(Self.period))
            let piece = Self.table[start...].prefix(length - done)
            UnsafeMutableRawBufferPointer(rebasing: buffer[done...]).copyBytes(from: piece)
            done += piece.count
        }
        return length
    }

    /// Whether `bytes` are those from `offset` on.
    static func agrees(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Bool {
        var done = 0
        while done < bytes.count {
            let start = Int((offset + Int64(done)) % Int64(period))
            let length = min(bytes.count - done, period - start)
            let isEqual = table.withUnsafeBytes { table in
                guard let left = table.baseAddress, let right = bytes.baseAddress else { return false }
                return memcmp(left + start, right + done, length) == 0
            }
            guard isEqual else { return false }
            done += length
        }
        return true
    }
}

/// A body that claims more than it has.
struct ShortBody: HTTPBody {
    var count: Int64 { 1000 }
    func copy(from offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int { offset == 0 ? 10 : 0 }
}

/// Compares what arrives with `Pattern`.
final class PatternCheck {
    private(set) var offset: Int64 = 0
    private(set) var isRight = true

    func take(_ bytes: UnsafeRawBufferPointer) {
        if !Pattern.agrees(bytes, at: offset) { isRight = false }
        offset += Int64(bytes.count)
    }
}

extension CurlTransport.Configuration {
    /// No user agent, no proxy, short times.
    static func test(
        stall: Duration = .seconds(10), connect: Duration = .seconds(10), connections: Int = 128
    ) -> CurlTransport.Configuration {
        var configuration = CurlTransport.Configuration()
        configuration.userAgent = []
        configuration.usesEnvironmentProxy = false
        configuration.stallTimeout = stall
        configuration.connectTimeout = connect
        configuration.maximumConnections = connections
        return configuration
    }
}

extension CurlTransport {
    /// Performs and returns the answer.
    @discardableResult
    func answer(
        _ method: String, _ url: [UInt8], headers: [HTTPHeader] = [], body: (any HTTPBody)? = nil,
        deadline: Deadline = .after(.seconds(30)), cancellation: Cancellation? = nil,
        into collector: Collector = Collector()
    ) throws(TransportError) -> Collector {
        let request = HTTPRequest(method: method, url: url, headers: headers, body: body)
        try perform(request, into: collector, deadline: deadline, cancellation: cancellation)
        return collector
    }

    /// Performs what must fail and returns the error.
    func failure(
        _ method: String, _ url: [UInt8], headers: [HTTPHeader] = [], body: (any HTTPBody)? = nil,
        deadline: Deadline = .after(.seconds(30)), cancellation: Cancellation? = nil,
        into collector: Collector = Collector()
    ) throws -> TransportError {
        do {
            try answer(
                method, url, headers: headers, body: body, deadline: deadline, cancellation: cancellation,
                into: collector)
        } catch {
            return error
        }
        throw NoFailure()
    }

    struct NoFailure: Error {}
}

/// Looks again until `condition` holds; false after ten seconds.
func eventually(_ condition: () -> Bool) -> Bool {
    let deadline = Deadline.after(.seconds(10))
    while !condition() {
        if deadline.hasPassed { return false }
        usleep(1000)
    }
    return true
}

/// An answer with `body`.
func ok(_ body: String = "", status: String = "200 OK", headers: String = "") -> String {
    "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\(headers)\r\n\(body)"
}

/// Work on a thread of its own, as exchanges block.
final class Background<Value: Sendable>: Sendable {
    private let result = Locked(Value??.none)

    init(_ work: @escaping @Sendable () throws -> Value) {
        let isStarted = PlainThread.start(name: "background", stackBytes: 256 * 1024) {
            let value = try? work()
            self.result.withLock { $0 = .some(value) }
            self.result.wakeAll()
        }
        if !isStarted { result.withLock { $0 = .some(nil) } }
    }

    /// What the work returned; nil where it threw, or after a minute.
    var value: Value? { result.wait(until: .after(.seconds(60))) { $0 } ?? nil }
}

/// A listener whose queue is full, so that connecting to it never ends.
final class FullListener {
    let url: [UInt8]
    private let sockets: [Int32]

    init() throws {
        let (listener, bound) = try ScriptedServer.listen(backlog: 0)
        var address = bound
        var sockets = [listener]
        // A queue of 0 holds one connection; what comes after is dropped.
        for _ in 0..<4 {
            let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
            withUnsafePointer(to: &address) { pointer in
                _ = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            sockets.append(client)
        }
        self.sockets = sockets
        url = Array("http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/".utf8)
    }

    deinit { for socket in sockets { close(socket) } }
}
