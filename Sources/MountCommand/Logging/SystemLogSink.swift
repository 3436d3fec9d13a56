import CRuntime
import Glibc
import Instrumentation

/// Writes lines to syslog, which journald reads too.
struct SystemLogSink: LogSink {
    /// Lives for ever, as syslog keeps the pointer.
    private static let name: StaticString = "ossmount"

    init() {
        Self.name.withUTF8Buffer { buffer in
            // A StaticString ends in a NUL, which its buffer doesn't count.
            buffer.baseAddress?.withMemoryRebound(to: CChar.self, capacity: buffer.count + 1) {
                cruntime_open_syslog($0)
            }
        }
    }

    func write(_ line: [UInt8], level: LogLevel) {
        // syslog ends its lines by itself.
        let text = line.last == UInt8(ascii: "\n") ? Array(line.dropLast()) : line
        withPath(text) { cruntime_syslog(priority(of: level), $0) }
    }

    private func priority(of level: LogLevel) -> Int32 {
        switch level {
        case .debug: LOG_DEBUG
        case .info: LOG_INFO
        case .warning: LOG_WARNING
        case .error: LOG_ERR
        }
    }
}
