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
