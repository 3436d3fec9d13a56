import Runtime

/// The server's time, as far as this machine knows it: its own clock, and by how much that was found to be wrong.
///
/// One for each server, shared by all that compares times with the server's; may be used from any thread.
package final class ServerClock: Sendable {
    private let clock: any Clock
    // Seconds that the server is ahead; a leaf lock.
    private let lead = Locked<Int64>(0)

    package init(_ clock: any Clock = SystemClock()) { self.clock = clock }

    /// Now, by the server's clock.
    package var now: WallTime {
        var time = clock.wall
        time.seconds += lead.withLock { $0 }
        return time
    }

    /// Takes the server's word for the present time; returns how many seconds that is ahead of this machine's clock.
    @discardableResult
    package func correct(_ time: WallTime) -> Int64 {
        let difference = time.seconds - clock.wall.seconds
        lead.withLock { $0 = difference }
        return difference
    }
}
