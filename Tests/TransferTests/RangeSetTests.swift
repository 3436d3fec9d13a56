import TestSupport
import Testing

@testable import Transfer

@Suite struct RangeSetTests {
    @Test("a thousand random insertions, removals and truncations agree with a set of bytes", arguments: [1, 2, 3, 4])
    func agreesWithModel(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var set = RangeSet()
        var model = [Bool](repeating: false, count: 300)
        for _ in 0..<1000 {
            let lower = Int.random(in: 0..<290, using: &generator)
            let upper = Int.random(in: lower...min(300, lower + 40), using: &generator)
            if Int.random(in: 0..<20, using: &generator) == 0 {
                set.truncate(to: upper)
                for index in upper..<300 { model[index] = false }
            } else if Int.random(in: 0..<3, using: &generator) == 0 {
                set.remove(lower..<upper)
                for index in lower..<upper { model[index] = false }
            } else {
                set.insert(lower..<upper)
                for index in lower..<upper { model[index] = true }
            }
            #expect(set.ranges.flatMap { Array($0) } == model.indices.filter { model[$0] })
            let gaps = set.gaps(in: lower..<upper).flatMap { Array($0) }
            #expect(set.intersects(lower..<upper) == model[lower..<upper].contains(true))
            #expect(gaps == (lower..<upper).filter { !model[$0] })
        }
    }

    @Test("ranges that touch become one")
    func joins() {
        var set = RangeSet()
        set.insert(0..<4)
        set.insert(8..<12)
        set.insert(4..<8)
        #expect(set.ranges == [0..<12])
    }
}
