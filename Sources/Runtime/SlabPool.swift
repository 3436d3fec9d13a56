import Glibc

/// One fixed-size buffer; its memory goes back to the pool, and its bytes to the budget, with the last reference.
package final class Slab: @unchecked Sendable {
    // Unchecked: who writes to a slab is settled by its owner (a block map or a read block), under that owner's lock.
    package let base: UnsafeMutableRawPointer
    private let pool: SlabPool
    private let isReserve: Bool

    fileprivate init(base: UnsafeMutableRawPointer, pool: SlabPool, isReserve: Bool) {
        self.base = base
        self.pool = pool
        self.isReserve = isReserve
    }

    deinit { pool.give(base, isReserve: isReserve) }
}

/// The one owner of data buffers: slabs of one length under a budget of bytes.
///
/// Who pays: each slab counts against `budgetBytes` from `take` until its last reference goes. Slabs of the reserve count
/// apart (`takeReserve`): one for each open writable file and each running read, so that nothing that holds memory
/// waits for memory. Memory given back stays mapped for reuse, as a first touch costs more than a copy; `trim` gives it
/// to the system. Slabs come in chunks that the kernel may back with huge pages, which make the first touch cheaper.
package final class SlabPool: Sendable {
    /// 256 KiB: two of the kernel's default reads, a hundredth of a small budget.
    package static let defaultSlabBytes = 256 * 1024
    /// A page, below which `trim` could give nothing back, to 1 MiB: the largest read or write of the kernel. Tests take
    /// small ones, so that short files have many blocks.
    package static let slabRange = 4096...(1 << 20)

    /// 8 MiB: four huge pages, which no budget is too small for.
    private static let chunkBytes = 8 << 20
    /// The size of a huge page on x86-64 and arm64 with 4 KiB pages.
    private static let hugePageBytes = 2 << 20

    private struct State {
        var chunks: [UnsafeMutableRawPointer] = []
        var free: [UnsafeMutableRawPointer] = []
        var takenBytes = 0
        var reserveBytes = 0
        var peakBytes = 0
        var waiters: [UInt64: @Sendable () -> Void] = [:]
        var nextWaiter: UInt64 = 0
    }

    package let budgetBytes: Int
    /// The length of each slab in bytes.
    package let slabBytes: Int
    // Guarded: the free list, what is taken, who waits. A leaf lock: nothing is called while it is held.
    private let state = Locked(UncheckedSendable(State()))

    /// A pool that owns nothing yet. `slabBytes` is a power of two within `slabRange`.
    package init(budgetBytes: Int, slabBytes: Int = SlabPool.defaultSlabBytes) {
        precondition(
            Self.slabRange.contains(slabBytes) && slabBytes.nonzeroBitCount == 1,
            "A slab's length is a power of two from 4 KiB to 1 MiB.")
        self.slabBytes = slabBytes
        self.budgetBytes = max(budgetBytes, slabBytes)
    }

    deinit {
        // Every slab holds the pool, so none is out.
        state.withLock { state in
            for chunk in state.value.chunks { munmap(chunk, Self.chunkBytes) }
        }
    }

    /// A slab of unspecified content if the budget has room for it now, else nil.
    package func take() -> Slab? { take(isReserve: false) }

    /// A slab outside the budget's competition; nil only where the system itself has no memory.
    package func takeReserve() -> Slab? { take(isReserve: true) }

    /// Bytes of the budget in use now.
    package var takenBytes: Int { state.withLock { $0.value.takenBytes } }

    /// The most bytes, reserve included, that were ever in use together.
    package var peakBytes: Int { state.withLock { $0.value.peakBytes } }

    /// Calls `handler` once, when bytes of the budget have come back; it must not block. Returns a number for `forget`.
    package func whenFreed(_ handler: @escaping @Sendable () -> Void) -> UInt64 {
        state.withLock { state in
            state.value.nextWaiter += 1
            state.value.waiters[state.value.nextWaiter] = handler
            return state.value.nextWaiter
        }
    }

    /// Forgets the handler `number`; it may still be running when this returns.
    package func forget(_ number: UInt64) {
        _ = state.withLock { $0.value.waiters.removeValue(forKey: number) }
    }

    /// Gives all unused memory back to the system; the addresses stay the pool's.
    package func trim() {
        state.withLock { state in
            for base in state.value.free { madvise(base, slabBytes, MADV_DONTNEED) }
        }
    }

    private func take(isReserve: Bool) -> Slab? {
        let isAllowed = state.withLock { state in
            if isReserve {
                state.value.reserveBytes += slabBytes
            } else {
                guard state.value.takenBytes + slabBytes <= budgetBytes else { return false }
                state.value.takenBytes += slabBytes
            }
            state.value.peakBytes = max(state.value.peakBytes, state.value.takenBytes + state.value.reserveBytes)
            return true
        }
        guard isAllowed else { return nil }
        if let base = takeFree() ?? mapChunk() { return Slab(base: base, pool: self, isReserve: isReserve) }
        settle(isReserve: isReserve)
        return nil
    }

    private func takeFree() -> UnsafeMutableRawPointer? {
        state.withLock { UncheckedSendable($0.value.free.popLast()) }.value
    }

    /// Maps another chunk and returns its first slab; nil where the system has no memory.
    private func mapChunk() -> UnsafeMutableRawPointer? {
        // A huge page more, to cut the chunk out at a huge page's boundary.
        let length = Self.chunkBytes + Self.hugePageBytes
        let mapped = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let mapped, mapped != MAP_FAILED else { return nil }
        let offset = Int(bitPattern: mapped) % Self.hugePageBytes
        let before = offset == 0 ? 0 : Self.hugePageBytes - offset
        if before > 0 { munmap(mapped, before) }
        munmap(mapped + before + Self.chunkBytes, Self.hugePageBytes - before)
        let chunk = mapped + before
        // Refused where the kernel has no huge pages, which costs speed alone.
        madvise(chunk, Self.chunkBytes, MADV_HUGEPAGE)
        let slabs = UncheckedSendable(
            stride(from: Self.chunkBytes - slabBytes, to: 0, by: -slabBytes).map { chunk + $0 })
        let added = UncheckedSendable(chunk)
        state.withLock { state in
            state.value.chunks.append(added.value)
            state.value.free.append(contentsOf: slabs.value)
        }
        return chunk
    }

    fileprivate func give(_ base: UnsafeMutableRawPointer, isReserve: Bool) {
        let returned = UncheckedSendable(base)
        state.withLock { $0.value.free.append(returned.value) }
        settle(isReserve: isReserve)
    }

    private func settle(isReserve: Bool) {
        let handlers: [@Sendable () -> Void] = state.withLock { state in
            if isReserve {
                state.value.reserveBytes -= slabBytes
                return []
            }
            state.value.takenBytes -= slabBytes
            defer { state.value.waiters = [:] }
            return Array(state.value.waiters.values)
        }
        for handler in handlers { handler() }
    }
}

/// Carries a value across threads where a lock around it makes that safe and the compiler can't see it.
package struct UncheckedSendable<Value>: @unchecked Sendable {
    // Unchecked: the lock that holds it, or its single owner, orders all access.
    package var value: Value
    package init(_ value: Value) { self.value = value }
}
