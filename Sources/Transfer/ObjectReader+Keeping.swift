import ObjectStore
import Runtime

// For files whose object is about to go while programs have them open.
extension ObjectReader {
    /// Keeps every block in memory as long as this reader lives; false, with nothing changed, where one isn't there or the
    /// share of all that is kept is used up.
    ///
    /// The share is a quarter of the budget: what nobody can give back must not crowd out those who read and write.
    package func keepAll() -> Bool {
        let share = cache.slabs.budgetBytes / 4
        return cache.state.withLock { state in
            let blocks = grid.indices(of: 0..<size).compactMap { guarded.value.blocks[$0] }
            guard blocks.count == grid.indices(of: 0..<size).count, blocks.allSatisfy(\.isComplete) else {
                return false
            }
            let added = blocks.reduce(0) { $0 + ($1.isPinned ? 0 : $1.length) }
            guard state.pinnedBytes + added <= share else { return false }
            state.pinnedBytes += added
            for block in blocks where !block.isPinned {
                state.remove(block)
                block.isPinned = true
            }
            return true
        }
    }
}
