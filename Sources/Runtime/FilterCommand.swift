import CRuntime
import Glibc

/// Why a command gave no output.
package enum FilterError: Error, Sendable, Hashable {
    /// It couldn't be started.
    case notStarted(errno: Int32)
    case timedOut
    /// It wrote more than the limit.
    case tooLarge
    /// It ended with this status other than 0; 128 and the signal's number where a signal ended it, as shells say it.
    case failed(status: Int32)
}

/// Runs commands that turn bytes into other bytes.
package enum FilterCommand {
    /// What `arguments[0]`, found by PATH, writes to its standard output when it reads `input`; blocks.
    ///
    /// No shell is between. Its standard error is dropped. At the deadline, or past the limit, it is killed with all that
    /// it has started in its process group. The input is never in a file system.
    ///
    /// - Parameter maximumBytes: of output.
    package static func run(
        _ arguments: [[UInt8]], input: [UInt8], maximumBytes: Int, deadline: Deadline
    ) throws(FilterError) -> [UInt8] {
        let file = input.withUnsafeBytes { cruntime_memory_file($0.baseAddress, $0.count) }
        guard file >= 0 else { throw .notStarted(errno: errno) }
        defer { close(file) }
        var ends: [Int32] = [-1, -1]
        guard cruntime_pipe(&ends) == 0 else { throw .notStarted(errno: errno) }
        defer { close(ends[0]) }
        let started = start(arguments, file, ends[1])
        // Else the end of its output would never come.
        close(ends[1])
        let child = try started.get()
        var outcome = output(ends[0], maximumBytes, deadline)
        if case .success = outcome {
            // It may go on without its output.
            guard let status = status(child, until: deadline) else {
                end(child)
                throw .timedOut
            }
            if status != 0 { outcome = .failure(.failed(status: status)) }
        } else {
            end(child)
        }
        return try outcome.get()
    }

    private static func start(_ arguments: [[UInt8]], _ input: Int32, _ output: Int32) -> Result<Int32, FilterError> {
        guard !arguments.isEmpty else { return .failure(.notStarted(errno: ENOENT)) }
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { word in
            strdup(word.map { CChar(bitPattern: $0) } + [0])
        }
        words.append(nil)
        defer { for word in words { free(word) } }
        var child: Int32 = 0
        let error = cruntime_start_filter(&words, input, output, &child)
        return error == 0 ? .success(child) : .failure(.notStarted(errno: error))
    }

    private static func output(
        _ pipe: Int32, _ maximumBytes: Int, _ deadline: Deadline
    ) -> Result<[UInt8], FilterError> {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            var waiting = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
            let milliseconds = deadline.remaining / .milliseconds(1)
            if milliseconds <= 0 { return .failure(.timedOut) }
            // Rounded up, so that the last turn doesn't spin.
            let ready = poll(&waiting, 1, Int32(min(milliseconds.rounded(.up), 60_000)))
            if ready < 0 && errno != EINTR { return .failure(.notStarted(errno: errno)) }
            if ready <= 0 { continue }
            let count = read(pipe, &chunk, chunk.count)
            if count < 0 && errno == EINTR { continue }
            if count < 0 { return .failure(.notStarted(errno: errno)) }
            if count == 0 { return .success(bytes) }
            bytes += chunk[..<count]
            if bytes.count > maximumBytes { return .failure(.tooLarge) }
        }
    }

    /// Nil at the deadline.
    private static func status(_ child: Int32, until deadline: Deadline) -> Int32? {
        var word: Int32 = 0
        while true {
            let ended = waitpid(child, &word, WNOHANG)
            if ended == child { return word & 0x7F == 0 ? (word >> 8) & 0xFF : 128 + (word & 0x7F) }
            // Somebody else has reaped it: its output is all there is to judge by.
            if ended < 0 && errno != EINTR { return 0 }
            if deadline.hasPassed { return nil }
            // 2 ms: most end with their output.
            usleep(2000)
        }
    }

    private static func end(_ child: Int32) {
        kill(-child, SIGKILL)
        var word: Int32 = 0
        while waitpid(child, &word, 0) < 0 && errno == EINTR {}
    }
}
