import Glibc
import Runtime

/// A server that does on each connection what its script says; plain sockets on 127.0.0.1, a thread per connection.
final class ScriptedServer: Sendable {
    struct Failure: Error { let errno: Int32 }

    private struct State {
        var open: Set<Int32> = []
        var accepted = 0
        var peakOpen = 0
        var heads: [RequestHead] = []
        var isStopped = false
    }

    let port: UInt16
    private let listener: Int32
    private let state = Locked(State())

    /// Starts to listen; `script` runs on a thread of its own for each connection, which is closed after it.
    init(receiveBuffer: Int32? = nil, _ script: @escaping @Sendable (ServerConnection) -> Void) throws {
        let (listener, address) = try Self.listen(backlog: 1024)
        // Accepted sockets inherit it; set, it also keeps the kernel from enlarging it.
        if var receiveBuffer {
            setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, socklen_t(MemoryLayout<Int32>.size))
        }
        self.listener = listener
        port = UInt16(bigEndian: address.sin_port)
        guard
            PlainThread.start(
                name: "accept", stackBytes: 64 * 1024,
                { [weak self] in
                    while true {
                        let client = accept(listener, nil, nil)
                        guard client >= 0 else { break }
                        guard let server = self, server.opened(client) else {
                            close(client)
                            break
                        }
                        let isStarted = PlainThread.start(name: "connection", stackBytes: 256 * 1024) {
                            script(ServerConnection(client) { server.note($0) })
                            server.closing(client)
                            close(client)
                        }
                        if !isStarted { close(client) }
                    }
                    close(listener)
                })
        else { throw Failure(errno: errno) }
    }

    /// A listening socket on a free port of 127.0.0.1.
    static func listen(backlog: Int32) throws -> (Int32, sockaddr_in) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, length) == 0 && Glibc.listen(listener, backlog) == 0
                    && getsockname(listener, pointer, &length) == 0
            }
        }
        guard isListening else { throw Failure(errno: errno) }
        return (listener, address)
    }

    deinit { stop() }

    /// Breaks all connections and ends all threads.
    func stop() {
        state.withLock { state in
            if !state.isStopped { shutdown(listener, Int32(SHUT_RDWR)) }
            state.isStopped = true
            for client in state.open { shutdown(client, Int32(SHUT_RDWR)) }
        }
    }

    /// `http://127.0.0.1:PORT` and `path`.
    func url(_ path: String) -> [UInt8] { Array("http://127.0.0.1:\(port)\(path)".utf8) }

    var acceptedConnections: Int { state.withLock { $0.accepted } }
    var peakConnections: Int { state.withLock { $0.peakOpen } }
    var heads: [RequestHead] { state.withLock { $0.heads } }
    var openConnections: Int { state.withLock { $0.open.count } }

    private func opened(_ client: Int32) -> Bool {
        state.withLock { state in
            guard !state.isStopped else { return false }
            state.open.insert(client)
            state.accepted += 1
            state.peakOpen = max(state.peakOpen, state.open.count)
            return true
        }
    }

    private func closing(_ client: Int32) { _ = state.withLock { $0.open.remove(client) } }

    private func note(_ head: RequestHead) { state.withLock { $0.heads.append(head) } }
}

/// A request as the server saw it.
struct RequestHead: Sendable {
    /// `GET /path HTTP/1.1`.
    var startLine: [UInt8]
    /// Whole lines, in order.
    var lines: [[UInt8]]

    var start: String { String(decoding: startLine, as: UTF8.self) }

    func value(of name: String) -> String? {
        lines.map { String(decoding: $0, as: UTF8.self) }.first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
            .map { String($0.dropFirst(name.count + 1).drop { $0 == " " }) }
    }

    var contentLength: Int { value(of: "content-length").flatMap { Int($0) } ?? 0 }
}

/// The server's end of one connection; belongs to its script's thread.
final class ServerConnection {
    private let socket: Int32
    private let note: (RequestHead) -> Void
    private var pending: [UInt8] = []

    init(_ socket: Int32, note: @escaping (RequestHead) -> Void) {
        self.socket = socket
        self.note = note
    }

    /// The next request up to its blank line; nil at the end of the connection.
    func readHead() -> RequestHead? {
        while true {
            if let end = Self.blankLine(in: pending) {
                let head = pending[..<end]
                pending.removeFirst(end + 4)
                var lines = head.split(separator: 0x0A).map { Array($0.last == 0x0D ? $0.dropLast() : $0) }
                let request = RequestHead(startLine: lines.removeFirst(), lines: lines)
                note(request)
                return request
            }
            guard receive() else { return nil }
        }
    }

    /// `count` bytes of a body, fewer at the end of the connection.
    func readBody(_ count: Int) -> [UInt8] {
        while pending.count < count, receive() {}
        defer { pending.removeFirst(min(count, pending.count)) }
        return Array(pending.prefix(count))
    }

    /// Reads `count` bytes and hands them to `body` in pieces.
    func readBody(_ count: Int, _ body: (ArraySlice<UInt8>) -> Void) {
        var left = count
        while left > 0 {
            if pending.isEmpty, !receive() { return }
            let piece = pending.prefix(left)
            body(piece)
            left -= piece.count
            pending.removeFirst(piece.count)
        }
    }

    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var offset = 0
        while offset < bytes.count {
            let sent = bytes[offset...].withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard sent > 0 else { return false }
            offset += sent
        }
        return true
    }

    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Reads and drops until the other side closes.
    func drain() { while receive() { pending.removeAll(keepingCapacity: true) } }

    /// Makes the close that follows a reset.
    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    /// Ends the server's direction, then reads and drops what still comes: a close without a reset.
    func finish() {
        shutdown(socket, Int32(SHUT_WR))
        drain()
    }

    /// Reads nothing until the client has closed.
    func waitForClose() {
        // POLLRDHUP, which the Glibc module lacks.
        var wanted = pollfd(fd: socket, events: 0x2000, revents: 0)
        poll(&wanted, 1, 30_000)
    }

    /// The script's slowness.
    func pause(milliseconds: UInt32) { usleep(milliseconds * 1000) }

    /// Waits for a byte of the next request, then lets the connection be closed with a reset.
    func closeAfterNextByte() {
        var byte: UInt8 = 0
        recv(socket, &byte, 1, Int32(MSG_PEEK))
    }

    /// Sends `count` bytes of `Pattern`.
    func sendPattern(_ count: Int) {
        var offset = 0
        var piece = [UInt8](repeating: 0, count: 1 << 20)
        while offset < count {
            let length = piece.withUnsafeMutableBytes { buffer in
                Pattern(count: Int64(count)).copy(from: Int64(offset), into: buffer)
            }
            guard send(Array(piece.prefix(length))) else { return }
            offset += length
        }
    }

    private func receive() -> Bool {
        let start = pending.count
        pending.reserveCapacity(start + 65536)
        let received = withUnsafeTemporaryAllocation(byteCount: 65536, alignment: 16) { buffer in
            let count = recv(socket, buffer.baseAddress, buffer.count, 0)
            if count > 0 { pending.append(contentsOf: buffer[..<count]) }
            return count
        }
        return received > 0
    }

    private static func blankLine(in bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        return (0...(bytes.count - 4)).first {
            bytes[$0] == 0x0D && bytes[$0 + 1] == 0x0A && bytes[$0 + 2] == 0x0D && bytes[$0 + 3] == 0x0A
        }
    }
}
