import CFuse
import FileSystemCore
import Glibc
import Instrumentation
import Runtime

/// libfuse's session with everything that its callbacks need; lives as long as a thread serves it or a request of it is
/// unanswered, and closes the device at its end.
final class FuseConnection: @unchecked Sendable {
    // Unchecked: `session` is set once at the end of init, `fileSystem` once before the first receiving thread is made;
    // libfuse's session itself may be used by any thread.
    private(set) var session: OpaquePointer?
    private(set) var fileSystem: (any FileSystemOperations)?
    let log: Log
    let requests = RequestTable()
    let watcher: InterruptWatcher

    private struct Handshake {
        /// The INIT request as it came: who takes the descriptor over gets no second one.
        var request: [UInt8] = []
        var missingFlags: UInt32 = 0
    }

    // Guards the INIT request; a leaf.
    private let handshake = Locked(Handshake())

    /// Throws `refused` with libfuse's words where it doesn't know an option.
    init(arguments: [String], log: Log) throws(FuseMountError) {
        self.log = log
        watcher = InterruptWatcher(requests: requests)
        cfuse_collect_messages()
        var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
        defer { for pointer in pointers { free(pointer) } }
        var operations = OperationTable.make()
        let userdata = Unmanaged.passUnretained(self).toOpaque()
        let made = pointers.withUnsafeMutableBufferPointer { buffer in
            // libfuse copies the arguments before it changes them, and owns the copies.
            var list = fuse_args(argc: Int32(buffer.count), argv: buffer.baseAddress, allocated: 0)
            defer { fuse_opt_free_args(&list) }
            return fuse_session_new(&list, &operations, MemoryLayout<fuse_lowlevel_ops>.size, userdata)
        }
        guard let made else { throw .refused(message: Self.takeMessage()) }
        session = made
    }

    deinit {
        // Closes the device too: the kernel then aborts what is left of the connection.
        if let session { fuse_session_destroy(session) }
    }

    /// Mounts, and puts our hooks between libfuse and the device.
    func mount(at path: [UInt8]) throws(FuseMountError) {
        guard let session else { throw .notMounted }
        guard fuse_session_mount(session, terminated(path)) == 0 else {
            throw .refused(message: Self.takeMessage())
        }
        var hooks = DeviceHooks.make()
        let result = fuse_session_custom_io(session, &hooks, fuse_session_fd(session))
        guard result == 0 else { throw .refused(message: describe(errno: -result)) }
    }

    /// To be called once, before any thread receives.
    func serve(_ fileSystem: any FileSystemOperations) { self.fileSystem = fileSystem }

    var descriptor: Int32 { session.map { fuse_session_fd($0) } ?? -1 }

    func noteHandshake(_ request: UnsafeRawBufferPointer) {
        let bytes = Array(request)
        let missing = cfuse_missing_init_flags(request.baseAddress, request.count)
        handshake.withLock { $0 = Handshake(request: bytes, missingFlags: missing) }
    }

    /// What the kernel offers and libfuse doesn't answer. FUSE_HANDLE_KILLPRIV_V2: the kernel leaves suid and sgid to the
    /// file system, says with each write whether they must go, and stops asking for `security.capability` before writes.
    /// FUSE_PARALLEL_DIROPS: without it lookups in one directory wait for each other, in a way that no signal ends.
    var missingFlags: UInt32 { handshake.withLock { $0.missingFlags } }

    /// The INIT request as the kernel sent it; empty until it came.
    var initRequest: [UInt8] { handshake.withLock { $0.request } }

    /// libfuse's last message on this thread, or nothing.
    static func takeMessage() -> String {
        guard let text = cfuse_take_message() else { return "" }
        return words(UnsafeRawBufferPointer(start: text, count: strlen(text)))
    }
}
