import Runtime
import Testing

@testable import Instrumentation

@Suite struct LogTests {
    private func line(_ fields: [LogField]) -> String {
        let time = WallTime(seconds: 1_790_000_000, nanoseconds: 5_000_000)
        let bytes = LogLine.text(time: time, level: .warning, event: "something happened", fields: fields)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("a line is time, level, event and fields")
    func form() {
        #expect(
            line([LogField("count", 3), LogField("key", "a/b.jpg")])
                == "2026-09-21T14:13:20.005Z warning something happened count=3 key=a/b.jpg\n")
    }

    @Test("a value can't forge a line or a field: blanks, quotes and control bytes are quoted or escaped")
    func escapes() {
        #expect(line([LogField("key", "a b")]).hasSuffix(" key=\"a b\"\n"))
        #expect(line([LogField("key", "a\r\nb\"c\\")]).hasSuffix(" key=\"a\\x0d\\x0ab\\x22c\\x5c\"\n"))
        #expect(line([LogField("key", "")]).hasSuffix(" key=\"\"\n"))
    }

    @Test("text in UTF-8 stays readable, bytes that aren't text are escaped")
    func bytes() {
        #expect(line([LogField("key", "中文")]).hasSuffix(" key=\"中文\"\n"))
        #expect(line([LogField("key", [0x61, 0xFF])]).hasSuffix(" key=\"a\\xff\"\n"))
    }

    @Test("events below the log's level are not written")
    func level() {
        final class Counter: LogSink {
            let lines = Locked(0)
            func write(_ line: [UInt8], level: LogLevel) { lines.withLock { $0 += 1 } }
        }
        let counter = Counter()
        let log = Log(level: .warning, sink: counter)
        log(.info, "a")
        log(.warning, "b")
        log(.error, "c")
        #expect(counter.lines.withLock { $0 } == 2)
    }

    @Test("a moment's name is its date in UTC")
    func compact() {
        #expect(WallTime(seconds: 1_790_000_000).compact == "20260921T141320Z")
    }
}
