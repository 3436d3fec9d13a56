import ObjectStore
import TestSupport
import Testing

@testable import Transfer

@Suite struct PartPlanTests {
    static let limits = PartLimits(.ofMemory, budgetBytes: 512 << 20)
    private static let mib: Int64 = 1 << 20

    /// Sizes of a file and how many parts a stream of it takes with the default memory, at least those of OSS's limits.
    @Test(
        "a stream of any size up to OSS's largest has parts within the limits, and numbers until it goes on over an object",
        arguments: [
            (1, 1), (8 * mib - 1, 1), (8 * mib, 1), (8 * mib + 1, 2), (8_000_000_000, 954), (80_000_000_000, 3318),
            (1_000_000_000_000, 21_275), (48_800_000_000_000, 952_335),
        ] as [(Int64, Int)])
    func stream(size: Int64, parts: Int) {
        var number = 1
        var left = size
        var total = 0
        while left > 0 {
            let bytes = Self.limits.bytes(ofPart: number)
            #expect(bytes >= Self.limits.smallest && bytes <= 64 * Self.mib)
            left -= bytes
            total += 1
            number += 1
            // What stands becomes an object of its own, and the first part of what goes on.
            if number >= Self.limits.rollover { number = 2 }
        }
        #expect(total == parts)
    }

    private static func plan(
        _ stretches: [CommitPlan.Stretch], limits: PartLimits = limits, count: Int = 10_000
    ) throws -> [CommitPlan.Part] {
        let plan = try #require(CommitPlan.make(stretches, limits: limits, count: count))
        var position = stretches.first?.range.lowerBound ?? 0
        for (index, part) in plan.parts.enumerated() {
            #expect(part.range.lowerBound == position)
            #expect(index == plan.parts.count - 1 || part.range.count >= limits.smallest, "part \(index)")
            #expect(part.range.count <= limits.maximum)
            position = part.range.upperBound
        }
        #expect(position == stretches.last?.range.upperBound)
        return plan.parts
    }

    private static func base(_ range: ByteRange) -> CommitPlan.Stretch {
        CommitPlan.Stretch(range: range, kind: .object(source: 0))
    }

    private static func local(_ range: ByteRange) -> CommitPlan.Stretch {
        CommitPlan.Stretch(range: range, kind: .local)
    }

    @Test("an edit of 4 KiB amid 100 MiB copies what is before and after it, and sends one part of the smallest size")
    func smallEdit() throws {
        let edit = 50 * Self.mib..<50 * Self.mib + 4096
        let parts = try Self.plan([
            Self.base(0..<edit.lowerBound), Self.local(edit), Self.base(edit.upperBound..<100 * Self.mib),
        ])
        #expect(parts.map(\.kind) == [.copy(source: 0), .send, .copy(source: 0)])
        #expect(parts[1].range.count == 100 << 10)
    }

    @Test("1 KiB after 100 MiB is one copied part and one of 1 KiB")
    func append() throws {
        let parts = try Self.plan([Self.base(0..<100 * Self.mib), Self.local(100 * Self.mib..<100 * Self.mib + 1024)])
        #expect(parts.map(\.range.count) == [100 << 20, 1024])
    }

    @Test("1,000 edits all over 100 MiB are sent as a whole, as each gap is dearer to copy than to fetch and send")
    func scattered() throws {
        var stretches: [CommitPlan.Stretch] = []
        for edit in 0..<1000 {
            let start = Int64(edit) * 104_857
            stretches.append(Self.local(start..<start + 4096))
            stretches.append(Self.base(start + 4096..<start + 104_857))
        }
        let parts = try Self.plan(stretches)
        #expect(parts.allSatisfy { $0.kind == .send })
        #expect(parts.count == 13)
    }

    @Test("a long hole is copied from an object of zeros, a short one is sent")
    func holes() throws {
        let end: Int64 = 5 << 30
        let parts = try Self.plan([CommitPlan.Stretch(range: 0..<end, kind: .zeros), Self.local(end..<end + 10)])
        #expect(parts.filter { $0.kind == .copyZeros }.count == 80)
        let short = try Self.plan([Self.local(0..<10), CommitPlan.Stretch(range: 10..<1_000_000, kind: .zeros)])
        #expect(short.map(\.kind) == [.send])
    }

    @Test(
        "random stretches give parts that follow on each other within the limits",
        arguments: 1...20 as ClosedRange<UInt64>)
    func random(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var stretches: [CommitPlan.Stretch] = []
        var position: Int64 = 0
        for source in 0..<Int.random(in: 1...40, using: &generator) {
            let length = Int64(1) << Int64.random(in: 0...28, using: &generator)
            let kinds: [CommitPlan.Stretch.Kind] = [.local, .zeros, .object(source: source)]
            let kind = kinds[Int.random(in: 0..<3, using: &generator)]
            let range = position..<position + length + Int64.random(in: 0..<length, using: &generator)
            stretches.append(CommitPlan.Stretch(range: range, kind: kind))
            position = range.upperBound
        }
        _ = try Self.plan(stretches)
    }

    @Test("what can't be made with the numbers there are is no plan")
    func tooFew() {
        let end: Int64 = 10 << 30
        #expect(CommitPlan.make([Self.local(0..<end)], limits: Self.limits, count: 3) == nil)
    }
}
