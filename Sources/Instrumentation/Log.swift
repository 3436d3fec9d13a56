import Glibc
import Runtime

/// How much an event matters.
package enum LogLevel: Int, Comparable, Sendable, CaseIterable {
    /// Every request and reply.
    case debug
    /// What an operator wants to have read once: started, mounted, drained.
    case info
    /// What an operator can mend, or what costs speed.
    case warning
    /// Data at risk, or an operation that failed for good.
    case error

    package static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }

    /// The word in the log and in the `log-level` option.
    package var word: StaticString {
        switch self {
        case .debug: "debug"
        case .info: "info"
        case .warning: "warning"
        case .error: "error"
        }
    }
}

/// One named value of an event.
package struct LogField: Sendable {
    package let name: StaticString
    package let value: [UInt8]

    package init(_ name: StaticString, _ value: [UInt8]) {
        self.name = name
        self.value = value
    }

    package init(_ name: StaticString, _ value: String) { self.init(name, Array(value.utf8)) }

    package init(_ name: StaticString, _ value: some BinaryInteger) { self.init(name, String(value)) }
}

/// Where lines go. `write` gets whole lines with their line feed, may be called from any thread, must not block for long.
package protocol LogSink: Sendable {
    func write(_ line: [UInt8], level: LogLevel)
}

/// The log: a level, a sink, and nothing else.
package struct Log: Sendable {
    package let level: LogLevel
    private let sink: any LogSink

    package init(level: LogLevel, sink: any LogSink) {
        self.level = level
        self.sink = sink
    }

    /// Writes one line, `TIME LEVEL event name=value …`, if `level` is at or above the log's.
    package func callAsFunction(_ level: LogLevel, _ event: StaticString, _ fields: [LogField] = []) {
        guard level >= self.level else { return }
        sink.write(LogLine.text(time: WallTime.now, level: level, event: event, fields: fields), level: level)
    }

    /// A log that says nothing, for tests and tools.
    package static let silent = Log(level: .error, sink: DiscardingSink())

    private struct DiscardingSink: LogSink {
        func write(_ line: [UInt8], level: LogLevel) {}
    }
}
