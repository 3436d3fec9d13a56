import CRuntime
import Glibc

/// The step into the background, our own: the parent must wait for the child's word before it may exit with success,
/// which libfuse's daemonise can't do.
enum Background {
    enum Side {
        /// The process that the user started; `report` is where the child's word comes from.
        case parent(child: Int32, report: Int32)
        /// The process that serves; `report` is where its word goes.
        case child(report: Int32)
    }

    /// Forks. Must come before the first thread: no thread lives on in the child, and the mount would hang.
    static func fork() throws(CommandError) -> Side {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw problem("a pipe", errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let child = cruntime_fork()
        if child < 0 {
            let number = errno
            close(ends[0])
            close(ends[1])
            throw problem("a process", number)
        }
        if child > 0 {
            close(ends[1])
            return .parent(child: child, report: ends[0])
        }
        close(ends[0])
        // A session of its own: the terminal's hang-up and Ctrl-C don't reach it.
        setsid()
        // No folder is kept busy.
        _ = chdir("/")
        return .child(report: ends[1])
    }

    /// Leaves the terminal: input and output are `/dev/null`, or output goes to `log`, where the runtime's last words in
    /// a crash are read.
    static func leaveTerminal(log: Int32?) {
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        guard null >= 0 else { return }
        dup2(null, STDIN_FILENO)
        dup2(log ?? null, STDOUT_FILENO)
        dup2(log ?? null, STDERR_FILENO)
        if null > STDERR_FILENO { close(null) }
    }

    /// Closes what the shell or a script had open, but for `kept`: a lock or a pipe that the serving process kept would
    /// stay taken as long as the mount stands.
    static func closeInherited(keeping kept: [Int32]) {
        guard let directory = opendir("/proc/self/fd") else { return }
        var inherited: [Int32] = []
        while let entry = readdir(directory) {
            let number = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { atoi($0) }
            }
            if number > STDERR_FILENO, number != dirfd(directory), !kept.contains(number) { inherited.append(number) }
        }
        closedir(directory)
        for number in inherited { close(number) }
    }

    private static func problem(_ thing: String, _ number: Int32) -> CommandError {
        CommandError(.failure, "\(thing) for the background can't be made: \(SystemError.text(number))")
    }
}
