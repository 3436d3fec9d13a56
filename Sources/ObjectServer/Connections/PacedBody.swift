import Glibc

/// A reply's body that goes at a rate, or breaks off, under a fault or a bandwidth limit. Of the connection's thread.
final class PacedBody {
    private let body: Reply.Body
    private var pacer: Pacer?
    private let breakAfter: UInt64?
    private let waits: Waits
    private let counters: Counters
    private let socket: Int32

    /// Takes over the descriptor in `body`. `breakAfter` is the count of bytes after which the connection closes.
    init(_ body: Reply.Body, pacer: Pacer?, breakAfter: UInt64?, waits: Waits, counters: Counters, socket: Int32) {
        self.body = body
        self.pacer = pacer
        self.breakAfter = breakAfter
        self.waits = waits
        self.counters = counters
        self.socket = socket
    }

    deinit {
        if case .file(let descriptor, _, _) = body { close(descriptor) }
    }

    /// MHD_CONTENT_READER_END_WITH_ERROR, a macro with a cast that Swift can't import.
    private static let broken = -2

    /// Fills `buffer` from `position` on: the count of bytes, or the library's word for breaking off.
    func read(at position: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var count = buffer.count
        if let breakAfter {
            guard position < breakAfter else { return Self.broken }
            count = Int(min(UInt64(count), breakAfter - position))
        }
        if let pacer { count = min(count, pacer.pieceBytes) }
        let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
        let moved: Int
        switch body {
        case .bytes(let bytes):
            let rest = bytes[min(Int(position), bytes.count)...].prefix(count)
            piece.copyBytes(from: rest)
            moved = rest.count
        case .file(let descriptor, let offset, _):
            moved = pread(descriptor, piece.baseAddress, piece.count, off_t(offset + position))
        case .pieces(let reader, let offset, _):
            moved = (try? reader.read(at: offset + position, into: piece)) ?? 0
        case .none, .lengthOnly: return Self.broken
        }
        guard moved > 0 else { return Self.broken }
        if let isAlive = pacer?.pass(moved, waits: waits, socket: socket), !isAlive { return Self.broken }
        counters.moved(bytesOut: UInt64(moved))
        return moved
    }
}
