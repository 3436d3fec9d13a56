import ObjectStore
import TestSupport
import Testing

@testable import Transfer

@Suite struct ExtentMapTests {
    private static func source(_ part: Int, _ offset: Int64 = 0) -> ExtentSource {
        .part(upload: 1, number: part, offset: offset)
    }

    /// Part and offset of each byte; nil for zeros.
    private static func bytes(_ map: ExtentMap, _ range: ByteRange) -> [[Int]?] {
        var bytes = [[Int]?](repeating: nil, count: range.count)
        for extent in map.extents(in: range) {
            guard case .part(_, let number, let offset) = extent.source else { continue }
            for index in 0..<extent.range.count {
                bytes[Int(extent.range.lowerBound - range.lowerBound) + index] = [number, Int(offset) + index]
            }
        }
        return bytes
    }

    @Test("random changes give each byte the source that a plain array has", arguments: 1...10 as ClosedRange<UInt64>)
    func random(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var map = ExtentMap()
        var model = [[Int]?](repeating: nil, count: 200)
        for step in 0..<200 {
            let lower = Int.random(in: 0..<200, using: &generator)
            let upper = Int.random(in: lower...200, using: &generator)
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<7:
                map.set(Int64(lower)..<Int64(upper), Self.source(step, 5))
                for index in lower..<upper { model[index] = [step, 5 + index - lower] }
            case 7, 8:
                map.clear(Int64(lower)..<Int64(upper))
                for index in lower..<upper { model[index] = nil }
            default:
                map.truncate(to: Int64(upper))
                for index in upper..<200 { model[index] = nil }
            }
            #expect(Self.bytes(map, 0..<200) == model, "step \(step)")
            let isOrdered = zip(map.extents, map.extents.dropFirst()).allSatisfy {
                $0.range.upperBound <= $1.range.lowerBound
            }
            #expect(isOrdered)
        }
    }

    @Test("what follows on in its source is one extent")
    func joins() {
        var map = ExtentMap()
        map.set(0..<10, Self.source(1))
        map.set(10..<20, Self.source(1, 10))
        #expect(map.extents.count == 1)
        map.set(20..<30, Self.source(2))
        map.relabel { source in
            guard case .part(_, 2, let offset) = source else { return nil }
            return Self.source(1, 20 + offset)
        }
        #expect(map.extents.map(\.range) == [0..<30])
    }
}
