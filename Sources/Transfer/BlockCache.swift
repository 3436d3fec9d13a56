import Instrumentation
import ObjectStore
import Runtime

/// The clean blocks of all object versions, and the threads that fetch them.
package final class BlockCache: Sendable {
    package struct Configuration: Sendable {
        /// How many ranges are fetched at once. 64: with 8 MiB each, more than any link of 20 ms can hold in flight.
        package var fetchLimit = 64
        /// How long a read may take, waiting in line and repeats included.
        package var deadline: Duration

        package init(deadline: Duration) { self.deadline = deadline }
    }

    let configuration: Configuration
    let store: any ObjectStore
    package let slabs: SlabPool
    /// How all objects are cut into blocks: by the pool's slabs.
    package let grid: BlockGrid
    let log: Log
    private let fetchers: WorkerPool
    /// Guards all blocks, waiters and fetches of all readers; rank: cache, the lowest but the pool's.
    let state: Locked<CacheState>
    // A leaf.
    private let shares: Locked<ReadShares>

    /// 32 MiB: reads that come again, or of one that follows close, find their blocks; more would only be touched anew.
    private static let spentLimit = 32 << 20

    package init(store: any ObjectStore, slabs: SlabPool, configuration: Configuration, log: Log) {
        self.store = store
        self.slabs = slabs
        grid = BlockGrid(of: slabs)
        // What streams have ahead of them and what they have behind them, together, are a quarter of the budget.
        shares = Locked(ReadShares(total: Int64(slabs.budgetBytes / 8)))
        state = Locked(CacheState(spentLimit: min(slabs.budgetBytes / 8, Self.spentLimit) / slabs.slabBytes))
        self.configuration = configuration
        self.log = log
        fetchers = WorkerPool(name: "fetch", limit: configuration.fetchLimit)
    }

    /// A slab, at the cost of clean blocks where the budget is used up; nil when all of it is dirty or in flight.
    package func takeSlab() -> Slab? {
        while true {
            if let slab = slabs.take() { return slab }
            // The victim's memory goes back when its last reference goes: here, unless a reply is still using it.
            let victim = state.withLock { state in state.evictOldest() }
            if victim == nil { return nil }
        }
    }

    /// How many bytes the handle `number`, which reads now, may be ahead of itself.
    package func readShare(of number: UInt64) -> Int64 {
        shares.withLock { $0.share(of: number, at: .now) }
    }

    /// The handle `number` reads no more.
    package func endReadShare(of number: UInt64) { shares.withLock { $0.remove(number) } }

    /// A slab outside the budget's competition, as `SlabPool.takeReserve`.
    package func takeReserve() -> Slab? { slabs.takeReserve() }

    /// Lets the fetches that have begun end, and starts no more; false if some still run at the deadline.
    package func stop(by deadline: Deadline) -> Bool { fetchers.stop(by: deadline) }

    func start(_ fetch: Fetch) {
        if !fetchers.submit({ fetch.run() }) { fetch.abandon() }
    }
}
<<<<<<< HEAD

/// One block of a version: a slab that fills from its start.
final class CacheBlock {
    let index: Int64
    /// How many bytes it will have: a block's, or what the object's end leaves.
    let length: Int
    /// Nil until its fetch has started.
    var slab: Slab?
    /// How many bytes, from its start, are there.
    var filled = 0
    /// Whether a reader has got bytes of it.
    var isRead = false
    /// The neighbours in the list of clean blocks, oldest first; both nil while it is not in the list.
    var older: CacheBlock?
    var newer: CacheBlock?
    unowned let reader: ObjectReader.Blocks

    var isComplete: Bool { filled == length }

    init(index: Int64, length: Int, reader: ObjectReader.Blocks) {
        self.index = index
        self.length = length
        self.reader = reader
    }
}

/// What the cache's lock guards besides each reader's blocks: the order in which clean blocks are given back.
struct CacheState {
    private var oldest: CacheBlock?
    private var newest: CacheBlock?

    /// Puts a complete block at the young end.
    mutating func append(_ block: CacheBlock) {
        block.older = newest
        block.newer = nil
        newest?.newer = block
        newest = block
        if oldest == nil { oldest = block }
    }

    /// Takes a block out of the order.
    mutating func remove(_ block: CacheBlock) {
        guard block.older != nil || block.newer != nil || oldest === block else { return }
        block.older?.newer = block.newer
        block.newer?.older = block.older
        if oldest === block { oldest = block.newer }
        if newest === block { newest = block.older }
        block.older = nil
        block.newer = nil
    }

    /// Notes that a block was used.
    mutating func touch(_ block: CacheBlock) {
        guard block.isComplete, newest !== block else { return }
        remove(block)
        append(block)
    }

    /// Takes the least recently used block that no parked read needs out of its reader; nil if there is none.
    ///
    /// Returns its memory, which the caller lets go of after the lock.
    mutating func evictOldest() -> UncheckedSendable<Slab?>? {
        var candidate = oldest
        while let block = candidate {
            if !block.reader.isWaitedFor(block.index) { break }
            candidate = block.newer
        }
        guard let block = candidate else { return nil }
        remove(block)
        block.reader.blocks[block.index] = nil
        let slab = block.slab
        block.slab = nil
        return UncheckedSendable(slab)
    }
}
=======
>>>>>>> main
