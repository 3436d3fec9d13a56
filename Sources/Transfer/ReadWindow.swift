import ObjectStore

/// What to have asked for once a read is under way.
package struct ReadAdvice: Sendable, Equatable {
    /// The bytes to fetch if they are neither here nor on their way; the first range contains the read.
    package var ranges: [ByteRange]
    /// The largest request in bytes; at least a block.
    package var piece: Int64
    /// Whether they belong to a stream, which reads each byte once and then wants it no more.
    package var isStreamed: Bool

    package init(_ ranges: [ByteRange], piece: Int64, isStreamed: Bool = false) {
        self.ranges = ranges
        self.piece = piece
        self.isStreamed = isStreamed
    }
}

/// One handle's guess of what will be read next; pure.
///
/// A reader that goes forward or backward gets a window that grows fourfold with each of its steps, so that a program
/// which reads a header and stops costs little, and one that reads all is soon as far ahead as the link is long. One
/// that skips in equal strides gets the next few of those. One that jumps gets the block of what it asked for, and more
/// of a neighbourhood in which it has read often. Several streams may run through one handle, as with pread(2) from
/// many threads.
package struct ReadWindow: Sendable {
    package struct Limits: Sendable {
        /// The window of a stream's first read: what a small request costs anyway at 20 ms and 1 Gbit/s, and a bit.
        package var first: Int64 = 1 << 20
        /// The largest range of one request: at 8 MiB, a request's 20 ms are a small part of its transfer.
        package var piece: Int64 = 8 << 20
        /// The length of a block, which is the least that is fetched.
        package var block: Int64

        package init(block: Int64) { self.block = block }
    }

    /// Eight: as many threads as read one file side by side in common tools.
    private static let maximumStreams = 8

    private let limits: Limits
    /// The most recently used last.
    private var streams: [ReadStream] = []
    private var strides = StrideGuess()
    private var density = ReadDensity()

    package init(limits: Limits) { self.limits = limits }

    /// What to ask for with this read of a file of `size` bytes.
    ///
    /// - Parameter share: how many bytes this handle may be ahead, at least a block; may change from call to call.
    package mutating func advance(offset: Int64, count: Int64, size: Int64, share: Int64) -> ReadAdvice {
        let read = offset..<max(offset, min(offset + count, size))
        guard !read.isEmpty else { return ReadAdvice([read], piece: limits.piece) }
        let next = streams.lastIndex { $0.isNext(read) }
        if let steps = strides.next(after: read, limits: limits, share: share), next == nil {
            // It may be one of several streams at equal distances, which shows with its next read.
            if !streams.contains(where: { $0.isContinued(by: read) }) { remember(ReadStream(read)) }
            return ReadAdvice(
                [read] + steps.filter { $0.lowerBound >= 0 && $0.upperBound <= size }, piece: limits.piece)
        }
        if let position = next ?? streams.lastIndex(where: { $0.isContinued(by: read) }) {
            var stream = streams.remove(at: position)
            let running = Int64(streams.count { $0.isRunning } + 1)
            let advice = stream.advance(read, size: size, share: max(share / running, limits.block), limits)
            streams.append(stream)
            return advice
        }
        var stream = ReadStream(read)
        // Who begins at the start will most likely go on.
        let advice = read.lowerBound == 0 ? stream.advance(read, size: size, share: share, limits) : nil
        remember(stream)
        let around = density.around(read, size: size, share: share)
        return advice ?? ReadAdvice([around], piece: limits.piece)
    }

    private mutating func remember(_ stream: ReadStream) {
        if streams.count == Self.maximumStreams { streams.removeFirst() }
        streams.append(stream)
    }
}

/// Whether reads come in equal strides.
private struct StrideGuess {
    private var last: Int64 = 0
    private var stride: Int64 = 0
    private var repeats = 0

    /// The reads to expect next; nil while no stride shows.
    ///
    /// A stride counts from its third repeat on, and where most of what lies between isn't read: else it is a stream.
    mutating func next(after read: ByteRange, limits: ReadWindow.Limits, share: Int64) -> [ByteRange]? {
        let found = read.lowerBound - last
        repeats = found == stride ? repeats + 1 : 0
        stride = found
        last = read.lowerBound
        let length = Int64(read.count)
        guard repeats >= 2, abs(stride) >= 2 * max(length, limits.block) else { return nil }
        // Each costs the blocks that it touches.
        let cost = length + limits.block
        let depth = min(Int64(repeats) * 2, max(share / cost, 1), 64)
        return (1...depth).map { read.lowerBound + $0 * stride..<read.upperBound + $0 * stride }
    }
}

/// How often a reader that jumps comes to the same neighbourhoods.
private struct ReadDensity {
    /// 4 MiB: half a large request.
    private static let regionBytes: Int64 = 4 << 20
    /// A quarter of that, for a neighbourhood that begins to look dense.
    private static let partBytes: Int64 = 1 << 20
    /// Jumps into a region until a part of it is fetched at once, and until all of it is: where 4 of its 16 blocks were
    /// wanted the others come at less than the price of four more requests.
    private static let partCount = 4
    private static let regionCount = 8
    /// Regions that are kept in mind; the oldest goes.
    private static let maximumRegions = 32

    private var regions: [(index: Int64, jumps: Int)] = []

    /// The read, or the neighbourhood of it if it has become dense.
    mutating func around(_ read: ByteRange, size: Int64, share: Int64) -> ByteRange {
        let index = read.lowerBound / Self.regionBytes
        let jumps: Int
        if let position = regions.firstIndex(where: { $0.index == index }) {
            jumps = regions.remove(at: position).jumps + 1
        } else {
            jumps = 1
            if regions.count == Self.maximumRegions { regions.removeFirst() }
        }
        regions.append((index, jumps))
        guard jumps >= Self.partCount else { return read }
        let unit = min(jumps >= Self.regionCount ? Self.regionBytes : Self.partBytes, share)
        guard unit > 0 else { return read }
        let start = read.lowerBound / unit * unit
        return start..<max(read.upperBound, min(start + unit, size))
    }
}
