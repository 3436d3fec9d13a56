/// Which bytes of one block are valid: sorted ranges that neither overlap nor touch.
///
/// Sequential writing keeps one range; the array grows only with holes.
struct RangeSet: Equatable {
    private(set) var ranges: [Range<Int>] = []

    init() {}

    var isEmpty: Bool { ranges.isEmpty }

    /// Adds `range`, joined with what it overlaps or touches.
    mutating func insert(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        if let last = ranges.last, last.lowerBound <= range.lowerBound, last.upperBound >= range.lowerBound {
            ranges[ranges.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            return
        }
        var lower = range.lowerBound
        var upper = range.upperBound
        let first = ranges.firstIndex { $0.upperBound >= lower } ?? ranges.count
        var end = first
        while end < ranges.count, ranges[end].lowerBound <= upper {
            lower = min(lower, ranges[end].lowerBound)
            upper = max(upper, ranges[end].upperBound)
            end += 1
        }
        ranges.replaceSubrange(first..<end, with: [lower..<upper])
    }

    /// Drops everything at and past `bound`.
    mutating func truncate(to bound: Int) {
        while let last = ranges.last, last.upperBound > bound {
            ranges.removeLast()
            if last.lowerBound < bound { ranges.append(last.lowerBound..<bound) }
        }
    }

    /// Takes `range` out; a range that it divides becomes two.
    mutating func remove(_ range: Range<Int>) {
        guard !range.isEmpty, let first = ranges.firstIndex(where: { $0.upperBound > range.lowerBound }) else { return }
        var kept: [Range<Int>] = []
        var end = first
        while end < ranges.count, ranges[end].lowerBound < range.upperBound {
            let old = ranges[end]
            if old.lowerBound < range.lowerBound { kept.append(old.lowerBound..<range.lowerBound) }
            if old.upperBound > range.upperBound { kept.append(range.upperBound..<old.upperBound) }
            end += 1
        }
        ranges.replaceSubrange(first..<end, with: kept)
    }

    /// Whether a byte of `range` is in the set.
    func intersects(_ range: Range<Int>) -> Bool { ranges.contains { $0.overlaps(range) } }

    /// How many bytes the set has.
    var count: Int { ranges.reduce(0) { $0 + $1.count } }

    /// What of `range` is not in the set, in order.
    func gaps(in range: Range<Int>) -> [Range<Int>] {
        var gaps: [Range<Int>] = []
        var position = range.lowerBound
        for valid in ranges where valid.upperBound > range.lowerBound {
            if valid.lowerBound >= range.upperBound { break }
            if valid.lowerBound > position { gaps.append(position..<valid.lowerBound) }
            position = max(position, valid.upperBound)
        }
        if position < range.upperBound { gaps.append(position..<range.upperBound) }
        return gaps
    }

    /// Adds everything of another set.
    mutating func formUnion(_ other: RangeSet) {
        for range in other.ranges { insert(range) }
    }

    /// The parts of the set in `range`, in order.
    func intersection(_ range: Range<Int>) -> [Range<Int>] {
        ranges.compactMap { old in
            let part = old.clamped(to: range)
            return part.isEmpty ? nil : part
        }
    }

    func intersects(_ other: RangeSet) -> Bool { other.ranges.contains { intersects($0) } }

    func contains(_ range: Range<Int>) -> Bool {
        ranges.contains { $0.lowerBound <= range.lowerBound && $0.upperBound >= range.upperBound }
    }
}
