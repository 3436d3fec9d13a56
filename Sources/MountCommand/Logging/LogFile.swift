import Glibc
import Instrumentation

/// Writes each line to a descriptor by one write(2), so that lines of several threads never mix.
struct DescriptorSink: LogSink {
    let descriptor: Int32

    func write(_ line: [UInt8], level: LogLevel) { DescriptorWriting.writeAll(line, to: descriptor) }
}

/// A log file: appended to, readable by its owner alone, opened anew after somebody moved it away.
struct LogFile: Sendable {
    private let path: [UInt8]
    let descriptor: Int32

    /// Opens or makes the file; `path` must be absolute, as the daemon leaves its folder.
    init(_ path: [UInt8]) throws(CommandError) {
        descriptor = Self.open(path)
        guard descriptor >= 0 else {
            throw CommandError(
                .usage, "the log file \(printable(path)) can't be opened: \(SystemError.text(errno))",
                remedy: "choose another with --log-file")
        }
        self.path = path
    }

    var sink: DescriptorSink { DescriptorSink(descriptor: descriptor) }

    /// Opens the path anew under the same descriptor, which writers never see closed; keeps the old file where that
    /// fails.
    func reopen() {
        let fresh = Self.open(path)
        guard fresh >= 0 else { return }
        dup2(fresh, descriptor)
        // dup2 takes the mark away, and what we start must not inherit the log.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        close(fresh)
    }

    private static func open(_ path: [UInt8]) -> Int32 {
        // 0600: keys of objects are in it.
        withPath(path) { Glibc.open($0, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0o600) }
    }
}
