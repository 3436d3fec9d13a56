import Instrumentation
import ObjectStore
import Runtime
import TestSupport
import Testing

@testable import Transfer

@Suite struct ObjectReaderTests {
    /// A reader over a stored object of seeded bytes, behind faults.
    private struct Fixture {
        let memory = MemoryObjectStore()
        let store: FaultyObjectStore
        let cache: BlockCache
        let key = ObjectKey("k".utf8)
        let bytes: [UInt8]

        init(count: Int, budget: Int = 64 << 20, slabBytes: Int = SlabPool.defaultSlabBytes, seed: UInt64 = 1) throws {
            var generator = SeededGenerator(seed: seed)
            bytes = generator.bytes(count)
            store = FaultyObjectStore(memory)
            _ = try memory.put(PutRequest(key: key), body: BytesBody(bytes), .test)
            memory.resetRequests()
            cache = BlockCache(
                store: store, slabs: SlabPool(budgetBytes: budget, slabBytes: slabBytes),
                configuration: BlockCache.Configuration(deadline: .seconds(20)), log: .silent)
        }

        func reader() throws -> ObjectReader {
            let info = try #require(memory.info(key))
            return ObjectReader(key: key, etag: info.etag, size: info.size, cache: cache)
        }
    }

    private static func read(
        _ reader: ObjectReader, _ range: Range<Int>, ahead: ReadAdvice? = nil, cancellation: Cancellation? = nil
    ) throws -> [UInt8] {
        let outcome = Locked<Result<[UInt8], ObjectStoreError>?>(nil)
        let wanted = Int64(range.lowerBound)..<Int64(range.upperBound)
        reader.read(wanted, ahead: ahead ?? ReadAdvice([wanted], piece: 1 << 20), cancellation: cancellation) {
            result in
            let bytes = result.map { read in read.segments.flatMap { Array($0) } }
            outcome.withLock { $0 = bytes }
            outcome.wakeAll()
        }
        let result = try #require(outcome.wait(until: .after(.seconds(20))) { $0 })
        return try result.get()
    }

    @Test(
        "random ranges of an object read as they were stored, and a second time without a request",
        arguments: [4096, SlabPool.defaultSlabBytes, 1 << 20])
    func random(slabBytes: Int) throws {
        let fixture = try Fixture(count: 20_000_000, slabBytes: slabBytes)
        let reader = try fixture.reader()
        var generator = SeededGenerator(seed: 5)
        var ranges: [Range<Int>] = []
        for _ in 0..<30 {
            let lower = Int.random(in: 0..<19_900_000, using: &generator)
            ranges.append(lower..<lower + Int.random(in: 1..<900_000, using: &generator))
        }
        for range in ranges {
            #expect(try Self.read(reader, range) == Array(fixture.bytes[range.clamped(to: fixture.bytes.indices)]))
        }
        let requests = fixture.memory.requests
        for range in ranges { _ = try Self.read(reader, range) }
        #expect(fixture.memory.requests == requests)
    }

    @Test("a file of 2 MiB is one request, however it is read")
    func wholeSmallFile() throws {
        let fixture = try Fixture(count: 2 << 20)
        let reader = try fixture.reader()
        for offset in stride(from: 0, to: 2 << 20, by: 131_072) {
            _ = try Self.read(reader, offset..<offset + 131_072)
        }
        #expect(fixture.memory.requests(.get) == 1)
    }

    @Test("two hundred readers of one block share one request")
    func singleFlight() throws {
        let fixture = try Fixture(count: 100_000)
        let reader = try fixture.reader()
        let gate = Gate()
        fixture.store.order(.wait(gate), on: .get)
        let done = Locked(0)
        for _ in 0..<200 {
            reader.read(0..<100, ahead: ReadAdvice([0..<100], piece: 1 << 20), cancellation: nil) { result in
                if case .success = result { done.withLock { $0 += 1 } }
                done.wakeAll()
            }
        }
        gate.open()
        #expect(done.wait(until: .after(.seconds(10))) { $0 == 200 ? true : nil } == true)
        #expect(fixture.memory.requests(.get) == 1)
    }

    @Test("an object replaced meanwhile is a failed precondition, never a mix")
    func replaced() throws {
        let fixture = try Fixture(count: 20_000_000)
        let reader = try fixture.reader()
        _ = try Self.read(reader, 0..<100)
        _ = try fixture.memory.put(PutRequest(key: fixture.key), body: BytesBody([1, 2, 3]), .test)
        #expect {
            try Self.read(reader, 10_000_000..<10_000_100)
        } throws: {
            ($0 as? ObjectStoreError)?.kind == .preconditionFailed
        }
    }

    @Test("a failed fetch fails the reads that wait for it, and the next read asks again")
    func failureIsNotKept() throws {
        let fixture = try Fixture(count: 1000)
        let reader = try fixture.reader()
        fixture.store.order(.error(.unavailable), on: .get)
        #expect(throws: ObjectStoreError.self) { try Self.read(reader, 0..<10) }
        #expect(try Self.read(reader, 0..<10) == Array(fixture.bytes[0..<10]))
    }

    @Test("bytes that differ from their checksum are fetched again, and the reader gets the right ones alone")
    func corruptedOnce() throws {
        for (count, offset) in [(1, 0), (100_000, 5), (3_000_000, 2_999_999), (3_000_000, 1_000_000)] {
            let fixture = try Fixture(count: count)
            let reader = try fixture.reader()
            fixture.store.order(.corrupt(at: Int64(offset)), on: .get, times: 2)
            #expect(try Self.read(reader, 0..<count) == fixture.bytes)
            #expect(fixture.memory.requests(.get) == 3)
        }
    }

    @Test("bytes that never have their checksum fail the read that reaches the end, and none of them is kept")
    func corruptedAlways() throws {
        let fixture = try Fixture(count: 600_000)
        let reader = try fixture.reader()
        let order = fixture.store.order(.corrupt(at: 5), on: .get, times: 3)
        #expect { try Self.read(reader, 500_000..<600_000) } throws: { ($0 as? ObjectStoreError)?.kind == .corrupted }
        #expect(fixture.store.given(order) == 3)
        #expect(try Self.read(reader, 0..<600_000) == fixture.bytes)
    }

    @Test(
        "where wrong bytes were read before the checksum was known the rest fails, and the next reader gets the right ones"
    )
    func corruptedAndRead() throws {
        let fixture = try Fixture(count: 600_000)
        let reader = try fixture.reader()
        let gate = Gate()
        fixture.store.order(.corrupt(at: 5, gate), on: .get)
        #expect(try Self.read(reader, 0..<10) != Array(fixture.bytes[0..<10]), "bytes are handed on as they arrive")
        let end = Locked<ObjectStoreErrorKind?>(nil)
        reader.read(599_000..<600_000, ahead: ReadAdvice([599_000..<600_000], piece: 1 << 20), cancellation: nil) {
            result in
            if case .failure(let error) = result { end.withLock { $0 = error.kind } }
            end.wakeAll()
        }
        gate.open()
        #expect(end.wait(until: .after(.seconds(10))) { $0 } == .corrupted)
        #expect(try Self.read(reader, 0..<600_000) == fixture.bytes)
    }

    @Test("a cancelled read ends while the server hangs")
    func cancelled() throws {
        let fixture = try Fixture(count: 1000)
        let reader = try fixture.reader()
        let gate = Gate()
        fixture.store.order(.wait(gate), on: .get)
        let cancellation = Cancellation()
        let outcome = Locked<ObjectStoreErrorKind?>(nil)
        reader.read(0..<10, ahead: ReadAdvice([0..<10], piece: 1 << 20), cancellation: cancellation) { result in
            if case .failure(let error) = result { outcome.withLock { $0 = error.kind } }
            outcome.wakeAll()
        }
        cancellation.cancel()
        #expect(outcome.wait(until: .after(.seconds(5))) { $0 } == .cancelled)
        gate.open()
    }

    @Test("reading 40 MB through a budget of 2 MiB stays within it, and every byte is right")
    func smallBudget() throws {
        let fixture = try Fixture(count: 40_000_000, budget: 2 << 20)
        let reader = try fixture.reader()
        var window = ReadWindow(limits: ReadWindow.Limits(block: fixture.cache.grid.blockBytes))
        var offset = 0
        while offset < fixture.bytes.count {
            let end = min(offset + 131_072, fixture.bytes.count)
            let ahead = window.advance(
                offset: Int64(offset), count: 131_072, size: reader.size, share: fixture.cache.readShare(of: 1))
            #expect(try Self.read(reader, offset..<end, ahead: ahead) == Array(fixture.bytes[offset..<end]))
            offset = end
        }
        // One slab of the reserve for each running read beyond the budget.
        #expect(fixture.cache.slabs.peakBytes <= (2 << 20) + 2 * SlabPool.defaultSlabBytes)
    }

    @Test(
        "what a stream has read is given back before what a reader that jumps has, and takes up an eighth of the budget"
    )
    func streamsGiveBackFirst() throws {
        let fixture = try Fixture(count: 40_000_000, budget: 16 << 20)
        let reader = try fixture.reader()
        let kept: [Range<Int>] = (0..<8).map { $0 * 4_000_000..<$0 * 4_000_000 + 1000 }
        for range in kept { _ = try Self.read(reader, range) }
        let other = try fixture.reader()
        var window = ReadWindow(limits: ReadWindow.Limits(block: fixture.cache.grid.blockBytes))
        var most = 0
        for offset in stride(from: 0, to: 40_000_000, by: 1 << 20) {
            let advice = window.advance(
                offset: Int64(offset), count: 1 << 20, size: other.size, share: fixture.cache.readShare(of: 1))
            _ = try Self.read(other, offset..<min(offset + (1 << 20), 40_000_000), ahead: advice)
            most = max(most, fixture.cache.slabs.takenBytes)
        }
        // What was read ahead, what has been read, each an eighth; the request under way beside; and the kept blocks.
        #expect(most <= (2 + 2 + 2) << 20 + 8 * SlabPool.defaultSlabBytes)
        let requests = fixture.memory.requests
        for range in kept { _ = try Self.read(reader, range) }
        #expect(fixture.memory.requests == requests)
    }

    @Test("what was just sent is read without a request")
    func adopts() throws {
        let fixture = try Fixture(count: 300_000)
        let reader = try fixture.reader()
        var slabs: [Int64: Slab] = [:]
        for (index, start) in stride(from: 0, to: 300_000, by: SlabPool.defaultSlabBytes).enumerated() {
            let slab = try #require(fixture.cache.takeSlab())
            let end = min(start + SlabPool.defaultSlabBytes, 300_000)
            fixture.bytes[start..<end].withUnsafeBytes { slab.store($0, at: 0) }
            slabs[Int64(index)] = slab
        }
        reader.adopt(slabs)
        #expect(try Self.read(reader, 200_000..<300_000) == Array(fixture.bytes[200_000...]))
        #expect(fixture.memory.requests == 0)
    }
}
