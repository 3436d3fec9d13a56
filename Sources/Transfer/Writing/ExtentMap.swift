import ObjectStore

/// Where bytes of a file that this machine doesn't hold come from.
package enum ExtentSource: Sendable {
    /// An object's bytes from `offset` on.
    case object(ObjectReader, offset: Int64)
    /// Bytes of a part of a multipart upload, which nobody can read before it is completed.
    case part(upload: UInt64, number: Int, offset: Int64)

    /// The same for bytes that stand `distance` further on.
    func advanced(by distance: Int64) -> ExtentSource {
        switch self {
        case .object(let reader, let offset): .object(reader, offset: offset + distance)
        case .part(let upload, let number, let offset): .part(upload: upload, number: number, offset: offset + distance)
        }
    }

    /// Whether `other`, which stands `distance` further on, goes on where this one is.
    func continues(as other: ExtentSource, after distance: Int64) -> Bool {
        switch (self, other) {
        case (.object(let reader, let offset), .object(let otherReader, let otherOffset)):
            reader === otherReader && offset + distance == otherOffset
        case (.part(let upload, let number, let offset), .part(let otherUpload, let otherNumber, let otherOffset)):
            upload == otherUpload && number == otherNumber && offset + distance == otherOffset
        case (.object, .part), (.part, .object): false
        }
    }
}

/// A stretch of a file with one source.
struct Extent: Sendable {
    var range: ByteRange
    var source: ExtentSource

    /// The part of it in `bounds`, which it overlaps.
    func clamped(to bounds: ByteRange) -> Extent {
        let lower = max(range.lowerBound, bounds.lowerBound)
        let upper = min(range.upperBound, bounds.upperBound)
        return Extent(range: lower..<upper, source: source.advanced(by: lower - range.lowerBound))
    }
}

/// What stands below the bytes that this machine holds of a file: extents in order, which don't overlap; zeros between.
struct ExtentMap: Sendable {
    private(set) var extents: [Extent] = []

    init() {}

    /// The whole of an object.
    init(of reader: ObjectReader) {
        if reader.size > 0 { extents = [Extent(range: 0..<reader.size, source: .object(reader, offset: 0))] }
    }

    /// Gives `range` a source, in place of what it had.
    mutating func set(_ range: ByteRange, _ source: ExtentSource) {
        guard !range.isEmpty else { return }
        let index = clear(range)
        if index > 0, extents[index - 1].range.upperBound == range.lowerBound,
            extents[index - 1].source.continues(
                as: source, after: range.lowerBound - extents[index - 1].range.lowerBound)
        {
            extents[index - 1].range = extents[index - 1].range.lowerBound..<range.upperBound
            return
        }
        extents.insert(Extent(range: range, source: source), at: index)
    }

    /// Drops everything at and past `bound`.
    mutating func truncate(to bound: Int64) { clear(bound..<Int64.max) }

    /// Makes zeros of `range`; returns where an extent for it would be inserted.
    @discardableResult
    mutating func clear(_ range: ByteRange) -> Int {
        let first = firstIndex(endingAfter: range.lowerBound)
        var end = first
        var kept: [Extent] = []
        while end < extents.count, extents[end].range.lowerBound < range.upperBound {
            let extent = extents[end]
            if extent.range.lowerBound < range.lowerBound {
                kept.append(extent.clamped(to: extent.range.lowerBound..<range.lowerBound))
            }
            if extent.range.upperBound > range.upperBound {
                kept.append(extent.clamped(to: range.upperBound..<extent.range.upperBound))
            }
            end += 1
        }
        extents.replaceSubrange(first..<end, with: kept)
        let startsBefore = kept.first.map { $0.range.lowerBound < range.lowerBound } ?? false
        return first + (startsBefore ? 1 : 0)
    }

    /// Replaces every source for which `change` gives another.
    mutating func relabel(_ change: (ExtentSource) -> ExtentSource?) {
        let old = extents
        extents = []
        for extent in old {
            let source = change(extent.source) ?? extent.source
            if let last = extents.last, last.range.upperBound == extent.range.lowerBound,
                last.source.continues(as: source, after: extent.range.lowerBound - last.range.lowerBound)
            {
                extents[extents.count - 1].range = last.range.lowerBound..<extent.range.upperBound
            } else {
                extents.append(Extent(range: extent.range, source: source))
            }
        }
    }

    /// The extents of `range`, cut to it, in order.
    func extents(in range: ByteRange) -> [Extent] {
        guard !range.isEmpty else { return [] }
        var found: [Extent] = []
        var index = firstIndex(endingAfter: range.lowerBound)
        while index < extents.count, extents[index].range.lowerBound < range.upperBound {
            found.append(extents[index].clamped(to: range))
            index += 1
        }
        return found
    }

    /// The first extent that ends past `offset`, by bisection.
    private func firstIndex(endingAfter offset: Int64) -> Int {
        var low = 0
        var high = extents.count
        while low < high {
            let middle = (low + high) / 2
            if extents[middle].range.upperBound <= offset { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
