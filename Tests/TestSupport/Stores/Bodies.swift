import ObjectStore
import Runtime

/// The body of a put from bytes in memory.
package final class BytesBody: ObjectBody {
    package let bytes: [UInt8]
    package let crc64: UInt64?

    /// `crc64` as the caller claims it, right or wrong; nil lets the store compute it.
    package init(_ bytes: some Sequence<UInt8>, crc64: UInt64? = nil) {
        self.bytes = Array(bytes)
        self.crc64 = crc64
    }

    package var count: Int64 { Int64(bytes.count) }

    package func copy(from offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        bytes.withUnsafeBytes { source in
            let rest = UnsafeRawBufferPointer(rebasing: source.dropFirst(Int(offset)).prefix(buffer.count))
            buffer.copyMemory(from: rest)
            return rest.count
        }
    }
}

/// A receiver that keeps what comes, and notes what breaks the contract: bytes before the headers, headers twice, gaps.
package final class CollectingReceiver: ObjectReceiver {
    private struct State {
        var info: ObjectInfo?
        var firstOffset: Int64?
        var bytes: [UInt8] = []
        var violations: [String] = []
        var isStopped = false
    }

    private let state = Locked(State())
    private let limit: Int

    /// Refuses more once it has `limit` bytes.
    package init(limit: Int = .max) { self.limit = limit }

    package func begin(_ info: ObjectInfo) {
        state.withLock { state in
            if state.info != nil { state.violations.append("headers came twice") }
            state.info = info
        }
    }

    package func receive(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Bool {
        state.withLock { state in
            if state.info == nil { state.violations.append("bytes came before the headers") }
            if state.isStopped { state.violations.append("bytes came after the receiver had refused") }
            if bytes.isEmpty { state.violations.append("a piece was empty") }
            let first = state.firstOffset ?? offset
            state.firstOffset = first
            let expected = first + Int64(state.bytes.count)
            if offset != expected { state.violations.append("bytes at \(offset) instead of \(expected)") }
            state.bytes.append(contentsOf: bytes)
            state.isStopped = state.bytes.count >= limit
            return !state.isStopped
        }
    }

    package var info: ObjectInfo? { state.withLock { $0.info } }
    package var bytes: [UInt8] { state.withLock { $0.bytes } }
    /// Where the first piece stood in the object; nil where none came.
    package var firstOffset: Int64? { state.withLock { $0.firstOffset } }
    package var violations: [String] { state.withLock { $0.violations } }
}

/// A receiver of streams that keeps what comes.
package final class StreamCollector: StreamReceiver {
    private struct State {
        var contentType: [UInt8]?
        var begins = 0
        var bytes: [UInt8] = []
    }

    private let state = Locked(State())
    private let limit: Int

    /// Refuses more once it has `limit` bytes.
    package init(limit: Int = .max) { self.limit = limit }

    package func begin(contentType: [UInt8]?) {
        state.withLock { state in
            state.contentType = contentType
            state.begins += 1
        }
    }

    package func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        state.withLock { state in
            state.bytes.append(contentsOf: bytes)
            return state.bytes.count < limit
        }
    }

    package var contentType: [UInt8]? { state.withLock { $0.contentType } }
    /// How often headers came.
    package var begins: Int { state.withLock { $0.begins } }
    package var bytes: [UInt8] { state.withLock { $0.bytes } }
}

extension ObjectKey {
    /// The key with the UTF-8 bytes of `text`.
    package init(text: String) { self.init(Array(text.utf8)) }
}

extension RequestContext {
    /// Half a minute from now: what a test needs on a loaded machine, and an end where a store hangs.
    package static var test: RequestContext { RequestContext(deadline: .after(.seconds(30))) }
}
