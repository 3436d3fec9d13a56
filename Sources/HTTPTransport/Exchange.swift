import CCurl
import Runtime

/// One exchange on its way: what the caller's thread waits for, and what the multi thread knows of it.
final class Exchange: @unchecked Sendable {
    // Unchecked: the `let`s are set before the hand-over; the `var`s belong to the multi thread alone, from the
    // hand-over on; `outcome` has its lock.

    enum Phase {
        /// In line for a connection.
        case waiting
        /// Given to libcurl.
        case active
        /// The caller has been told.
        case ended
    }

    let request: OutgoingRequest
    let receiver: any HTTPResponseReceiver
    let deadline: Deadline
    let stallTime: Duration
    // Guards the word to the caller's thread; a leaf lock.
    private let outcome = Locked(Result<Void, TransportError>?.none)

    var phase = Phase.waiting
    var easy: EasyHandle?
    /// What a callback decided the end to be, where libcurl only knows that the callback refused.
    private(set) var verdict: TransportError?
    /// Whether this is the second try, on a new connection.
    var isRepeated = false
    /// How often libcurl began to send the request, by itself or as it was told.
    private var sendings = 0
    /// Where to note that the body waits for libcurl to read; nil while not active.
    var held: HeldBodies?
    /// What stood in the socket when it was closed.
    var remains: [UInt8] = []
    /// Whether a refusal (300 and above) came before the whole body was sent.
    private(set) var isAnsweredEarly = false
    /// Whether the peer was found to have closed the connection while the body went up, with no whole head sent.
    private(set) var isClosedUnanswered = false
    private(set) var receivedBytes: Int64 = 0
    /// When a byte was last seen to have moved, by the count of movement then.
    private(set) var lastActivity = Deadline.never
    var lastMovement: UInt64 = 0
    /// When movement is to be looked at next.
    private(set) var nextSample = Deadline.never
    /// `receivedBytes` at the last look for the end of an early answer.
    var lastReceivedBytes: Int64 = -1
    private var head = HeadReader()
    private var sentBytes: Int64 = 0

    init(
        _ request: OutgoingRequest, into receiver: any HTTPResponseReceiver, deadline: Deadline, stallTime: Duration
    ) {
        self.request = request
        self.receiver = receiver
        self.deadline = deadline
        self.stallTime = stallTime
    }

    /// Waits for the end, which the multi thread brings at the deadline at the latest.
    func wait() -> Result<Void, TransportError> {
        outcome.wait(until: .never) { $0 } ?? .failure(error(.timedOut, "The wait ended."))
    }

    /// Gives the caller the end; called once, with the handle given back.
    func complete(_ result: Result<Void, TransportError>) {
        outcome.withLock { $0 = result }
        outcome.wakeAll()
    }

    /// Starts the time that may pass without a byte anew.
    func noteActivity(at now: Deadline) {
        lastActivity = now
        noteSample(at: now)
    }

    /// Sets the next look at the bytes moved: eight looks in a stall, so that it is seen an eighth late at the most.
    func noteSample(at now: Deadline) {
        nextSample = now.advanced(by: min(max(stallTime / 8, .milliseconds(5)), .seconds(5)))
    }

    /// Whether any byte of an answer has come.
    var hasAnswerBytes: Bool { head.takenBytes > 0 }

    /// Whether the head has been handed on.
    var hasHead: Bool { head.isComplete }

    /// An error of this exchange, with what is known about whether the server saw it.
    func error(_ kind: TransportError.Kind, _ message: String) -> TransportError {
        TransportError(kind: kind, message: message, mayHaveReachedServer: easy?.hasSentBytes ?? false)
    }
}

/// What libcurl's callbacks do; on the multi thread.
extension Exchange {
    /// Takes a line of the head; false ends the exchange with the verdict.
    func takeHeaderLine(_ line: UnsafeRawBufferPointer) -> Bool {
        switch head.take(line) {
        case .more: return true
        case .malformed:
            verdict = error(
                .malformedAnswer, "\(request.origin) sent what is no HTTP/1.1 answer, or headers past 64 KiB.")
            return false
        case .head(let head):
            if head.status >= 300, let body = request.body, sentBytes < body.count {
                isAnsweredEarly = true
                held?.exchanges.append(self)
            }
            handOn(head)
            return true
        }
    }

    /// Gives the receiver the head, which tells whether the request was sent more than once.
    func handOn(_ head: HTTPResponseHead) {
        var head = head
        head.wasSentAgain = sendings > 1
        receiver.begin(head)
    }

    /// Counts a sending that is about to begin.
    func noteSending() { sendings += 1 }

    /// Takes bytes of the body; false ends the exchange with the verdict.
    func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        // libcurl only asks for a body after a head; an HTTP/0.9 answer would come without.
        guard head.isComplete else {
            verdict = error(.malformedAnswer, "\(request.origin) sent what is no HTTP/1.1 answer.")
            return false
        }
        receivedBytes += Int64(bytes.count)
        if receiver.receive(bytes) { return true }
        verdict = error(.cancelled, "The receiver of the answer from \(request.origin) wants no more of it.")
        return false
    }

    /// Fills `buffer` with the next bytes of the body; returns their number or one of libcurl's codes.
    func giveBody(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard let body = request.body, sentBytes < body.count else { return 0 }
        if isAnsweredEarly { return Int(CURL_READFUNC_PAUSE) }
        let wanted = min(buffer.count, Int(clamping: body.count - sentBytes))
        let given = body.copy(from: sentBytes, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]))
        guard given > 0, given <= wanted else {
            verdict = error(.invalidRequest, "The request's body ended before its length.")
            return Int(CURL_READFUNC_ABORT)
        }
        // With something in the socket, which may be an answer, libcurl must read before it writes on: a server that
        // refuses and closes makes writing fail, and libcurl would report that instead of the answer. Looked at last,
        // so that next to no time is left between here and the write; these bytes are given again then. Not so where
        // only the end stands there: libcurl reads an end once, then asks for the body again and again.
        if !head.isComplete, let easy, let socket = easy.socket {
            easy.sockets.note(self, sendsOver: socket)
            switch ccurl_socket_input(socket) {
            case CCURL_INPUT_BYTES:
                held?.exchanges.append(self)
                return Int(CURL_READFUNC_PAUSE)
            case CCURL_INPUT_END:
                isClosedUnanswered = true
                return Int(CURL_READFUNC_ABORT)
            default: break
            }
        }
        sentBytes += Int64(given)
        return given
    }

    /// Goes to `offset` of the body, for a second try on a fresh connection.
    func seekBody(to offset: Int64) -> Bool {
        guard let body = request.body else { return offset == 0 }
        guard (0...body.count).contains(offset) else { return false }
        sentBytes = offset
        isClosedUnanswered = false
        return true
    }
}

/// The exchanges whose body waits: until libcurl has read what arrived, or for ever as the answer is there already.
final class HeldBodies {
    var exchanges: [Exchange] = []
}
