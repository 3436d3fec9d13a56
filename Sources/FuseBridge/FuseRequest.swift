import CFuse
import FileSystemCore
import Glibc
import Instrumentation
import Runtime
import Synchronization

/// One request of the kernel, answered exactly once: by the core's reply, by the interrupt watcher, or, when the reply
/// closure is dropped unused, with EIO.
final class FuseRequest: @unchecked Sendable {
    // Unchecked: `request` is used only by the one who turned `isAnswered`, and libfuse frees it with the answer.
    let unique: UInt64
    let opcode: UInt32
    /// The calling thread, or 0.
    let pid: Int32
    let cancellation = Cancellation()
    private let request: fuse_req_t
    /// Keeps libfuse's session alive until the answer.
    private let connection: FuseConnection
    private let answered = Atomic<Bool>(false)

    init(request: fuse_req_t, head: cfuse_head, connection: FuseConnection) {
        unique = head.unique
        opcode = head.opcode
        pid = head.pid
        self.request = request
        self.connection = connection
    }

    var isAnswered: Bool { answered.load(ordering: .acquiring) }

    /// Sends the answer if none was sent; false if one was, or if the kernel no longer wants it.
    func answer(_ send: (fuse_req_t) -> Int32) -> Bool {
        guard !answered.exchange(true, ordering: .acquiringAndReleasing) else { return false }
        return send(request) == 0
    }

    func fail(_ errno: Int32) -> Bool {
        // The kernel takes 1 to 511 and calls the rest a broken daemon.
        answer { fuse_reply_err($0, (1...511).contains(errno) ? errno : EIO) }
    }

    /// The caller is being killed: EINTR, and what works for the request ends early.
    func interrupt() {
        let wasOpen = fail(EINTR)
        cancellation.cancel()
        if wasOpen { connection.log(.debug, "fuse.interrupted", [LogField("opcode", opcode), LogField("pid", pid)]) }
    }

    fileprivate func failIfDropped() {
        guard !isAnswered, fail(EIO) else { return }
        connection.log(.error, "fuse.reply_dropped", [LogField("opcode", opcode)])
    }
}

/// What reply closures hold: when the last of them goes, so does the last chance of an answer.
private final class ReplyToken: Sendable {
    let request: FuseRequest
    init(_ request: FuseRequest) { self.request = request }
    deinit { request.failIfDropped() }
}

/// A request as a callback needs it.
struct IncomingRequest {
    let fileSystem: any FileSystemOperations
    let context: OperationContext
    let connection: FuseConnection
    let request: FuseRequest
    private let token: ReplyToken

    /// Nil where it had to be refused, which is done then.
    init?(_ request: fuse_req_t?) {
        guard let request else { return nil }
        guard let userdata = fuse_req_userdata(request), let caller = fuse_req_ctx(request)?.pointee else {
            fuse_reply_err(request, EIO)
            return nil
        }
        connection = Unmanaged<FuseConnection>.fromOpaque(userdata).takeUnretainedValue()
        guard let fileSystem = connection.fileSystem else {
            fuse_reply_err(request, EIO)
            return nil
        }
        self.fileSystem = fileSystem
        self.request = FuseRequest(request: request, head: cfuse_current(), connection: connection)
        token = ReplyToken(self.request)
        context = OperationContext(
            caller: Caller(uid: caller.uid, gid: caller.gid, pid: caller.pid, umask: caller.umask),
            cancellation: self.request.cancellation)
        connection.requests.attach(self.request)
    }

    /// A reply that sends a success by `send`, which calls one of fuse_reply_….
    func reply<Value>(_ send: @escaping @Sendable (fuse_req_t, Value) -> Int32) -> Reply<Value> {
        let token = token
        return { result in
            switch result {
            case .success(let value): return token.request.answer { send($0, value) }
            case .failure(let error): return token.request.fail(error.errno)
            }
        }
    }

    /// A reply that has nothing to say but done.
    func reply() -> Reply<Void> { reply { request, _ in fuse_reply_err(request, 0) } }
}
