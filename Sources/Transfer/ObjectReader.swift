import Instrumentation
import ObjectStore
import Runtime

/// Reads one version of one object, for all handles that have it open.
///
/// Its blocks live as long as it does, or until their memory is needed.
package final class ObjectReader: Sendable {
    /// What the cache's lock guards of one reader.
    final class Blocks {
        var blocks: [Int64: CacheBlock] = [:]
        var waiters: [UInt64: Waiter] = [:]
        var fetches: [UInt64: Fetch] = [:]
        var lastNumber: UInt64 = 0
        var pin: (key: ObjectKey, etag: ETag)

        let grid: BlockGrid

        init(key: ObjectKey, etag: ETag, grid: BlockGrid) {
            pin = (key, etag)
            self.grid = grid
        }

        func isWaitedFor(_ index: Int64) -> Bool {
            let block = grid.range(of: index)
            return waiters.values.contains { $0.range.overlaps(block) }
        }
    }

    /// A parked read.
    struct Waiter {
        let range: ByteRange
        let deliver: Delivery
    }

    package typealias Delivery = @Sendable (Result<ReadBytes, ObjectStoreError>) -> Void

    /// The object's length in bytes.
    package let size: Int64
    let cache: BlockCache
    /// Touched only under the cache's lock.
    let guarded: UncheckedSendable<Blocks>

    var grid: BlockGrid { cache.grid }

    /// A file up to 8 MiB is fetched by one request without a range, whose CRC-64 the store can check.
    static let wholeLimit: Int64 = 8 << 20

    package init(key: ObjectKey, etag: ETag, size: Int64, cache: BlockCache) {
        self.size = size
        self.cache = cache
        guarded = UncheckedSendable(Blocks(key: key, etag: etag, grid: cache.grid))
    }

    deinit {
        cache.state.withLock { state in
            for block in guarded.value.blocks.values {
                state.remove(block)
                if block.isPinned { state.pinnedBytes -= block.length }
            }
        }
    }

    /// The bytes now go by another key or ETag (a rename, or new metadata, of our own): later fetches ask for that.
    package func repin(key: ObjectKey, etag: ETag) {
        cache.state.withLock { _ in guarded.value.pin = (key, etag) }
    }

    /// Which object's which version it reads at present.
    package var pin: (key: ObjectKey, etag: ETag) { cache.state.withLock { _ in guarded.value.pin } }

    /// Takes over blocks of the content that was just sent, each whole, where there is nothing else yet.
    package func adopt(_ blocks: [Int64: Slab]) {
        cache.state.withLock { state in
            for (index, slab) in blocks where guarded.value.blocks[index] == nil {
                let block = makeBlock(index)
                block.slab = slab
                block.filled = block.length
                guarded.value.blocks[index] = block
                state.append(block)
            }
        }
    }

    /// Delivers the bytes of `range`, cut at the object's end: at once, on this thread, if memory has them, else later.
    ///
    /// - Parameter ahead: what to have asked for by the way; contains `range`.
    /// - Parameter cancellation: ends the wait with kind `cancelled`.
    /// - Parameter deliver: called once, with no lock held.
    package func read(
        _ range: ByteRange, ahead: ReadAdvice, cancellation: Cancellation?,
        deliver: @escaping Delivery
    ) {
        let wanted = range.lowerBound..<max(range.lowerBound, min(range.upperBound, size))
        guard !wanted.isEmpty else { return deliver(.success(.empty)) }
        var spent = SpentMemory()
        let (ready, number, fetches): (ReadBytes?, UInt64, [Fetch]) = cache.state.withLock { state in
            let own = guarded.value
            let ready = gather(wanted, &state, &spent)
            let fetches = ahead.ranges.flatMap { plan($0.clamped(to: 0..<size), ahead) }
            if ready == nil {
                own.lastNumber += 1
                own.waiters[own.lastNumber] = Waiter(range: wanted, deliver: deliver)
            }
            return (ready, own.lastNumber, fetches)
        }
        spent.letGo()
        for fetch in fetches { cache.start(fetch) }
        if let ready { return deliver(.success(ready)) }
        cancellation?.onCancel { [self] in giveUp(number) }
    }

    /// The bytes of `range`, waiting for them on this thread; nothing is read ahead.
    package func readNow(_ range: ByteRange, _ context: RequestContext) throws(ObjectStoreError) -> ReadBytes {
        let outcome = Locked<Result<ReadBytes, ObjectStoreError>?>(nil)
        let cancellation = context.cancellation ?? Cancellation()
        read(range, ahead: ReadAdvice([range], piece: Self.wholeLimit), cancellation: cancellation) { result in
            outcome.withLock { $0 = result }
            outcome.wakeAll()
        }
        guard let result = outcome.wait(until: context.deadline, for: { $0 }) else {
            throw ObjectStoreError(
                kind: .unavailable, operation: "GetObject", message: "The bytes did not arrive in time.",
                isRetryable: true)
        }
        return try result.get()
    }

    /// Begins to fetch the whole of a small object in whatever version stands under the key now, and tells by the headers
    /// whether that is this reader's. Nil, with nothing done, where that isn't one request that is needed anyway: the
    /// object is empty or large, or some of it is here or on its way.
    ///
    /// Reads may wait for the bytes at once; where it is another version they fail with `preconditionFailed`.
    package func revalidate(at key: ObjectKey) -> Revalidation? {
        guard (1...Self.wholeLimit).contains(size) else { return nil }
        let revalidation = Revalidation()
        let fetches: [Fetch] = cache.state.withLock { _ in
            guard guarded.value.blocks.isEmpty, guarded.value.pin.key == key else { return [] }
            return plan(0..<size, ReadAdvice([0..<size], piece: Self.wholeLimit), revalidation)
        }
        guard !fetches.isEmpty else { return nil }
        for fetch in fetches { cache.start(fetch) }
        return revalidation
    }

    /// Ends the fetches that nobody waits for; for when the last handle has been closed.
    package func cancelReadAhead() {
        let idle = cache.state.withLock { _ in
            guarded.value.fetches.values.filter { fetch in
                !guarded.value.waiters.values.contains { $0.range.overlaps(fetch.range) }
            }
        }
        for fetch in idle { fetch.cancelIdle() }
    }

    private func giveUp(_ number: UInt64) {
        let waiter = cache.state.withLock { _ in guarded.value.waiters.removeValue(forKey: number) }
        waiter?.deliver(
            .failure(
                ObjectStoreError(
                    kind: .cancelled, operation: "GetObject", message: "The reader was stopped.", isRetryable: true)))
    }

    // MARK: Under the cache's lock

    /// The bytes of `range` if every block has them; memory that this sets free is added to `spent`.
    func gather(_ range: ByteRange, _ state: inout CacheState, _ spent: inout SpentMemory) -> ReadBytes? {
        var segments: [UnsafeRawBufferPointer] = []
        var owners: [Slab] = []
        let pieces = grid.pieces(of: range)
        let isThere = pieces.allSatisfy { piece in
            guard let block = guarded.value.blocks[piece.index], block.slab != nil else { return false }
            return block.filled >= piece.range.upperBound
        }
        guard isThere else { return nil }
        for piece in pieces {
            guard let block = guarded.value.blocks[piece.index], let slab = block.slab else { return nil }
            segments.append(UnsafeRawBufferPointer(start: slab.base + piece.range.lowerBound, count: piece.range.count))
            owners.append(slab)
            spent.add(state.serve(block, piece.range.count))
        }
        return ReadBytes(segments: segments, owners: owners)
    }

    /// Fetches for what of `range` is neither here nor on its way; entered already, to be started after the lock.
    func plan(_ range: ByteRange, _ advice: ReadAdvice, _ revalidation: Revalidation? = nil) -> [Fetch] {
        let own = guarded.value
        guard !range.isEmpty else { return [] }
        var indices = grid.indices(of: range)
        var blocksPerFetch = max(1, Int(advice.piece / grid.blockBytes))
        let isMissing = indices.contains { own.blocks[$0] == nil }
        guard isMissing else { return [] }
        let isStreamed = advice.isStreamed && size > Self.wholeLimit
        if size <= Self.wholeLimit, own.blocks.isEmpty {
            indices = grid.indices(of: 0..<size)
            blocksPerFetch = indices.count
        }
        var fetches: [Fetch] = []
        var run: [CacheBlock] = []
        func close() {
            guard !run.isEmpty else { return }
            own.lastNumber += 1
            let fetch = Fetch(number: own.lastNumber, reader: self, blocks: run, revalidation)
            own.fetches[fetch.number] = fetch
            fetches.append(fetch)
            run = []
        }
        for index in indices {
            if own.blocks[index] != nil {
                close()
                continue
            }
            let block = makeBlock(index, isStreamed: isStreamed)
            own.blocks[index] = block
            run.append(block)
            if run.count == blocksPerFetch { close() }
        }
        close()
        return fetches
    }

    /// The parked reads that have all their bytes now, taken off the list.
    func takeSatisfied(_ state: inout CacheState, _ spent: inout SpentMemory) -> [(Waiter, ReadBytes)] {
        var satisfied: [(Waiter, ReadBytes)] = []
        for (number, waiter) in guarded.value.waiters {
            guard let bytes = gather(waiter.range, &state, &spent) else { continue }
            guarded.value.waiters[number] = nil
            satisfied.append((waiter, bytes))
        }
        return satisfied
    }

    private func makeBlock(_ index: Int64, isStreamed: Bool = false) -> CacheBlock {
        let length = Int(min(grid.blockBytes, size - index * grid.blockBytes))
        return CacheBlock(index: index, length: length, isStreamed: isStreamed, reader: guarded.value)
    }
}

/// Memory that was given up under a lock, to be let go of after it.
struct SpentMemory: @unchecked Sendable {
    // Unchecked: it only holds references until they are let go of by its one owner.
    private var slabs: [UncheckedSendable<Slab?>] = []

    mutating func add(_ slab: UncheckedSendable<Slab?>?) {
        if let slab { slabs.append(slab) }
    }

    mutating func letGo() { slabs = [] }
}
