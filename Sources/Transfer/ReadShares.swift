import Runtime

/// How far ahead each of the handles that stream may be: equal shares of a bound for all; pure.
package struct ReadShares: Sendable {
    /// A handle that hasn't read for so long gives its share to the others: longer than a slow server's answer takes,
    /// shorter than a person's patience with the rest.
    private static let idleTime = Duration.seconds(3)

    /// All windows together, in bytes.
    private let total: Int64
    /// The widest window of one handle in bytes. 64 MiB: 20 ms at 25 Gbit/s.
    private let widest: Int64 = 64 << 20
    private var lastRead: [UInt64: Deadline] = [:]
    private var nextPrune = Deadline(nanoseconds: 0)

    /// - Parameter total: the bound for all windows together in bytes.
    package init(total: Int64) { self.total = total }

    /// The share in bytes of the handle `number`, which reads now.
    package mutating func share(of number: UInt64, at now: Deadline) -> Int64 {
        lastRead[number] = now
        if now >= nextPrune {
            lastRead = lastRead.filter { $0.value.advanced(by: Self.idleTime) >= now }
            nextPrune = now.advanced(by: Self.idleTime / 8)
        }
        return min(total / Int64(lastRead.count), widest)
    }

    /// The handle is closed.
    package mutating func remove(_ number: UInt64) { lastRead[number] = nil }
}
