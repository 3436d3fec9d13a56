import Glibc

/// What goes back for one request.
struct Reply {
    enum Body {
        case none
        case bytes(Bytes)
        /// A stretch of an open file; whoever sends it closes the descriptor.
        case file(descriptor: Int32, offset: UInt64, length: UInt64)
        /// A stretch of an object that lies in several files.
        case pieces(PieceReader, offset: UInt64, length: UInt64)
        /// Only the length, for HEAD.
        case lengthOnly(UInt64)

        /// The value of Content-Length.
        var length: UInt64 {
            switch self {
            case .none: 0
            case .bytes(let bytes): UInt64(bytes.count)
            case .file(_, _, let length): length
            case .pieces(_, _, let length): length
            case .lengthOnly(let length): length
            }
        }
    }

    var status: Int
    var headers = Fields()
    var body: Body = .none

    init(_ status: Int) { self.status = status }

    /// A reply with an XML document.
    static func xml(_ status: Int, _ document: XMLWriter) -> Reply {
        var reply = Reply(status)
        reply.headers.append("Content-Type", Bytes("application/xml"))
        reply.body = .bytes(document.bytes)
        return reply
    }

    static func json(_ status: Int, _ bytes: Bytes) -> Reply {
        var reply = Reply(status)
        reply.headers.append("Content-Type", Bytes("application/json"))
        reply.body = .bytes(bytes)
        return reply
    }

    static func text(_ status: Int, _ bytes: Bytes) -> Reply {
        var reply = Reply(status)
        reply.headers.append("Content-Type", Bytes("text/plain; charset=utf-8"))
        reply.body = .bytes(bytes)
        return reply
    }
}

/// Takes the body of a request as it arrives; of one thread at a time.
protocol BodyReceiver: AnyObject {
    /// Takes the next piece, which is gone after the call. Throws to refuse the rest.
    func receive(_ bytes: UnsafeRawBufferPointer) throws
    /// Called once, after the last piece: does the operation and answers.
    func finish() throws -> Reply
    /// Called instead of `finish` when the body won't come to its end: leaves nothing behind.
    func abandon()
}

/// What an operation does on seeing the head of its request.
enum Work {
    /// Done; a body that may follow is passed over.
    case reply(Reply)
    /// Wants the body.
    case receive(any BodyReceiver)
}

/// A body kept in memory up to a limit, for the small documents that some operations take.
final class DocumentReceiver: BodyReceiver {
    private var bytes: Bytes = []
    private let limitBytes: Int
    private let answer: (Bytes) throws -> Reply

    init(limitBytes: Int, answer: @escaping (Bytes) throws -> Reply) {
        self.limitBytes = limitBytes
        self.answer = answer
    }

    func receive(_ piece: UnsafeRawBufferPointer) throws {
        guard bytes.count + piece.count <= limitBytes else {
            throw ServiceError.malformedXML("The document in the body is too large.")
        }
        bytes.append(contentsOf: piece)
    }

    func finish() throws -> Reply { try answer(bytes) }

    func abandon() { bytes = [] }
}

extension Reply {
    /// Gives back what a reply that won't be sent holds.
    func discard() {
        if case .file(let descriptor, _, _) = body { close(descriptor) }
    }
}
