import CRuntime
import Glibc

/// Detached threads of the system.
package enum PlainThread {
    private final class Start {
        let name: String
        let body: @Sendable () -> Void
        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// Starts a detached thread with every signal blocked (a thread of its own waits for signals).
    ///
    /// - Parameter stackBytes: the size of its stack, at least 16 KiB.
    /// - Returns: false where the system has no room for another thread.
    package static func start(name: String, stackBytes: Int, _ body: @escaping @Sendable () -> Void) -> Bool {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, stackBytes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        var every = sigset_t()
        var previous = sigset_t()
        sigfillset(&every)
        pthread_sigmask(SIG_SETMASK, &every, &previous)
        defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
        let start = Unmanaged.passRetained(Start(name: name, body: body))
        var thread = pthread_t()
        let result = pthread_create(
            &thread, &attributes,
            { argument in
                guard let argument else { return nil }
                let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
                cruntime_set_thread_name(start.name)
                start.body()
                return nil
            }, start.toOpaque())
        if result != 0 { start.release() }
        return result == 0
    }
}
