import ObjectStore
import Runtime
import TestSupport
import Testing

@testable import Transfer

@Suite struct ReadWindowTests {
    private static let mebibyte: Int64 = 1 << 20
    private static let size: Int64 = 1 << 30
    private let limits = ReadWindow.Limits(block: 256 << 10)

    /// Reads `offsets` in order, `count` bytes each; the advice for each.
    private func advise(
        _ offsets: some Sequence<Int64>, count: Int64, size: Int64 = ReadWindowTests.size, share: Int64 = 64 << 20
    ) -> [ReadAdvice] {
        var window = ReadWindow(limits: limits)
        return offsets.map { window.advance(offset: $0, count: count, size: size, share: share) }
    }

    /// The requests that a reader would send who fetches what is advised and not yet there.
    private func requests(_ advices: [ReadAdvice], size: Int64 = ReadWindowTests.size) -> [ByteRange] {
        var there: Set<Int64> = []
        var requests: [ByteRange] = []
        let block = limits.block
        for advice in advices {
            for range in advice.ranges where !range.isEmpty {
                var run: ByteRange?
                for index in range.lowerBound / block...(range.upperBound - 1) / block where !there.contains(index) {
                    there.insert(index)
                    if let open = run, open.upperBound == index * block, Int64(open.count) < advice.piece {
                        run = open.lowerBound..<(index + 1) * block
                    } else {
                        if let run { requests.append(run) }
                        run = index * block..<(index + 1) * block
                    }
                }
                if let run { requests.append(run) }
            }
        }
        return requests
    }

    @Test(
        "a sequential reader of 1 GiB is 64 MiB ahead by its eighth megabyte, and never by more than a request besides")
    func forward() {
        let offsets = stride(from: 0, to: Self.size, by: 1 << 20)
        let ahead = zip(offsets, advise(offsets, count: 1 << 20)).map { offset, advice in
            (advice.ranges.map(\.upperBound).max() ?? 0) - offset
        }
        #expect((ahead.prefix(8).max() ?? 0) >= 60 << 20)
        #expect(ahead[0] <= 2 << 20)
        #expect(ahead.allSatisfy { $0 <= (64 + 8 + 1) << 20 })
        #expect(ahead.dropLast(64).dropFirst(8).allSatisfy { $0 >= (64 - 8) << 20 })
    }

    @Test(
        "reading 1 GiB in order takes at most 135 requests, whatever the size of a read", arguments: [128, 256, 1024])
    func fewRequests(kibibytes: Int64) {
        let advices = advise(stride(from: 0, to: Self.size, by: Int64.Stride(kibibytes << 10)), count: kibibytes << 10)
        let sent = requests(advices)
        #expect(sent.count <= 135, "\(sent.count)")
        #expect(sent.reduce(0) { $0 + Int64($1.count) } == Self.size)
        #expect(advices.allSatisfy { $0.isStreamed })
    }

    @Test("a reader of a header gets little more than it")
    func header() {
        let sent = requests(advise([0, 128 << 10], count: 128 << 10))
        #expect(sent.reduce(0) { $0 + $1.count } <= 2 << 20)
    }

    @Test("requests that overtake each other still make a sequential reader")
    func overtaking() {
        var generator = SeededGenerator(seed: 3)
        let offsets = stride(from: 0, to: Self.size / 4, by: 4 << 20).flatMap { start in
            [0, 1, 2, 3].shuffled(using: &generator).map { start + $0 << 20 }
        }
        let sent = requests(advise(offsets, count: 1 << 20, size: Self.size / 4))
        #expect(sent.count <= 45, "\(sent.count)")
    }

    @Test("a small share bounds the window, and leaves more than one request in it", arguments: [Int64(1), 2, 8])
    func share(mebibytes: Int64) {
        let share = mebibytes << 20
        let offsets = stride(from: 0, to: Self.size / 8, by: 128 << 10)
        for (offset, advice) in zip(offsets, advise(offsets, count: 128 << 10, share: share)).dropFirst(64) {
            let end = advice.ranges.map(\.upperBound).max() ?? 0
            #expect(end - offset <= share + advice.piece + 128 << 10)
            #expect(advice.piece * 2 <= share)
        }
    }

    @Test("a reader that goes backward has its bytes before it comes to them")
    func backward() {
        let offsets = (1...2000).map { Self.size - Int64($0) * 65536 }
        let advices = advise(offsets, count: 65536)
        let sent = requests(advices)
        #expect(sent.count <= 40, "\(sent.count)")
        for (offset, advice) in zip(offsets, advices).dropFirst(100) {
            #expect((advice.ranges.map(\.lowerBound).min() ?? offset) <= offset - 4 << 20)
        }
    }

    @Test("a reader that skips in equal strides gets the next of them, and not what lies between")
    func strided() {
        let offsets = (0..<100).map { 1000 + Int64($0) * (5 << 20) }
        let advices = advise(offsets, count: 4096)
        for (offset, advice) in zip(offsets, advices).dropFirst(10) {
            #expect(advice.ranges.contains { $0.contains(offset + 4 * (5 << 20)) })
        }
        let sent = requests(advices)
        #expect(sent.reduce(0) { $0 + $1.count } <= 180 * (256 << 10))
    }

    @Test("a reader that jumps gets what it asked for and no more")
    func random() {
        let advices = advise([500 << 20, 100 << 20, 900 << 20, 3 << 20], count: 4096)
        #expect(advices.dropLast(0).allSatisfy { $0.ranges.count == 1 && $0.ranges[0].count == 4096 })
        #expect(advices.allSatisfy { !$0.isStreamed })
    }

    @Test("a neighbourhood that is read often in no order is fetched as one")
    func dense() {
        var generator = SeededGenerator(seed: 4)
        // Everywhere else between, so that it isn't one stream with itself.
        let offsets = (0..<60).flatMap { step -> [Int64] in
            [(400 << 20) + Int64.random(in: 0..<4 << 20, using: &generator), Int64(step % 16) * (50 << 20) + 7]
        }
        let sent = requests(advise(offsets, count: 4096)).filter {
            $0.lowerBound >= 400 << 20 && $0.upperBound <= 404 << 20
        }
        #expect(sent.count <= 10, "\(sent.count)")
    }

    @Test("eight readers side by side through one handle are eight streams")
    func interleaved() {
        let offsets = (0..<128).flatMap { step in (0..<8).map { Int64($0) * (128 << 20) + Int64(step) << 20 } }
        let sent = requests(advise(offsets, count: 1 << 20))
        #expect(sent.count <= 8 * 80, "\(sent.count)")
        #expect(sent.reduce(0) { $0 + Int64($1.count) } == Self.size)
    }

    @Test("a read past the end, or of nothing, asks for nothing")
    func pastEnd() {
        for advice in advise([2000, 1000, 5000], count: 100, size: 1000) {
            #expect(advice.ranges.allSatisfy { $0.isEmpty })
        }
        #expect(advise([0], count: 0)[0].ranges.allSatisfy { $0.isEmpty })
    }

    @Test("no advice goes past the file's ends, and the first range holds the read", arguments: 1...8)
    func bounds(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var window = ReadWindow(limits: limits)
        let size = Int64.random(in: 1..<100 << 20, using: &generator)
        var offset: Int64 = 0
        for _ in 0..<2000 {
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: offset = Int64.random(in: 0..<size, using: &generator)
            case 1: offset = max(0, offset - 65536)
            default: offset = min(size - 1, offset + 65536)
            }
            let count = Int64.random(in: 1...1 << 20, using: &generator)
            let share = Int64.random(in: 256 << 10...64 << 20, using: &generator)
            let advice = window.advance(offset: offset, count: count, size: size, share: share)
            let end = min(offset + count, size)
            #expect(advice.ranges[0].lowerBound <= offset && advice.ranges[0].upperBound >= end)
            #expect(advice.ranges.allSatisfy { $0.lowerBound >= 0 && $0.upperBound <= size })
            #expect(advice.piece >= limits.block && advice.piece <= limits.piece)
        }
    }
}

@Suite struct ReadSharesTests {
    @Test("those that read share equally, and who stops or closes leaves its share to the others")
    func shares() {
        var shares = ReadShares(total: 64 << 20)
        let start = Deadline(nanoseconds: 1_000_000_000)
        #expect(shares.share(of: 1, at: start) == 64 << 20)
        #expect(shares.share(of: 2, at: start) == 32 << 20)
        for number in 3...8 { _ = shares.share(of: UInt64(number), at: start) }
        #expect(shares.share(of: 1, at: start) == 8 << 20)
        shares.remove(2)
        #expect(shares.share(of: 1, at: start) == (64 << 20) / 7)
        #expect(shares.share(of: 1, at: start.advanced(by: .seconds(10))) == 64 << 20)
    }

    @Test("no handle is more than 64 MiB ahead")
    func widest() {
        var shares = ReadShares(total: 1 << 40)
        #expect(shares.share(of: 1, at: .now) == 64 << 20)
    }
}
