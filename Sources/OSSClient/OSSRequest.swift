import Encoding
import HTTPTransport
import Instrumentation
import ObjectStore
import Runtime

/// A request of one operation, before it is addressed and signed.
struct OSSRequest: Sendable {
    var operation: OSSOperation
    var method: String
    /// Nil for the bucket itself.
    var key: ObjectKey?
    var query: [QueryItem] = []
    var headers: [HTTPHeader] = []
    var body: (any HTTPBody)?
    /// Bytes of body that move either way, which take their time; nil where nobody knows.
    var transferBytes: Int64? = 0
    /// Bytes that the service copies before it answers, as far as known.
    var copiedBytes: Int64 = 0
}

/// Why one attempt gave no value.
struct AttemptFailure: Error {
    /// What the caller gets if it stays at that.
    var error: ObjectStoreError
    var repetition: Repetition
    /// Whether the server may have done what was asked.
    var mayHaveTakenEffect = false
    /// The server's clock, where the answer told it.
    var serverTime: WallTime?

    init(
        _ kind: ObjectStoreErrorKind, _ repetition: Repetition, _ operation: OSSOperation, _ key: ObjectKey?,
        status: Int? = nil, requestID: String = "", message: String
    ) {
        error = ObjectStoreError(
            kind: kind, operation: operation.name, key: key, status: status, requestID: requestID, message: message,
            isRetryable: repetition.mayHelpLater)
        self.repetition = repetition
    }

    /// An error answer of the server.
    init(_ response: ErrorResponse, _ operation: OSSOperation, _ key: ObjectKey?) {
        let verdict = Verdict(response)
        error = ObjectStoreError(
            kind: verdict.kind, operation: operation.name, key: key, status: response.status, code: response.code,
            requestID: response.requestID, ec: response.ec, message: response.summary,
            isRetryable: verdict.repetition.mayHelpLater)
        error.appendPosition = response.appendPosition
        error.deleteMarker = response.deleteMarker
        repetition = verdict.repetition
        // A server that fails may have failed after the deed; one that refuses has not done it.
        mayHaveTakenEffect = response.status >= 500
        serverTime = response.serverTime
    }

    /// No complete answer.
    init(_ error: TransportError, _ operation: OSSOperation, _ key: ObjectKey?) {
        switch error.kind {
        case .nameNotResolved, .cannotConnect, .connectionLost, .bodyTooShort, .stalled, .timedOut:
            self.init(.unavailable, .backoff, operation, key, message: error.message)
        // Untrusted for good as a rule, and now and then a connection cut in its handshake.
        case .tlsFailed, .malformedAnswer:
            self.init(.unavailable, .doubtful, operation, key, message: error.message)
        case .cancelled: self.init(.cancelled, .never, operation, key, message: error.message)
        case .invalidRequest: self.init(.invalidRequest, .never, operation, key, message: error.message)
        }
        mayHaveTakenEffect = error.mayHaveReachedServer
    }
}

/// Collects a reply of bounded size.
final class ReplyBuffer: HTTPResponseReceiver, @unchecked Sendable {
    // Unchecked: the transport calls one after the other, and the caller looks only once the exchange has ended.
    private(set) var head: HTTPResponseHead?
    private(set) var body: [UInt8] = []
    /// Whether the body passed the bound and was cut off.
    private(set) var isTooLarge = false
    private let maximumBytes: Int

    /// 1 MiB: far more than any answer but a listing has.
    init(maximumBytes: Int = 1 << 20) { self.maximumBytes = maximumBytes }

    func begin(_ head: HTTPResponseHead) {
        self.head = head
        body.removeAll(keepingCapacity: true)
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard body.count + bytes.count <= maximumBytes else {
            isTooLarge = true
            return false
        }
        body.append(contentsOf: bytes)
        return true
    }
}

/// A body of no bytes, for calls that must say so.
struct EmptyBody: HTTPBody {
    var count: Int64 { 0 }
    func copy(from offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int { 0 }
}

/// A document as the body of a request.
struct DocumentBody: HTTPBody {
    private let bytes: [UInt8]

    init(_ xml: XMLWriter) { bytes = xml.bytes }

    var count: Int64 { Int64(bytes.count) }

    func copy(from offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let piece = bytes[Int(offset)...].prefix(buffer.count)
        buffer.copyBytes(from: piece)
        return piece.count
    }
}
