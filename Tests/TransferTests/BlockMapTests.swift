import ObjectStore
import Runtime
import TestSupport
import Testing

@testable import Transfer

@Suite struct BlockMapTests {
    /// A map beside the plain bytes that it should amount to, over a base of seeded bytes.
    private struct Pair {
        let pool: SlabPool
        let base: [UInt8]
        var map: BlockMap
        var model: [UInt8]

        init(
            baseBytes: Int, slabBytes: Int = SlabPool.defaultSlabBytes, generator: inout SeededGenerator
        ) {
            pool = SlabPool(budgetBytes: 64 << 20, slabBytes: slabBytes)
            base = generator.bytes(baseBytes)
            map = BlockMap(baseBytes: Int64(baseBytes), grid: BlockGrid(of: pool))
            model = base
        }

        mutating func write(_ bytes: [UInt8], at offset: Int) {
            var slabs = (0..<map.slabsNeeded(at: Int64(offset), count: bytes.count)).compactMap { _ in pool.take() }
            let isWritten = bytes.withUnsafeBytes { map.write($0, at: Int64(offset), slabs: &slabs) }
            #expect(isWritten && slabs.isEmpty)
            if model.count < offset + bytes.count {
                model += [UInt8](repeating: 0, count: offset + bytes.count - model.count)
            }
            model.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        }

        mutating func truncate(to size: Int) {
            map.truncate(to: Int64(size))
            model =
                size < model.count ? Array(model[..<size]) : model + [UInt8](repeating: 0, count: size - model.count)
        }

        mutating func fillAll() {
            for range in map.missing() {
                var slabs = [pool.take()].compactMap { $0 }
                base[Int(range.lowerBound)..<Int(range.upperBound)].withUnsafeBytes { bytes in
                    _ = map.fill(bytes, at: range.lowerBound, slabs: &slabs)
                }
            }
        }

        /// What a put of the map would send.
        func sent(_ snapshot: BlockSnapshot) -> [UInt8] {
            var bytes = [UInt8](repeating: 0xEE, count: Int(snapshot.count))
            var offset = 0
            bytes.withUnsafeMutableBytes { buffer in
                while offset < buffer.count {
                    let part = UnsafeMutableRawBufferPointer(rebasing: buffer[offset...])
                    offset += snapshot.copy(from: Int64(offset), into: part)
                }
            }
            return bytes
        }
    }

    @Test(
        "random writes, truncations and fills over a base amount to the same bytes as in an array", arguments: 1...8,
        [4096, SlabPool.defaultSlabBytes])
    func agreesWithModel(seed: UInt64, slabBytes: Int) throws {
        var generator = SeededGenerator(seed: seed)
        var pair = Pair(
            baseBytes: Int.random(in: 0..<900_000, using: &generator), slabBytes: slabBytes, generator: &generator)
        for step in 0..<60 {
            let offset = Int.random(in: 0..<1_200_000, using: &generator)
            switch Int.random(in: 0..<10, using: &generator) {
            case 0: pair.truncate(to: offset)
            case 1: pair.fillAll()
            default: pair.write(generator.bytes(Int.random(in: 1..<300_000, using: &generator)), at: offset)
            }
            #expect(pair.map.size == Int64(pair.model.count), "step \(step)")
        }
        pair.fillAll()
        let frozen = pair.map.snapshot()
        let snapshot = try #require(frozen)
        #expect(pair.sent(snapshot) == pair.model)
    }

    @Test("a write after a snapshot doesn't change what the snapshot sends")
    func snapshotIsFrozen() throws {
        var generator = SeededGenerator(seed: 9)
        var pair = Pair(baseBytes: 0, generator: &generator)
        pair.write(generator.bytes(600_000), at: 0)
        let before = pair.model
        let frozen = pair.map.snapshot()
        let snapshot = try #require(frozen)
        pair.write(generator.bytes(1000), at: 262_000)
        pair.truncate(to: 10)
        #expect(pair.sent(snapshot) == before)
    }

    @Test("a map whose base is not all there gives no snapshot")
    func incomplete() {
        var generator = SeededGenerator(seed: 10)
        var pair = Pair(baseBytes: 1000, generator: &generator)
        pair.write([1, 2, 3], at: 10)
        #expect(pair.map.snapshot() == nil)
        #expect(pair.map.missing() == [0..<10, 13..<1000])
    }

    @Test("bytes past a shorter length don't come back when the file grows again")
    func truncationForgets() throws {
        var generator = SeededGenerator(seed: 11)
        var pair = Pair(baseBytes: 500_000, generator: &generator)
        pair.truncate(to: 100)
        pair.truncate(to: 400_000)
        #expect(pair.map.missing() == [0..<100])
        pair.fillAll()
        let frozen = pair.map.snapshot()
        let snapshot = try #require(frozen)
        #expect(pair.sent(snapshot) == pair.model)
    }

    @Test("after a snapshot became the base, later writes go on over it")
    func thawed() throws {
        var generator = SeededGenerator(seed: 12)
        var pair = Pair(baseBytes: 300_000, generator: &generator)
        pair.write([9], at: 299_999)
        pair.fillAll()
        let first = pair.map.snapshot()
        _ = try #require(first)
        pair.map.thaw()
        pair.write(generator.bytes(5), at: 350_000)
        let frozen = pair.map.snapshot()
        let snapshot = try #require(frozen)
        #expect(pair.sent(snapshot) == pair.model)
    }

    @Test("the checksum of a snapshot is that of the bytes it sends")
    func checksum() throws {
        var generator = SeededGenerator(seed: 13)
        var pair = Pair(baseBytes: 0, generator: &generator)
        pair.write(generator.bytes(300_000), at: 100_000)
        let frozen = pair.map.snapshot()
        let snapshot = try #require(frozen).withChecksum()
        let body = BytesBody(pair.model)
        #expect(snapshot.crc64 == body.crc64 || body.crc64 == nil)
        #expect(snapshot.crc64 != nil)
    }
}
