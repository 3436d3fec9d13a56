import CFuse
import Glibc
import Instrumentation
import Runtime

/// The threads that read requests from the device until the kernel ends the connection.
final class ReceivingLoop: Sendable {
    /// Eight: they never wait, so a few per core are enough to keep the device empty while some copy writes.
    static let threads = 8
    /// 512 KiB: a callback runs the core's answer from memory on this stack.
    private static let stackBytes = 512 * 1024

    private struct State {
        var running = 0
        var abandonAt = Deadline.never
    }

    // Guards how many threads run; a leaf.
    private let state = Locked(State())
    private let connection: FuseConnection
    private let whenReady: @Sendable () -> Void

    /// - Parameter whenReady: called once by a receiving thread, when the kernel has its answer to INIT; must not block.
    init(connection: FuseConnection, whenReady: @escaping @Sendable () -> Void) {
        self.connection = connection
        self.whenReady = whenReady
    }

    /// Starts the threads and returns when all have ended (true) or `abandon` gave them up (false).
    func run() throws(FuseMountError) -> Bool {
        state.withLock { $0.running = Self.threads }
        for number in 0..<Self.threads where !start() {
            let missing = Self.threads - number
            state.withLock { $0.running -= missing }
            if number == 0 { throw .noThreads }
            connection.log(.warning, "fuse.few_threads", [LogField("missing", missing)])
            break
        }
        // Until all have ended or the time to abandon them is known; then until that.
        let limit = state.wait(until: .never) { $0.running == 0 || $0.abandonAt != .never ? $0.abandonAt : nil }
        return state.wait(until: limit ?? .never) { $0.running == 0 ? true : nil } ?? false
    }

    /// Lets `run` return after `delay` though threads may still be blocked in the device; they end with the process.
    func abandon(after delay: Duration) {
        state.withLock { $0.abandonAt = .after(delay) }
        state.wakeAll()
    }

    private func start() -> Bool {
        PlainThread.start(name: "fuse-receive", stackBytes: Self.stackBytes) {
            self.receive()
            self.state.withLock { $0.running -= 1 }
            self.state.wakeAll()
        }
    }

    private func receive() {
        guard let session = connection.session else { return }
        var buffer = fuse_buf()
        // libfuse allocates it at the first use, 1 MiB and a page.
        defer { free(buffer.mem) }
        while fuse_session_exited(session) == 0 {
            let count = fuse_session_receive_buf(session, &buffer)
            if count == -EINTR || count == -EAGAIN { continue }
            if count < 0 { connection.log(.error, "fuse.device_failed", [LogField("errno", -count)]) }
            if count <= 0 { return }
            fuse_session_process_buf(session, &buffer)
            let message = FuseConnection.takeMessage()
            if !message.isEmpty { connection.log(.warning, "fuse.library", [LogField("message", message)]) }
            if cfuse_current().opcode == UInt32(CFUSE_INIT) { whenReady() }
        }
    }
}
