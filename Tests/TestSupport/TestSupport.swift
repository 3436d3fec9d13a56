import Glibc
import Instrumentation
import Runtime

// TestSupport: what the tests of more than one module stand on.
//
// Stores: `MemoryObjectStore`, an object store in memory that keeps OSS's rules and counts its requests;
// `FaultyObjectStore`, which wraps any store and gives errors, cut bodies and waits on demand. Contract: the cases that
// every store passes, as functions over `any ObjectStore`. Doubles: `ManualClock`, `RecordingLog`. Processes: child
// programs in groups of their own with a deadline, the server and the mount as fixtures, and the official SDKs as
// independent judges of what is in the bucket.
//
// Invariants. Nothing here sleeps to wait for something: `eventually` and `Gate` wait for a condition with a deadline.
// No process that runs tests calls into a mount: whatever touches one is a child with a deadline, since a mount that
// hangs leaves its callers where no signal reaches them. Each fixture takes down what it put up, also after a failure:
// unmounts, kills its processes by their group, removes its folders. Random choices come from a fixed seed.
//
// Not here: anything of the product, and no knowledge of how a module works inside.
//
// Failure: a helper that can't do its work throws `TestFailure`, which says what was done and what came of it.

/// Why a helper could not do what a test asked, or a case of a contract is not met.
package struct TestFailure: Error, Sendable, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}

/// Waits until `condition` holds, looking every few milliseconds; false once `limit` has passed.
package func eventually(within limit: Duration, _ condition: () throws -> Bool) rethrows -> Bool {
    let deadline = Deadline.after(limit)
    while true {
        if try condition() { return true }
        if deadline.hasPassed { return false }
        usleep(5_000)
    }
}

/// A clock that stands still until a test moves it.
package final class ManualClock: Clock {
    private struct State {
        var monotonic: Deadline
        var wall: WallTime
    }

    private let state: Locked<State>

    /// Starts a second after the machine's start and at `wall`, by default on 21 September 2026.
    package init(wall: WallTime = WallTime(seconds: 1_790_000_000)) {
        state = Locked(State(monotonic: Deadline(nanoseconds: 1_000_000_000), wall: wall))
    }

    package var monotonic: Deadline { state.withLock { $0.monotonic } }
    package var wall: WallTime { state.withLock { $0.wall } }

    /// Moves both clocks forward.
    package func advance(by duration: Duration) {
        state.withLock { state in
            state.monotonic = state.monotonic.advanced(by: duration)
            let (seconds, attoseconds) = duration.components
            let nanoseconds = Int64(state.wall.nanoseconds) + attoseconds / 1_000_000_000
            state.wall = WallTime(
                seconds: state.wall.seconds + seconds + nanoseconds / 1_000_000_000,
                nanoseconds: UInt32(nanoseconds % 1_000_000_000))
        }
    }

    /// Sets civil time alone, as an operator or a time server does.
    package func setWall(_ time: WallTime) { state.withLock { $0.wall = time } }
}

/// A sink that keeps every line.
package final class RecordingLog: LogSink {
    private let lines = Locked<[(level: LogLevel, text: String)]>([])

    package init() {}

    /// A log that writes here, from debug up.
    package var log: Log { Log(level: .debug, sink: self) }

    package func write(_ line: [UInt8], level: LogLevel) {
        let text = String(decoding: line, as: UTF8.self)
        lines.withLock { $0.append((level, text)) }
    }

    /// All lines at `level` or above, in order, with their times.
    package func lines(from level: LogLevel = .debug) -> [String] {
        lines.withLock { lines in lines.filter { $0.level >= level }.map(\.text) }
    }

    /// How many lines contain `text`.
    package func count(of text: String) -> Int {
        lines().count { $0.contains(text) }
    }
}

/// A repeatable source of random numbers: SplitMix64.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64
    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// `count` bytes of the stream.
    package mutating func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        while bytes.count < count {
            let word = next()
            withUnsafeBytes(of: word) { bytes.append(contentsOf: $0) }
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}
