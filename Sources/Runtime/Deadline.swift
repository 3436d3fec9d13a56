import Glibc

/// A point on the monotonic clock after which a wait ends.
package struct Deadline: Comparable, Hashable, Sendable {
    /// Nanoseconds of CLOCK_MONOTONIC.
    package let nanoseconds: UInt64

    /// The deadline that never passes: only for waits that something else is certain to end.
    package static let never = Deadline(nanoseconds: .max)

    package init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

    /// The present moment of the monotonic clock.
    package static var now: Deadline {
        var time = Glibc.timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Deadline(nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
    }

    /// `duration` from now; a negative duration has passed already, one of centuries is `never`.
    package static func after(_ duration: Duration) -> Deadline { now.advanced(by: duration) }

    package func advanced(by duration: Duration) -> Deadline {
        let (seconds, attoseconds) = duration.components
        guard seconds >= 0, attoseconds >= 0 else { return self }
        let (wholeNanoseconds, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, sumOverflow) = nanoseconds.addingReportingOverflow(wholeNanoseconds)
        let (total, totalOverflow) = sum.addingReportingOverflow(UInt64(attoseconds / 1_000_000_000))
        return overflow || sumOverflow || totalOverflow ? .never : Deadline(nanoseconds: total)
    }

    package var hasPassed: Bool { self != .never && Deadline.now >= self }

    /// The time left, zero once passed; for `never`, as long as a Duration in nanoseconds can say.
    package var remaining: Duration {
        let present = Deadline.now.nanoseconds
        guard nanoseconds > present else { return .zero }
        return .nanoseconds(Int64(clamping: nanoseconds - present))
    }

    package static func < (left: Deadline, right: Deadline) -> Bool { left.nanoseconds < right.nanoseconds }

    /// The same point for pthread calls on CLOCK_MONOTONIC.
    var timespec: Glibc.timespec {
        Glibc.timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    }
}
