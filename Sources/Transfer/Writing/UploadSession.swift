import Instrumentation
import ObjectStore
import Runtime

/// What an upload needs to know of the file when it begins.
package struct UploadTarget: Sendable {
    package var key: ObjectKey
    /// What the object is to carry, times left out that no program has set.
    package var metadata: ObjectMetadata
    package var properties: ObjectProperties
    /// Whether the bytes may be sent under the key itself: nothing will need what was dropped, nor another name.
    package var isDirect: Bool

    package init(key: ObjectKey, metadata: ObjectMetadata, properties: ObjectProperties, isDirect: Bool) {
        self.key = key
        self.metadata = metadata
        self.properties = properties
        self.isDirect = isDirect
    }
}

/// One file's unsent changes and their journey to one object.
///
/// Any thread may write, read and look; commits, and what completes uploads for them, exclude each other. While a commit
/// puts the object together, writers wait. After a commit that failed everything unsent is still here, and another may
/// be tried, under another key too.
package final class UploadSession: Sendable {
    struct State {
        var map: BlockMap
        /// Made when the first bytes leave memory for the disk.
        var staging: StagingFile?
        var stream: PartStream?
        /// Where the run of changes that a stream would begin with starts and ends.
        var run: ByteRange
        /// Hidden objects that hold bytes of this session.
        var hidden: [ObjectKey] = []
        /// Somebody completes or plans: no new parts, and one at a time.
        var isExclusive = false
        /// The object is being put together: writers wait.
        var isFrozen = false
        /// Why parts could not be sent; nil again once a commit has tried anew.
        var failure: ObjectStoreError?
        var isAbandoned = false
        /// The object was made: the file has another session, or none.
        var isClosed = false
    }

    package let engine: UploadEngine
    /// The object that the changes are of.
    private let base: ObjectReader?
    /// Tells where the file's bytes go, from a thread that may block; nil where the file has no name any more.
    let target: @Sendable () throws(ObjectStoreError) -> UploadTarget?
    let cancellation = Cancellation()
    /// Guards everything of the session; rank: transfer. Threads wait here for parts, for exclusion and for the thaw.
    let state: Locked<State>
    private let number: UInt64

    /// Changes over the object of `base`, or over nothing.
    package init(
        over base: ObjectReader?, engine: UploadEngine,
        target: @escaping @Sendable () throws(ObjectStoreError) -> UploadTarget?
    ) {
        self.engine = engine
        self.base = base
        self.target = target
        let map = BlockMap(over: base, grid: engine.cache.grid)
        state = Locked(State(map: map, run: map.size..<map.size))
        number = engine.nextNumber()
        engine.register(self, as: number)
    }

    deinit {
        engine.unregister(number)
        let (upload, hidden) = state.withLock { ($0.stream?.address, $0.hidden) }
        if let upload { engine.abort(upload) }
        engine.sweep(hidden)
    }

    // MARK: Looking

    /// The length of the file in bytes.
    package var size: Int64 { state.withLock { $0.map.size } }

    /// Whether nothing was written or cut: a session that was only begun.
    package var isUntouched: Bool { state.withLock { !$0.map.isTouched } }

    /// Whether bytes are on their way under the file's own key.
    package var isBoundToKey: Bool { state.withLock { $0.stream?.isDirect == true } }

    /// How many slabs it holds.
    package var heldSlabs: Int { state.withLock { $0.map.slabCount } }

    /// What of the base or of other objects `range` needs, in bytes.
    package func missingBytes(in range: ByteRange) -> Int64 {
        state.withLock { state in
            state.map.pieces(in: range).reduce(0) { sum, piece in
                guard case .source = piece.place else { return sum }
                return sum + Int64(piece.range.count)
            }
        }
    }

    // MARK: Changing

    package enum WriteOutcome: Equatable {
        case written
        /// So many slabs are lacking.
        case lacks(Int)
        /// A commit is under way, or has ended the session.
        case frozen
    }

    /// Takes bytes at `offset` if there are slabs enough; never waits.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64, slabs: inout [Slab]) -> WriteOutcome {
        let (outcome, cut): (WriteOutcome, StreamCut) = state.withLock { state in
            if state.isFrozen || state.isClosed { return (.frozen, StreamCut()) }
            let needed = state.map.slabsNeeded(at: offset, count: bytes.count)
            guard slabs.count >= needed else { return (.lacks(needed - slabs.count), StreamCut()) }
            guard state.map.write(bytes, at: offset, slabs: &slabs) else { return (.lacks(1), StreamCut()) }
            noteRun(offset..<offset + Int64(bytes.count), &state)
            return (.written, cutParts(&state))
        }
        start(cut)
        return outcome
    }

    /// The same with the memory that there is, waiting for it; in pieces, so that what is taken can leave memory again.
    /// False where the session has ended with a commit: what is to be written goes to the file's next one, all of it.
    package func writeWaiting(
        _ bytes: [UInt8], at offset: Int64, _ context: RequestContext
    ) throws(ObjectStoreError) -> Bool {
        for piece in engine.cache.grid.pieces(of: offset..<offset + Int64(bytes.count)) {
            let position = piece.index * engine.cache.grid.blockBytes + Int64(piece.range.lowerBound)
            let start = Int(position - offset)
            var slabs: [Slab] = []
            while true {
                let outcome = bytes[start..<start + piece.range.count].withUnsafeBytes { bytes in
                    write(bytes, at: position, slabs: &slabs)
                }
                switch outcome {
                case .written: break
                case .frozen:
                    slabs = []
                    try waitUntilThawed(context)
                    if state.withLock({ $0.isClosed }) { return false }
                    continue
                case .lacks:
                    if heldSlabs == 0, let own = engine.cache.takeSlab() ?? engine.cache.takeReserve() {
                        slabs.append(own)
                    } else {
                        slabs.append(try engine.takeSlab(context) { [self] in permanentFailure })
                    }
                    continue
                }
                break
            }
        }
        return true
    }

    /// Sets the length; never waits. False, with nothing changed, during a commit.
    package func truncate(to size: Int64) -> Bool {
        state.withLock { state in
            if state.isFrozen || state.isClosed { return false }
            state.stream?.truncate(to: size)
            state.map.truncate(to: size)
            state.run = state.run.clamped(to: 0..<max(size, 0))
            return true
        }
    }

    /// Waits for the end of a commit, after which the file may have another session. A commit has deadlines of its own.
    private func waitUntilThawed(_ context: RequestContext) throws(ObjectStoreError) {
        try wait(RequestContext(deadline: .never, cancellation: context.cancellation)) { state in
            state.isFrozen && !state.isClosed ? nil : true
        }
    }

    /// Makes zeros of what the base still gives, as the bucket has it no more; false where it gives nothing.
    package func dropBase() -> Bool {
        guard let base else { return false }
        return state.withLock { state in
            let lost = state.map.under.extents.filter { extent in
                if case .object(let reader, _) = extent.source { reader === base } else { false }
            }
            for extent in lost { state.map.under.clear(extent.range) }
            return !lost.isEmpty
        }
    }

    /// Nothing of it will be sent: the file is gone, or begins anew. What is under way ends by itself.
    package func abandon() {
        cancellation.cancel()
        state.withLock { $0.isAbandoned = true }
        state.wakeAll()
    }

    /// An error that no repeat can mend, by which waiting writers end.
    private var permanentFailure: ObjectStoreError? {
        state.withLock { state in state.failure.flatMap { $0.isRetryable ? nil : $0 } }
    }

    // MARK: Excluding

    /// Runs `body` as the only one that completes or plans; parts under way have ended then, and none begin.
    func exclusively<Value>(
        _ context: RequestContext, _ body: () throws(ObjectStoreError) -> Value
    ) throws(ObjectStoreError) -> Value {
        // What is waited for has deadlines of its own, by the bytes that it moves.
        let own = RequestContext(deadline: .never, cancellation: context.cancellation)
        try wait(own) { state in
            guard !state.isExclusive else { return nil }
            state.isExclusive = true
            return true
        }
        defer {
            let cut = state.withLock { state in
                state.isExclusive = false
                state.isFrozen = false
                return cutParts(&state)
            }
            state.wakeAll()
            start(cut)
        }
        try wait(own) { state in state.stream?.hasPartsInFlight == true ? nil : true }
        return try body()
    }

    /// Waits until `isDone` gives a value.
    func wait(_ context: RequestContext, _ isDone: (inout State) -> Bool?) throws(ObjectStoreError) {
        let number = context.cancellation?.onCancel { [state] in state.wakeAll() }
        defer { if let number { context.cancellation?.remove(number) } }
        let outcome: Bool? = state.wait(until: context.deadline) { state -> Bool? in
            if context.cancellation?.isCancelled == true { return false }
            return isDone(&state)
        }
        if outcome == true { return }
        throw ObjectStoreError(
            kind: outcome == nil ? .unavailable : .cancelled, operation: "upload",
            message: outcome == nil ? "Sending the file did not end in time." : "The caller was stopped.",
            isRetryable: true)
    }
}
