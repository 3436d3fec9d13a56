import Glibc
import Runtime

/// Signals as events of one thread, so that their handling may lock, log and write.
enum Signals {
    /// TERM and INT end the mount; HUP opens the log anew.
    private static var handled: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&set, signal) }
        return set
    }

    /// Holds the signals back in this thread and in those it will start; call before the first thread and before the
    /// mount, so that none can end the process with a mount standing. SIGPIPE and SIGXFSZ are ignored: a closed connection
    /// and a file past `ulimit -f` are errnos.
    static func block() {
        var set = handled
        pthread_sigmask(SIG_BLOCK, &set, nil)
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Undoes `block`, for a start that failed.
    static func unblock() {
        var set = handled
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    /// Starts the thread that takes them: `stop` runs for each TERM and INT, `hangUp` for each HUP.
    static func startThread(
        stop: @escaping @Sendable () -> Void, hangUp: @escaping @Sendable () -> Void
    ) -> Bool {
        PlainThread.start(name: "signals", stackBytes: 256 * 1024) {
            var set = handled
            while true {
                var number: Int32 = 0
                guard sigwait(&set, &number) == 0 else { continue }
                if number == SIGHUP { hangUp() } else { stop() }
            }
        }
    }
}
