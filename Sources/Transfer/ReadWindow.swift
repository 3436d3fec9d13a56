import ObjectStore

/// One handle's guess of what will be read next; pure.
///
/// A reader that goes forward gets a window that doubles with each of its steps, so that a program which reads a header
/// and stops costs little, and one that reads all is soon as far ahead as the link is long. One that jumps gets just
/// what it asked for.
package struct ReadWindow: Sendable {
    package struct Limits: Sendable {
        /// The window of a first sequential read: what a small request costs anyway at 20 ms and 1 Gbit/s, and a bit.
        package var first: Int64 = 1 << 20
        /// The widest window of one handle; the owner sets a share of the budget.
        package var widest: Int64
        /// The largest range of one request: at 8 MiB, a request's 20 ms are a small part of its transfer.
        package var piece: Int64 = 8 << 20

        package init(widest: Int64) { self.widest = widest }
    }

    private let limits: Limits
    private var expected: Int64 = 0
    private var width: Int64
    private var requestedEnd: Int64 = 0

    package init(limits: Limits) {
        self.limits = limits
        width = min(limits.first, limits.widest)
    }

    /// What to have asked for once this read is under way: at least `offset..<offset + count`, and how large a request
    /// may be.
    package mutating func advance(offset: Int64, count: Int64, size: Int64) -> (range: ByteRange, piece: Int64) {
        let end = min(offset + count, size)
        // The kernel reads ahead in parallel requests that overtake each other by a megabyte or so.
        let slack = max(2 << 20, count)
        let isSequential = offset + slack >= expected && offset <= expected + slack
        guard isSequential else {
            expected = end
            width = 0
            requestedEnd = end
            return (offset..<max(end, offset), limits.piece)
        }
        expected = max(expected, end)
        let piece = min(max(width / 4, 256 << 10), limits.piece)
        // Ask again only when half of the window is used up, for whole pieces: few and large requests.
        if end + width / 2 >= requestedEnd {
            let target = end + width
            requestedEnd = min((target + piece - 1) / piece * piece, size)
            width = min(max(width * 2, limits.first), limits.widest)
        }
        return (offset..<max(requestedEnd, end, offset), piece)
    }
}
