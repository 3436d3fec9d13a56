import Runtime
import Testing

@Suite struct SlabPoolTests {
    @Test("slabs are given up to the budget, and again when they have come back")
    func budget() {
        let pool = SlabPool(budgetBytes: 4 * SlabPool.defaultSlabBytes)
        var held = (0..<4).compactMap { _ in pool.take() }
        #expect(held.count == 4)
        #expect(pool.take() == nil)
        held.removeLast()
        #expect(pool.takenBytes == 3 * SlabPool.defaultSlabBytes)
        #expect(pool.take() != nil)
    }

    @Test("the reserve does not compete with the budget")
    func reserve() {
        let pool = SlabPool(budgetBytes: SlabPool.defaultSlabBytes)
        let first = pool.take()
        let second = pool.takeReserve()
        #expect(first != nil && second != nil)
        #expect(pool.takenBytes == SlabPool.defaultSlabBytes)
        #expect(pool.peakBytes == 2 * SlabPool.defaultSlabBytes)
    }

    @Test("who waits for memory is told once, when some has come back")
    func waiters() {
        let pool = SlabPool(budgetBytes: SlabPool.defaultSlabBytes)
        let told = Locked(0)
        var held = pool.take()
        _ = pool.whenFreed { told.withLock { $0 += 1 } }
        let forgotten = pool.whenFreed { told.withLock { $0 += 100 } }
        pool.forget(forgotten)
        #expect(told.withLock { $0 } == 0)
        held = nil
        #expect(held == nil && told.withLock { $0 } == 1)
        held = pool.take()
        held = nil
        #expect(told.withLock { $0 } == 1)
    }

    @Test("memory that came back is used again, and trim gives it to the system")
    func reuse() {
        let pool = SlabPool(budgetBytes: 8 * SlabPool.defaultSlabBytes)
        var slab: Slab? = pool.take()
        let base = slab?.base
        slab = nil
        slab = pool.take()
        #expect(slab?.base == base)
        slab = nil
        pool.trim()
        slab = pool.take()
        slab?.base.storeBytes(of: 7, as: UInt8.self)
    }

    @Test("slabs have the length that the pool was made with, and stand apart", arguments: [4096, 65536, 1 << 20])
    func lengths(slabBytes: Int) {
        let pool = SlabPool(budgetBytes: 32 << 20, slabBytes: slabBytes)
        let held = (0..<32 << 20 / slabBytes).compactMap { _ in pool.take() }
        #expect(held.count * slabBytes == 32 << 20)
        #expect(pool.take() == nil)
        let starts = held.map { Int(bitPattern: $0.base) }.sorted()
        #expect(zip(starts, starts.dropFirst()).allSatisfy { $1 - $0 >= slabBytes })
        for slab in held { (slab.base + slabBytes - 1).storeBytes(of: 1, as: UInt8.self) }
    }
}
