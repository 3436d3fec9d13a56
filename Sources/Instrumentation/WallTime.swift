import Glibc
import Runtime

/// A moment of civil time: seconds and nanoseconds since 1970 in UTC.
package struct WallTime: Hashable, Comparable, Sendable {
    package var seconds: Int64
    /// 0 up to 999,999,999, also before 1970.
    package var nanoseconds: UInt32

    package init(seconds: Int64, nanoseconds: UInt32 = 0) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    /// The machine's clock, which may be wrong: never compared with a server's times without correction.
    package static var now: WallTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(seconds: Int64(time.tv_sec), nanoseconds: UInt32(time.tv_nsec))
    }

    package static func < (left: WallTime, right: WallTime) -> Bool {
        (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    }

    /// `2026-09-21T14:13:20.123Z`, by glibc.
    var iso8601: [UInt8] {
        var time = time_t(seconds)
        var fields = tm()
        gmtime_r(&time, &fields)
        var text = [CChar](repeating: 0, count: 32)
        let length = strftime(&text, text.count, "%Y-%m-%dT%H:%M:%S", &fields)
        let milliseconds = nanoseconds / 1_000_000
        let fraction = String(milliseconds + 1000).utf8.dropFirst()
        return text[..<length].map { UInt8(bitPattern: $0) } + [UInt8(ascii: ".")] + fraction + [UInt8(ascii: "Z")]
    }
}

/// The clocks, as a value that tests replace by one they move by hand.
package protocol Clock: Sendable {
    /// The monotonic clock, for ages and expiry.
    var monotonic: Deadline { get }
    /// Civil time, for new files' times.
    var wall: WallTime { get }
}

/// The machine's clocks.
package struct SystemClock: Clock {
    package init() {}
    package var monotonic: Deadline { .now }
    package var wall: WallTime { .now }
}

extension WallTime {
    /// `20260921T141320Z`, by glibc; for names.
    package var compact: String {
        var time = time_t(seconds)
        var fields = tm()
        gmtime_r(&time, &fields)
        var text = [CChar](repeating: 0, count: 32)
        let length = strftime(&text, text.count, "%Y%m%dT%H%M%SZ", &fields)
        return String(validating: text[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self) ?? ""
    }
}
