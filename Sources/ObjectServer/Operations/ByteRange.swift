/// A stretch of an object's bytes as the Range header asks for it.
enum ByteRange {
    enum Outcome: Equatable {
        /// No range, or one that is passed over: 200 with everything.
        case whole
        /// 206 with `offset` up to and without `offset + length`.
        case part(offset: UInt64, length: UInt64)
        /// 416.
        case unsatisfiable
    }

    /// OSS's rules. `isStandard` is x-oss-range-behavior: standard; without it a range that doesn't lie within the
    /// object is passed over, as is, with and without it, one that can't be read or names several stretches.
    static func resolve(_ header: Bytes?, size: UInt64, isStandard: Bool) -> Outcome {
        guard let header, let (first, last) = parse(header) else { return .whole }
        switch (first, last) {
        case (let first?, let last):
            if let last, last < first { return .whole }
            if first >= size { return isStandard ? .unsatisfiable : .whole }
            let end = min(last ?? size - 1, size - 1)
            if let last, last >= size, !isStandard { return .whole }
            return .part(offset: first, length: end - first + 1)
        case (nil, let suffix?):
            if suffix == 0 || size == 0 { return isStandard ? .unsatisfiable : .whole }
            if suffix > size && !isStandard { return .whole }
            let length = min(suffix, size)
            return .part(offset: size - length, length: length)
        case (nil, nil): return .whole
        }
    }

    /// `bytes=a-b`, `bytes=a-` or `bytes=-n`.
    private static func parse(_ header: Bytes) -> (UInt64?, UInt64?)? {
        guard header.hasPrefix("bytes=") else { return nil }
        let ends = header.dropFirst(6).split(separator: 0x2D, omittingEmptySubsequences: false).map {
            Bytes($0).trimmed
        }
        guard ends.count == 2 else { return nil }
        let numbers = ends.map(\.decimal)
        guard zip(ends, numbers).allSatisfy({ $0.isEmpty || $1 != nil }) else { return nil }
        return (numbers[0], numbers[1])
    }
}
