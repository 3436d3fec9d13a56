import Runtime

/// One block of a version: a slab that fills from its start.
final class CacheBlock {
    let index: Int64
    /// How many bytes it will have: a block's, or what the object's end leaves.
    let length: Int
    /// Whether a stream asked for it: read once, it is the first to be given back.
    let isStreamed: Bool
    /// Nil until its fetch has started.
    var slab: Slab?
    /// How many bytes, from its start, are there.
    var filled = 0
    /// Whether it stays as long as its reader, whoever needs memory; then it stands in no list.
    var isPinned = false
    /// How many bytes have been handed to readers, repeats included.
    fileprivate var served = 0
    /// The list that it stands in.
    fileprivate var order = Order.none
    /// The neighbours in that list, oldest first.
    fileprivate var older: CacheBlock?
    fileprivate var newer: CacheBlock?
    unowned let reader: ObjectReader.Blocks

    fileprivate enum Order { case none, kept, spent }

    var isComplete: Bool { filled == length }
    /// Whether a reader has got bytes of it.
    var isRead: Bool { served > 0 }

    init(index: Int64, length: Int, isStreamed: Bool, reader: ObjectReader.Blocks) {
        self.index = index
        self.length = length
        self.isStreamed = isStreamed
        self.reader = reader
    }
}

/// What the cache's lock guards besides each reader's blocks: the order in which clean blocks are given back.
///
/// First go the blocks that a stream has read to their ends, then the others, least recently used first. Of the former
/// only a few are kept at all: a stream's bytes are rarely wanted twice, and memory that is used again soon is still in
/// the processor's cache.
struct CacheState {
    private var kept = BlockList()
    private var spent = BlockList()
    /// What the blocks that are pinned have in bytes.
    var pinnedBytes = 0
    /// The most spent blocks that are kept.
    private let spentLimit: Int

    init(spentLimit: Int) { self.spentLimit = spentLimit }

    /// Puts a complete block at the young end.
    mutating func append(_ block: CacheBlock) {
        block.order = .kept
        kept.append(block)
    }

    /// Takes a block out of the order.
    mutating func remove(_ block: CacheBlock) {
        switch block.order {
        case .none: break
        case .kept: kept.remove(block)
        case .spent: spent.remove(block)
        }
        block.order = .none
    }

    /// Notes that `count` bytes of a block were handed to a reader. Returns memory to let go of after the lock.
    mutating func serve(_ block: CacheBlock, _ count: Int) -> UncheckedSendable<Slab?>? {
        block.served += count
        guard block.isComplete, !block.isPinned else { return nil }
        remove(block)
        guard block.isStreamed, block.served >= block.length else {
            append(block)
            return nil
        }
        block.order = .spent
        spent.append(block)
        return spent.count > spentLimit ? evict(from: spent) : nil
    }

    /// Takes the block that is to go first and that no parked read needs out of its reader; nil if there is none.
    ///
    /// Returns its memory, which the caller lets go of after the lock.
    mutating func evictOldest() -> UncheckedSendable<Slab?>? { evict(from: spent) ?? evict(from: kept) }

    private mutating func evict(from list: BlockList) -> UncheckedSendable<Slab?>? {
        var candidate = list.oldest
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

/// Blocks in the order of their last use, linked through themselves.
private struct BlockList {
    private(set) var oldest: CacheBlock?
    private var newest: CacheBlock?
    private(set) var count = 0

    mutating func append(_ block: CacheBlock) {
        block.older = newest
        block.newer = nil
        newest?.newer = block
        newest = block
        if oldest == nil { oldest = block }
        count += 1
    }

    mutating func remove(_ block: CacheBlock) {
        block.older?.newer = block.newer
        block.newer?.older = block.older
        if oldest === block { oldest = block.newer }
        if newest === block { newest = block.older }
        block.older = nil
        block.newer = nil
        count -= 1
    }
}
