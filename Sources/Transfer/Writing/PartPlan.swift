import ObjectStore

/// How objects are cut into parts: the store's limits, and what memory allows.
///
/// A small object is one put. A stream's parts grow with their number, so that ten thousand of them reach any size: the
/// first tenth of the numbers have `base` bytes each, each further tenth twice as many, up to `largest`.
package struct PartLimits: Sendable, Hashable {
    /// Bytes of a stream's first parts. 8 MiB: at 20 ms and 16 at once, a link of 50 Gbit/s is full.
    package var base: Int64
    /// The most bytes of a part that is sent: an eighth of the budget, so that several are under way.
    package var largest: Int64
    /// The fewest bytes of any part but the last.
    package var smallest: Int64
    /// The most bytes of any part, copied ones included.
    package var maximum: Int64
    /// The most parts.
    package var count: Int
    /// The largest file that is sent by one put where parts would do as well.
    package var wholePut: Int64
    /// As much as a request that copies a part costs, in bytes sent: 4 MiB of 8, the time of a request of 20 ms and of the
    /// service's own copying at a gigabit and a half.
    package var copyPrice: Int64

    package init(_ capabilities: StoreCapabilities, budgetBytes: Int, base: Int64 = 8 << 20) {
        let share = max(Int64(budgetBytes) / 8, capabilities.minimumPartBytes)
        smallest = capabilities.minimumPartBytes
        maximum = capabilities.maximumPartBytes
        largest = max(smallest, min(share, maximum))
        self.base = max(smallest, min(base, largest))
        copyPrice = self.base / 2
        count = capabilities.maximumParts
        // Two parts: below that, parts at once would gain less than beginning and completing an upload costs.
        wholePut = min(2 * self.base, capabilities.maximumPutBytes)
    }

    /// Bytes of part `number`, counted from 1, of a stream.
    func bytes(ofPart number: Int) -> Int64 {
        let tenth = max(1, count / 10)
        let doublings = min((max(number, 1) - 1) / tenth, 40)
        let (grown, overflows) = base.multipliedReportingOverflow(by: 1 << Int64(doublings))
        return overflows ? largest : min(grown, largest)
    }

    /// From this number on, a stream becomes an object of its own and goes on as what is built upon.
    var rollover: Int { max(2, count / 10 * 9) }
}

/// What an object is put together of; pure.
///
/// Changed bytes are sent, stretches of other objects are copied where that is cheaper, and every part but the last has the
/// smallest size at least. A copied part costs `PartLimits.copyPrice`; a stretch that is sent instead must be fetched first,
/// so it counts twice.
struct CommitPlan: Equatable {
    /// A stretch of the file by what its bytes are.
    struct Stretch: Equatable {
        enum Kind: Equatable {
            /// Held here, or zeros.
            case local
            /// A run of zeros long enough to be copied from an object of zeros.
            case zeros
            /// The bytes of another object, number `source` of the caller's list.
            case object(source: Int)
        }
        var range: ByteRange
        var kind: Kind
    }

    struct Part: Equatable {
        enum Kind: Equatable {
            case send
            case copyZeros
            case copy(source: Int)
        }
        var range: ByteRange
        var kind: Kind
    }

    var parts: [Part]

    /// The length of the object of zeros that long holes are copied from. 64 MiB: a hole of 5 GiB takes 80 copies. Longer
    /// ones take a longer object where numbers are short.
    static let zeroObjectBytes: Int64 = 64 << 20

    /// The parts for `stretches`, which follow on each other; nil if they can't be made with `count` parts.
    ///
    /// - Parameter isEnd: whether the last part is the object's last, which may be short.
    /// - Parameter firstNumber: the number of the first part, which tells the size of those sent.
    static func make(
        _ stretches: [Stretch], limits: PartLimits, count: Int, firstNumber: Int = 1, isEnd: Bool = true
    ) -> CommitPlan? {
        // Fewer and larger parts until the numbers suffice, but never larger than memory can hold one while it is fetched:
        // stretches below 16 GiB are sent at the last try.
        for attempt in 0..<13 {
            let segments = widen(
                segments(stretches, price: limits.copyPrice << Int64(attempt), limits), limits, isEnd: isEnd)
            let sizes = PartSizes(attempt: attempt, limits: limits, firstNumber: firstNumber)
            if let parts = cut(segments, limits, sizes, isEnd: isEnd), parts.count <= count {
                return CommitPlan(parts: parts)
            }
        }
        return nil
    }

    /// How large parts may be.
    private struct PartSizes {
        let attempt: Int
        let limits: PartLimits
        let firstNumber: Int

        func sent(_ index: Int) -> Int64 {
            attempt == 0 ? limits.bytes(ofPart: firstNumber + index) : limits.largest
        }

        var zeros: Int64 { min(zeroObjectBytes << Int64(min(attempt, 7)), limits.maximum) }
    }

    /// Neighbours that are sent joined, stretches too short to be copied among them.
    private static func segments(_ stretches: [Stretch], price: Int64, _ limits: PartLimits) -> [Stretch] {
        var segments: [Stretch] = []
        for stretch in stretches where !stretch.range.isEmpty {
            let length = Int64(stretch.range.count)
            let isCopied: Bool
            switch stretch.kind {
            case .local: isCopied = false
            case .zeros: isCopied = length >= max(2 * price, 2 * limits.smallest)
            case .object: isCopied = length >= limits.smallest && 2 * length >= price
            }
            if !isCopied, let last = segments.last, last.kind == .local {
                segments[segments.count - 1].range = last.range.lowerBound..<stretch.range.upperBound
            } else {
                segments.append(isCopied ? stretch : Stretch(range: stretch.range, kind: .local))
            }
        }
        return segments
    }

    /// Gives stretches to send that are too short for a part some of the neighbours that would be copied.
    private static func widen(_ segments: [Stretch], _ limits: PartLimits, isEnd: Bool) -> [Stretch] {
        var result = segments
        var index = 0
        while index < result.count {
            let length = Int64(result[index].range.count)
            let mayBeShort = isEnd && index == result.count - 1
            guard result[index].kind == .local, length < limits.smallest, !mayBeShort else {
                index += 1
                continue
            }
            let lacking = limits.smallest - length
            if index + 1 < result.count, result[index + 1].kind != .local {
                if take(lacking, fromStartOf: index + 1, for: index, &result, limits, isEnd: isEnd) { index += 1 }
            } else if index > 0, result[index - 1].kind != .local {
                take(lacking, fromEndOf: index - 1, for: index, &result, limits)
                index = max(0, index - 1)
                if result[index].kind != .local { index += 2 }
            } else {
                index += 1
            }
        }
        return result
    }

    /// True if the neighbour is still copied; else it is joined, and the grown segment is to be looked at again.
    private static func take(
        _ bytes: Int64, fromStartOf neighbour: Int, for index: Int, _ segments: inout [Stretch], _ limits: PartLimits,
        isEnd: Bool
    ) -> Bool {
        let range = segments[neighbour].range
        let isLast = isEnd && neighbour == segments.count - 1
        let left = Int64(range.count) - bytes
        if left >= (isLast ? 1 : limits.smallest) {
            segments[index].range = segments[index].range.lowerBound..<range.lowerBound + bytes
            segments[neighbour].range = range.lowerBound + bytes..<range.upperBound
            return true
        }
        join(neighbour, to: index, &segments)
        return false
    }

    private static func take(
        _ bytes: Int64, fromEndOf neighbour: Int, for index: Int, _ segments: inout [Stretch], _ limits: PartLimits
    ) {
        let range = segments[neighbour].range
        if Int64(range.count) - bytes >= limits.smallest {
            segments[index].range = range.upperBound - bytes..<segments[index].range.upperBound
            segments[neighbour].range = range.lowerBound..<range.upperBound - bytes
        } else {
            join(neighbour, to: index, &segments)
        }
    }

    /// Makes one segment to send of two neighbours and, where it now touches another that is sent, of that too.
    private static func join(_ neighbour: Int, to index: Int, _ segments: inout [Stretch]) {
        var lower = min(neighbour, index)
        var upper = max(neighbour, index)
        if upper + 1 < segments.count, segments[upper + 1].kind == .local { upper += 1 }
        if lower > 0, segments[lower - 1].kind == .local { lower -= 1 }
        let range = segments[lower].range.lowerBound..<segments[upper].range.upperBound
        segments.replaceSubrange(lower...upper, with: [Stretch(range: range, kind: .local)])
    }

    /// Cuts each segment into parts; nil if a piece that must not be short would be.
    private static func cut(
        _ segments: [Stretch], _ limits: PartLimits, _ sizes: PartSizes, isEnd: Bool
    ) -> [Part]? {
        var parts: [Part] = []
        for (index, segment) in segments.enumerated() {
            let mayBeShort = isEnd && index == segments.count - 1
            guard mayBeShort || Int64(segment.range.count) >= limits.smallest else { return nil }
            var position = segment.range.lowerBound
            while position < segment.range.upperBound {
                let kind: Part.Kind
                let most: Int64
                switch segment.kind {
                case .local: (kind, most) = (.send, sizes.sent(parts.count))
                case .zeros: (kind, most) = (.copyZeros, sizes.zeros)
                case .object(let source): (kind, most) = (.copy(source: source), limits.maximum)
                }
                let left = segment.range.upperBound - position
                var length = min(most, left)
                // A rest that is too short for a part goes with this one, or takes some of it.
                let rest = left - length
                if rest > 0, rest < limits.smallest, !mayBeShort {
                    let joins = segment.kind == .local && left <= limits.maximum
                    length = joins ? left : left - limits.smallest
                }
                guard length > 0 else { return nil }
                parts.append(Part(range: position..<position + length, kind: kind))
                position += length
            }
        }
        return parts
    }
}
