import Foundation
import Glibc
import Runtime

/// What the server counted since its last reset.
package struct ServerStatistics: Sendable, Decodable {
    /// By OSS's names of the operations.
    package var requests: [String: Int]
    package var total: Int
    /// Faults given, by kind.
    package var faults: [String: Int]
    /// Bytes of the bodies that came in, and that went out.
    package var bytesIn: Int
    package var bytesOut: Int

    enum CodingKeys: String, CodingKey {
        case requests, total, faults
        case bytesIn = "bytes_in"
        case bytesOut = "bytes_out"
    }

    /// Requests of one operation.
    package subscript(_ operation: String) -> Int { requests[operation] ?? 0 }
}

/// A rule of the server's faults; what stays nil is left out.
package struct ServerFault: Sendable, Encodable {
    package enum Kind: String, Sendable, Encodable {
        case status, cut, slow, hang
        case dropBefore = "drop-before"
        case dropAfter = "drop-after"
        case wrongCRC = "wrong-crc"
    }

    /// The name of an operation, `GetObject`, or `*`.
    package var operation: String
    package var kind: Kind
    /// A prefix of keys, percent-encoded.
    package var key: String?
    package var status: Int?
    package var code: String?
    package var count: Int?
    package var every: Int?
    package var seconds: Double?
    package var afterBytes: Int?
    package var rate: Int?

    package init(
        _ kind: Kind, on operation: String, key: String? = nil, status: Int? = nil, code: String? = nil,
        count: Int? = nil, every: Int? = nil, seconds: Double? = nil, afterBytes: Int? = nil, rate: Int? = nil
    ) {
        self.operation = operation
        self.kind = kind
        self.key = key
        self.status = status
        self.code = code
        self.count = count
        self.every = every
        self.seconds = seconds
        self.afterBytes = afterBytes
        self.rate = rate
    }

    enum CodingKeys: String, CodingKey {
        case operation, kind, key, status, code, count, every, seconds, rate
        case afterBytes = "after_bytes"
    }
}

/// The server's admin path, over a connection per call.
package struct AdminClient: Sendable {
    package let port: UInt16

    /// The server's counters, after comparing them with its own log of requests, line by line.
    package func statistics() throws -> ServerStatistics {
        // A request may come in between the two answers: then both are asked again.
        var complaint = ""
        for _ in 0..<20 {
            let statistics = try JSONDecoder().decode(ServerStatistics.self, from: call("GET", "stats"))
            let logged = try log().reduce(into: [String: Int]()) { $0[$1.operation, default: 0] += 1 }
            if logged == statistics.requests.filter({ $0.value > 0 }) { return statistics }
            complaint = "\(statistics.requests) counted, \(logged) in the log"
            usleep(50_000)
        }
        throw TestFailure("the server's counters differ from its log: \(complaint)")
    }

    package func reset() throws { _ = try call("POST", "stats/reset") }

    /// One line of the server's log.
    package struct LogLine: Sendable {
        package let operation: String
        /// 0 while it has no answer.
        package let status: Int
        /// Percent-encoded.
        package let key: String
        /// The kind of the fault that it was given; nil for none.
        package let fault: String?
    }

    /// Every request since the last reset, in order.
    package func log() throws -> [LogLine] {
        String(decoding: try call("GET", "log"), as: UTF8.self).split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ").map(String.init)
            guard fields.count >= 5, let status = Int(fields[2]) else { return nil }
            let fault = fields.count > 5 && fields[5] != "-" ? fields[5] : nil
            return LogLine(operation: fields[1], status: status, key: fields[4], fault: fault)
        }
    }

    /// How many requests have no answer yet.
    package func unanswered() throws -> Int { try log().count { $0.status == 0 } }

    package func add(_ fault: ServerFault) throws {
        _ = try call("POST", "faults", body: JSONEncoder().encode(fault))
    }

    /// Ends all faults; what hangs goes on.
    package func clearFaults() throws { _ = try call("DELETE", "faults") }

    /// How slow the network is to look: a wait before each answer, and bytes per second of each connection (0: no limit).
    package func setLatency(milliseconds: Double, bandwidth: Int = 0) throws {
        let body = try JSONEncoder().encode(["milliseconds": milliseconds, "bandwidth": Double(bandwidth)])
        _ = try call("POST", "latency", body: body)
    }

    /// Makes the server's clock run ahead of this machine's by so much.
    package func shiftClock(seconds: Int) throws {
        _ = try call("POST", "clock", body: JSONEncoder().encode(["offset_seconds": seconds]))
    }

    /// Takes all temporary keys back that were given out up to now; `form` is how they are refused from then on:
    /// `expired` or `invalid`.
    package func revokeCredentials(as form: String) throws {
        _ = try call("POST", "credentials/revoke", body: JSONEncoder().encode(["as": form]))
    }

    // MARK: - HTTP

    private func call(_ method: String, _ path: String, body: Data = Data()) throws -> Data {
        let descriptor = try connected()
        defer { close(descriptor) }
        let head =
            "\(method) /-/\(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n"
            + "Content-Length: \(body.count)\r\n\r\n"
        var rest = Array(head.utf8) + Array(body)
        while !rest.isEmpty {
            let count = send(descriptor, rest, rest.count, Int32(MSG_NOSIGNAL))
            guard count > 0 else { throw TestFailure("\(method) \(path): can't send, errno \(errno)") }
            rest.removeFirst(count)
        }
        var answer = Data()
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count >= 0 else { throw TestFailure("\(method) \(path): no answer, errno \(errno)") }
            if count == 0 { break }
            answer.append(contentsOf: buffer[..<count])
        }
        guard let end = answer.range(of: Data("\r\n\r\n".utf8)) else {
            throw TestFailure("\(method) \(path): the answer has no end of headers")
        }
        let headers = String(decoding: answer[..<end.lowerBound], as: UTF8.self)
        let content = Data(answer[end.upperBound...])
        guard headers.split(separator: " ").dropFirst().first?.first == "2" else {
            throw TestFailure("\(method) \(path): \(headers) \(String(decoding: content, as: UTF8.self))")
        }
        guard !headers.lowercased().contains("transfer-encoding: chunked") else {
            throw TestFailure("\(method) \(path): the answer is in chunks, which this client doesn't read")
        }
        return content
    }

    private func connected() throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw TestFailure("no socket: errno \(errno)") }
        // Half a minute: a server that doesn't answer its admin path for that long never will.
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            let number = errno
            close(descriptor)
            throw TestFailure("can't connect to the server: errno \(number)")
        }
        return descriptor
    }
}
