import HTTPTransport
import ObjectStore

extension OSSClient {
    package func process(
        _ key: ObjectKey, _ instructions: [UInt8], into receiver: any StreamReceiver, _ context: RequestContext
    ) throws(ObjectStoreError) {
        // Never with a range: it would be of a stream that is made anew each time.
        let sent = OSSRequest(
            operation: .getObject, method: "GET", key: key, query: [QueryItem("x-oss-process", instructions)],
            transferBytes: nil)
        try repeating(.getObject, key, context) { (state) throws(AttemptFailure) in
            guard !instructions.isEmpty else {
                throw state.failure(.invalidRequest, .never, "there is nothing to do with the object")
            }
            let exchange = StreamExchange(receiver)
            do throws(AttemptFailure) {
                try send(sent, into: exchange, &state) { exchange.head }
            } catch {
                var failure = error
                if exchange.isStopped {
                    failure = state.failure(.cancelled, .never, "the receiver wants no more")
                } else if exchange.hasBegun {
                    // What was handed on can't be taken back, and another run may give other bytes.
                    failure.repetition = .byCaller
                }
                throw failure
            }
            try exchange.finish(state)
        }
    }
}

/// Hands the body of a good answer on, and keeps that of an error.
final class StreamExchange: HTTPResponseReceiver, @unchecked Sendable {
    // Unchecked: the transport calls one after the other, and the caller looks only once the exchange has ended.
    private let receiver: any StreamReceiver
    private var errorBody: [UInt8] = []
    private(set) var head: HTTPResponseHead?
    private(set) var isStopped = false

    init(_ receiver: any StreamReceiver) { self.receiver = receiver }

    /// Whether the receiver was told of a good answer.
    var hasBegun: Bool { head.map { (200...299).contains($0.status) } ?? false }

    func begin(_ head: HTTPResponseHead) {
        self.head = head
        if hasBegun { receiver.begin(contentType: head.value(of: "Content-Type")) }
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard hasBegun else {
            errorBody.append(contentsOf: bytes.prefix(ErrorResponse.maximumBodyBytes - errorBody.count))
            return true
        }
        isStopped = !receiver.receive(bytes)
        return !isStopped
    }

    /// Throws where the answer was an error.
    func finish(_ state: CallState) throws(AttemptFailure) {
        guard let head else { throw state.failure(.unavailable, .backoff, "there was no answer") }
        guard !hasBegun else { return }
        throw AttemptFailure(
            ErrorResponse(head: head, body: errorBody, hasKey: true), state.operation, state.key)
    }
}
