import Checksums
import HTTPTransport
import ObjectStore

/// Why a get can't take what comes.
struct GetProblem: Sendable, Hashable {
    var kind: ObjectStoreErrorKind
    var repetition: Repetition
    var status: Int?
    var message: String

    func failure(_ state: CallState) -> AttemptFailure {
        state.failure(kind, repetition, status: status, message)
    }
}

/// One get over all its attempts: which version, which bytes, and how far it is.
final class GetSession: @unchecked Sendable {
    // Unchecked: exchanges follow each other, each calls from one thread, and the caller looks only between them.
    let request: GetRequest
    let receiver: any ObjectReceiver
    /// What the first good answer told; pins the version.
    private(set) var info: ObjectInfo?
    /// Where the next byte belongs.
    private(set) var position: Int64
    /// The end of what was asked for, once the size is known.
    private(set) var end: Int64?
    private var crc = CRC64()

    init(_ request: GetRequest, _ receiver: any ObjectReceiver) {
        self.request = request
        self.receiver = receiver
        position = request.range?.lowerBound ?? 0
    }

    /// Whether all bytes have been handed on.
    var isComplete: Bool { position == end }

    /// Nil asks for the whole object.
    var rangeToAsk: ByteRange? {
        guard let info, let end else { return request.range }
        return position == 0 && end == info.size && request.range == nil ? nil : position..<end
    }

    var versionToAsk: ETag? { info?.etag ?? request.ifMatch }

    /// Nil for a whole object of unknown size.
    var bytesToCome: Int64? {
        if let end { return end - position }
        return request.range.map { Int64($0.count) }
    }

    /// Takes the headers of a good answer to what `rangeToAsk` said; a problem where they don't fit.
    func begin(_ head: HTTPResponseHead, asked: ByteRange?) -> GetProblem? {
        let length = ReplyHeaders.contentLength(head)
        let size: Int64
        if let asked {
            guard head.status == 206, let value = head.value(of: "Content-Range"),
                let range = ReplyHeaders.contentRange(value)
            else { return doubt(head, "a range was asked for and the answer is none") }
            guard range.bytes.lowerBound == asked.lowerBound,
                range.bytes.upperBound == min(asked.upperBound, range.total),
                length == nil || length == Int64(range.bytes.count)
            else { return doubt(head, "the answer is another range than the one asked for") }
            size = range.total
        } else {
            guard head.status == 200, let length else {
                return doubt(head, "the answer to a whole object lacks its length")
            }
            size = length
        }
        guard let told = ReplyHeaders.info(head, size: size) else {
            return doubt(head, "the answer lacks the object's ETag or Last-Modified")
        }
        return accept(told, head, asked: asked)
    }

    private func accept(_ told: ObjectInfo, _ head: HTTPResponseHead, asked: ByteRange?) -> GetProblem? {
        if let pinned = versionToAsk, pinned != told.etag {
            return GetProblem(
                kind: .preconditionFailed, repetition: .never, status: head.status,
                message: "the object has been replaced")
        }
        guard let known = info else {
            info = told
            end = min(request.range?.upperBound ?? told.size, told.size)
            receiver.begin(told)
            return nil
        }
        return known.size == told.size ? nil : doubt(head, "the object has another size under the same ETag")
    }

    private func doubt(_ head: HTTPResponseHead, _ message: String) -> GetProblem {
        GetProblem(kind: .unexpected, repetition: .doubtful, status: head.status, message: message)
    }

    /// Hands the next bytes on; a problem where they are too many or not wanted.
    func receive(_ bytes: UnsafeRawBufferPointer) -> GetProblem? {
        guard let end, Int64(bytes.count) <= end - position else {
            return GetProblem(
                kind: .unexpected, repetition: .byCaller, message: "the answer is longer than it said")
        }
        if isWhole { crc.update(bytes) }
        let offset = position
        position += Int64(bytes.count)
        guard receiver.receive(bytes, at: offset) else {
            return GetProblem(kind: .cancelled, repetition: .never, message: "the receiver wants no more")
        }
        return nil
    }

    /// The object's state once all bytes have been handed on; a problem where some lack, or differ from their checksum.
    func finish() -> Result<ObjectInfo, GetProblemError> {
        guard let info, position == end else {
            return .failure(
                GetProblemError(
                    problem: GetProblem(
                        kind: .unavailable, repetition: .backoff, message: "the body ended before its length")))
        }
        // Of a symbolic link the CRC-64 may be the link's and the bytes the target's.
        if isWhole, info.type != .symlink, let expected = info.crc64, expected != crc.value {
            return .failure(
                GetProblemError(
                    problem: GetProblem(
                        kind: .corrupted, repetition: .byCaller,
                        message: "the CRC-64 of the bytes is \(crc.value), the server's \(expected)")))
        }
        return .success(info)
    }

    private var isWhole: Bool { request.range == nil }
}

/// Carries a problem out of `finish`.
struct GetProblemError: Error {
    var problem: GetProblem
}

/// One exchange of a get: tells good answers from errors and hands the former to the session.
final class GetExchange: HTTPResponseReceiver, @unchecked Sendable {
    // Unchecked: the transport calls one after the other, and the caller looks only once the exchange has ended.
    private let session: GetSession
    private let asked: ByteRange?
    private var errorBody: [UInt8] = []
    private(set) var head: HTTPResponseHead?
    private(set) var problem: GetProblem?
    private(set) var receivedBytes = 0

    init(_ session: GetSession) {
        self.session = session
        asked = session.rangeToAsk
    }

    private var isGood: Bool { head.map { (200...299).contains($0.status) } ?? false }

    func begin(_ head: HTTPResponseHead) {
        self.head = head
        if isGood { problem = session.begin(head, asked: asked) }
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard problem == nil else { return false }
        guard isGood else {
            errorBody.append(contentsOf: bytes.prefix(ErrorResponse.maximumBodyBytes - errorBody.count))
            return true
        }
        receivedBytes += bytes.count
        problem = session.receive(bytes)
        return problem == nil
    }

    /// The object's state if this exchange completed the get.
    func finish(_ state: CallState) throws(AttemptFailure) -> ObjectInfo {
        if let problem { throw problem.failure(state) }
        guard let head else { throw state.failure(.unavailable, .backoff, "there was no answer") }
        guard isGood else {
            throw AttemptFailure(
                ErrorResponse(head: head, body: errorBody, hasKey: true), state.operation, state.key)
        }
        switch session.finish() {
        case .success(let info): return info
        case .failure(let error): throw error.problem.failure(state)
        }
    }
}
