import Glibc
import Instrumentation
import ObjectStore
import Runtime

/// One request for neighbouring blocks of a version, from its place in line to its last byte.
final class Fetch: ObjectReceiver, @unchecked Sendable {
    // Unchecked: `isReplaced`, `isWhole` and `isMixed` are of the store's thread, and of the fetch's own once a get has
    // ended; `blocks` is set before the request begins, and loses some between two; their `slab` then too; `filled` changes
    // under the cache's lock; bytes are written only past `filled`, only by the store's thread, and read only below it.
    let number: UInt64
    private let reader: ObjectReader
    private var blocks: [CacheBlock]
    private let deadline: Deadline
    private let cancellation = Cancellation()
    private let idle = Locked(false)
    /// Whoever waits for the headers; then the version isn't pinned.
    private let revalidation: Revalidation?
    /// Whether the answer is of another version than the reader's.
    private var isReplaced = false
    /// Whether it brings the whole object, whose checksum the store compares once all bytes are here.
    private var isWhole = false
    /// Whether bytes came again and differ from those that were handed on.
    private var isMixed = false

    /// Bytes that differ from their checksum are asked for so often again: they seldom do twice.
    private static let repeats = 2

    init(number: UInt64, reader: ObjectReader, blocks: [CacheBlock], _ revalidation: Revalidation?) {
        self.revalidation = revalidation
        self.number = number
        self.reader = reader
        self.blocks = blocks
        deadline = .after(reader.cache.configuration.deadline)
    }

    /// The bytes that it brings; never empty.
    var range: ByteRange {
        let first = blocks.first?.index ?? 0
        let start = first * reader.grid.blockBytes
        return start..<min(start + Int64(blocks.count) * reader.grid.blockBytes, reader.size)
    }

    /// Ends it, as nobody waits for it; whoever comes to wait meanwhile gets a new one.
    func cancelIdle() {
        idle.withLock { $0 = true }
        cancellation.cancel()
    }

    /// Ends it before it began, as the cache is stopping.
    func abandon() {
        finish(error(.cancelled, "The mount is ending."))
    }

    /// Sends the request and stays until its end; on a thread of the cache.
    func run() {
        if deadline.hasPassed {
            return finish(error(.unavailable, "The server did not answer the reads before this one in time."))
        }
        guard provideMemory() else { return finish(nil) }
        var repeated = 0
        while true {
            isWhole = range == 0..<reader.size
            let pin = reader.cache.state.withLock { _ in reader.guarded.value.pin }
            guard let failure = bring(pin, isRepeat: repeated > 0) else {
                release()
                return finish(nil)
            }
            let isGone = failure.kind == .notFound || failure.kind == .preconditionFailed
            if isGone, isMoved(from: pin) { continue }
            guard failure.kind == .corrupted, repeated < Self.repeats, rewind() else { return finish(failure) }
            repeated += 1
            reader.cache.log(
                .warning, "bytes differ from their checksum, fetched again", [LogField("cause", failure.message)])
        }
    }

    /// One get; nil where it brought everything.
    private func bring(_ pin: (key: ObjectKey, etag: ETag), isRepeat: Bool) -> ObjectStoreError? {
        let request = GetRequest(
            key: pin.key, range: isWhole ? nil : range, ifMatch: revalidation == nil || isRepeat ? pin.etag : nil)
        do throws(ObjectStoreError) {
            try reader.cache.store.get(
                request, into: self, RequestContext(deadline: deadline, cancellation: cancellation))
            return nil
        } catch {
            return isMixed ? self.error(.corrupted, "Bytes of the object came twice and differ.") : error
        }
    }

    /// Whether the bytes go by another key or ETag by now, as a rename or removal of our own moved them while they were
    /// asked for; what has come stays.
    private func isMoved(from pin: (key: ObjectKey, etag: ETag)) -> Bool {
        reader.cache.state.withLock { _ in
            let present = reader.guarded.value.pin
            guard present.key != pin.key || present.etag != pin.etag else { return false }
            blocks.removeAll { $0.isComplete }
            return !blocks.isEmpty
        }
    }

    func begin(_ info: ObjectInfo) {
        guard let revalidation else { return }
        let pinned = reader.cache.state.withLock { _ in reader.guarded.value.pin.etag }
        // Of a symbolic link, headers and bytes may be of two objects.
        isReplaced = info.etag != pinned || info.size != reader.size || info.type == .symlink
        revalidation.settle(isReplaced ? .replaced : .current(info))
    }

    func receive(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Bool {
        if isReplaced { return false }
        var position = offset
        var rest = bytes[...]
        while !rest.isEmpty {
            let index = Int(reader.grid.index(of: position) - (blocks.first?.index ?? 0))
            let within = reader.grid.position(of: position)
            guard blocks.indices.contains(index), let slab = blocks[index].slab, within < blocks[index].length
            else { return false }
            let count = min(blocks[index].length - within, rest.count)
            guard keep(UnsafeRawBufferPointer(rebasing: rest.prefix(count)), in: blocks[index], slab, at: within) else {
                isMixed = true
                return false
            }
            let block = blocks[index]
            // The end of a whole object is held back until its checksum is known to be right: no reader gets past it.
            let isHeld = isWhole && index == blocks.count - 1 && within + count == block.length
            handOn(block, upTo: within + count - (isHeld ? 1 : 0))
            position += Int64(count)
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Puts bytes into their slab; what is handed on already is compared instead, and false says that it differs.
    private func keep(_ bytes: UnsafeRawBufferPointer, in block: CacheBlock, _ slab: Slab, at offset: Int) -> Bool {
        let known = min(max(block.filled - offset, 0), bytes.count)
        guard let source = bytes.baseAddress, memcmp(slab.base + offset, source, known) == 0 else { return false }
        (slab.base + offset + known).copyMemory(from: source + known, byteCount: bytes.count - known)
        return true
    }

    private func handOn(_ block: CacheBlock, upTo filled: Int) {
        var spent = SpentMemory()
        let satisfied: UncheckedSendable<[(ObjectReader.Waiter, ReadBytes)]> = reader.cache.state.withLock { state in
            guard filled > block.filled else { return UncheckedSendable([]) }
            block.filled = filled
            if block.isComplete { state.append(block) }
            return UncheckedSendable(reader.takeSatisfied(&state, &spent))
        }
        spent.letGo()
        for (waiter, bytes) in satisfied.value { waiter.deliver(.success(bytes)) }
    }

    /// Lets go of the end that was held back.
    private func release() {
        if isWhole, let last = blocks.last { handOn(last, upTo: last.length) }
    }

    /// Forgets what came and nobody has read, to bring all of it again; false where what was read can't be compared, as its
    /// memory is gone.
    private func rewind() -> Bool {
        reader.cache.state.withLock { state in
            guard blocks.allSatisfy({ $0.slab != nil }) else { return false }
            for block in blocks where !block.isRead {
                state.remove(block)
                block.filled = 0
            }
            return true
        }
    }

    /// Takes a slab for each block; where the budget ends, shortens the fetch to what is waited for. False: nothing is left.
    private func provideMemory() -> Bool {
        for position in blocks.indices {
            if let slab = reader.cache.takeSlab() {
                blocks[position].slab = slab
                continue
            }
            let isNeeded = reader.cache.state.withLock { _ in
                if blocks[position...].contains(where: { reader.guarded.value.isWaitedFor($0.index) }) { return true }
                for block in blocks[position...] { reader.guarded.value.blocks[block.index] = nil }
                return false
            }
            guard isNeeded, let slab = reader.cache.slabs.takeReserve() else {
                if !isNeeded { blocks.removeSubrange(position...) }
                break
            }
            blocks[position].slab = slab
        }
        return !blocks.isEmpty && blocks.allSatisfy { $0.slab != nil }
    }

    /// Settles what came and what didn't: incomplete blocks go, and with them the reads that wait for them.
    private func finish(_ ending: ObjectStoreError?) {
        let failure =
            isReplaced
            ? ObjectStoreError(
                kind: .preconditionFailed, operation: "GetObject", message: "The object has been replaced.",
                isRetryable: false) : ending
        // Where the headers came, this is not heard any more.
        revalidation?.settle(failure.map { .failed($0) } ?? .replaced)
        let wasIdle = idle.withLock { $0 }
        let isDoubtful = failure?.kind == .corrupted
        let (failed, again): ([ObjectReader.Waiter], [Fetch]) = reader.cache.state.withLock { state in
            let own = reader.guarded.value
            own.fetches[number] = nil
            var lost = false
            for block in blocks where !block.isComplete || isDoubtful {
                state.remove(block)
                if own.blocks[block.index] === block { own.blocks[block.index] = nil }
                lost = true
            }
            guard lost else { return ([], []) }
            let orphans = own.waiters.filter { _, waiter in
                reader.grid.pieces(of: waiter.range).contains { own.blocks[$0.index] == nil }
            }
            if wasIdle {
                return (
                    [],
                    orphans.values.flatMap {
                        reader.plan($0.range, ReadAdvice([$0.range], piece: ObjectReader.wholeLimit))
                    }
                )
            }
            for number in orphans.keys { own.waiters[number] = nil }
            return (Array(orphans.values), [])
        }
        for fetch in again { reader.cache.start(fetch) }
        if let failure, failed.isEmpty, failure.kind != .cancelled {
            reader.cache.log(.debug, "read-ahead failed", [LogField("code", failure.code)])
        }
        let reason = failure ?? error(.unavailable, "There is no memory for this read.")
        for waiter in failed { waiter.deliver(.failure(reason)) }
    }

    private func error(_ kind: ObjectStoreErrorKind, _ message: String) -> ObjectStoreError {
        ObjectStoreError(kind: kind, operation: "GetObject", message: message, isRetryable: true)
    }
}
