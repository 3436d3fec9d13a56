/// Which bodies must not be unlinked yet, as somebody who has read their row may still open them.
///
/// A reader takes a number; a body that is given up waits until all readers that began before have ended. So taking
/// and giving back cost the same whatever the count of pieces. Of the lock that it lies in.
struct Leases {
    private var next: UInt64 = 1
    private var active: Set<UInt64> = []
    private var waiting: [(before: UInt64, bodies: [BodyID])] = []

    mutating func take() -> UInt64 {
        defer { next += 1 }
        active.insert(next)
        return next
    }

    /// The bodies that may be unlinked now that this reader has ended.
    mutating func giveBack(_ lease: UInt64) -> [BodyID] {
        active.remove(lease)
        guard !waiting.isEmpty else { return [] }
        let oldest = active.min() ?? next
        let due = waiting.prefix { $0.before <= oldest }
        waiting.removeFirst(due.count)
        return due.flatMap(\.bodies)
    }

    /// Gives bodies up: those that may be unlinked at once.
    mutating func retire(_ bodies: some Sequence<BodyID>) -> [BodyID] {
        let bodies = [BodyID](bodies)
        guard !active.isEmpty, !bodies.isEmpty else { return bodies }
        waiting.append((next, bodies))
        return []
    }
}
