import Instrumentation
import ObjectStore
import Runtime

// Writing, as a whole. Every file with unsent changes has an `UploadSession`: a `BlockMap` of its bytes, and what of them is
// on its way. The engine is what the sessions of a mount share: the store, the memory, the staging folder, the threads
// that send.
//
// How bytes go out. A small file is one put, at its commit. Bytes that are written in order, more than `PartLimits.wholePut`
// of them, stream: they are cut into parts of a multipart upload and sent while more come in. The stream's first bytes are
// held back until the commit, as programs come back to their headers, and cost nothing then. A stream is direct, its
// upload begun under the file's own key, where nothing will need what was sent and dropped again: a file new or truncated,
// opened for writing alone. Else it is hidden: begun under a key of ours, which can be completed and read at any time, and
// is copied to the file's key at the commit. All else, an edit of an object above all, is planned at the commit
// (`CommitPlan`): what was changed is sent, the rest is copied inside the store.
//
// Memory. Slabs come from one pool. Who needs one and finds none asks `relieve`, which in this order gives back what was
// sent, cuts the longest run short and sends it, moves changes to the staging file, or, without room there, to hidden
// objects. So nothing that holds memory waits for memory, but for one slab of each file, which is outside the budget.
//
// Locks: a session's own, below its file's and above the cache's; the engine's is a leaf. None is held while bytes move.

/// What the upload sessions of one mount share.
package final class UploadEngine: Sendable {
    package struct Configuration: Sendable {
        package var limits: PartLimits
        /// How long one request may take, repeats included.
        package var deadline: Duration
        /// What the keys of our own hidden objects begin with: `PREFIX.ossmount/up/MOUNT`.
        package var hiddenPrefix: [UInt8]
        /// And those of objects of others that are out of the way for a moment: never swept, as nothing else has them.
        package var asidePrefix: [UInt8]
        /// Parts under way at once. 16: as many connections as saturate a link of 50 Gbit/s at 20 ms.
        package var transfers = 16

        package init(limits: PartLimits, deadline: Duration, hiddenPrefix: [UInt8], asidePrefix: [UInt8]) {
            self.limits = limits
            self.deadline = deadline
            self.hiddenPrefix = hiddenPrefix
            self.asidePrefix = asidePrefix
        }
    }

    package let configuration: Configuration
    let store: any ObjectStore
    let cache: BlockCache
    let staging: StagingFolder?
    let log: Log
    /// Sends parts.
    private let uploads: WorkerPool
    /// Puts objects together: its work may wait for memory, and so for parts that are sent, and is apart from that.
    private let commits: WorkerPool
    /// Removes what is no longer needed; its work waits for nobody.
    private let sweeps: WorkerPool
    /// A quarter of the budget, so that the rest can still be moved out of the way.
    let fetches: FetchAllowance
    /// Guards who there is, and how much is on its way; a leaf.
    private let state = Locked(State())

    private struct State {
        var lastNumber: UInt64 = 0
        var sessions: [UInt64: Weak] = [:]
        var inFlightBytes: Int64 = 0
        var hiddenCount = 0
        /// Where the search for somebody to relieve goes on, so that all get their turn.
        var turn: UInt64 = 0
    }

    private struct Weak: @unchecked Sendable {
        // Unchecked: weak references are safe to read from any thread.
        weak var session: UploadSession?
    }

    package init(
        store: any ObjectStore, cache: BlockCache, staging: StagingFolder?, configuration: Configuration, log: Log
    ) {
        self.store = store
        self.cache = cache
        self.staging = staging
        self.configuration = configuration
        self.log = log
        fetches = FetchAllowance(limit: Int64(cache.slabs.budgetBytes) / 4)
        uploads = WorkerPool(name: "upload", limit: configuration.transfers)
        commits = WorkerPool(name: "commit", limit: 4 * configuration.transfers)
        sweeps = WorkerPool(name: "sweep", limit: 4)
    }

    /// Lets what is being sent end; false if something still is at the deadline.
    package func stop(by deadline: Deadline) -> Bool {
        let areCommitted = commits.stop(by: deadline)
        let areSent = uploads.stop(by: deadline)
        return sweeps.stop(by: deadline) && areSent && areCommitted
    }

    var limits: PartLimits { configuration.limits }

    /// The bounds of one request that moves `bytes`.
    func context(_ cancellation: Cancellation? = nil, bytes: Int64 = 0) -> RequestContext {
        let time = configuration.deadline + .seconds(bytes / Self.slowestBytesPerSecond)
        return RequestContext(deadline: .after(time), cancellation: cancellation)
    }

    /// 8 KiB/s: sixteen parts at once over a line of 1 Mbit/s.
    private static let slowestBytesPerSecond: Int64 = 8 << 10

    // MARK: Sessions

    func register(_ session: UploadSession, as number: UInt64) {
        let reference = Weak(session: session)
        state.withLock { $0.sessions[number] = reference }
    }

    func unregister(_ number: UInt64) { _ = state.withLock { $0.sessions.removeValue(forKey: number) } }

    /// A number that no session or stream of this mount has had.
    func nextNumber() -> UInt64 {
        state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    /// A key of our own that nothing has.
    func hiddenKey() -> ObjectKey {
        state.withLock { $0.hiddenCount += 1 }
        return ObjectKey(configuration.hiddenPrefix + Self.random())
    }

    /// How many hidden objects and uploads are in the bucket, as far as is known; at the mount's end, what a later start
    /// must tidy up.
    package var hiddenCount: Int { state.withLock { $0.hiddenCount } }

    private func noteGone(_ key: ObjectKey) {
        if key.bytes.starts(with: configuration.hiddenPrefix) { state.withLock { $0.hiddenCount -= 1 } }
    }

    /// A key for what stands under a file's key and must be put back there.
    func asideKey() -> ObjectKey { ObjectKey(configuration.asidePrefix + Self.random()) }

    private static func random() -> [UInt8] {
        Array(("-" + String(UInt64.random(in: 1 << 60 ... .max), radix: 16)).utf8)
    }

    // MARK: Work

    /// Runs `work` on a thread that sends; false once the mount is ending.
    func submit(_ work: @escaping @Sendable () -> Void) -> Bool { uploads.submit(work) }

    /// Runs `work` on a thread that puts objects together; false once the mount is ending.
    func submitCommit(_ work: @escaping @Sendable () -> Void) -> Bool { commits.submit(work) }

    /// Does `work` for 0 up to `count`, several at once, and returns what each gave; the first error ends it.
    func inParallel<Value: Sendable>(
        _ count: Int, _ context: RequestContext,
        _ work: @escaping @Sendable (Int) throws(ObjectStoreError) -> Value
    ) throws(ObjectStoreError) -> [Value] {
        guard count > 1 else { return count == 1 ? [try work(0)] : [] }
        let progress = Locked(Progress<Value>(count: count))
        let worker: @Sendable () -> Void = {
            while let index = progress.withLock({ $0.take() }) {
                do throws(ObjectStoreError) {
                    let value = try work(index)
                    progress.withLock { $0.results[index] = value }
                } catch {
                    progress.withLock { $0.failure = $0.failure ?? error }
                }
            }
            progress.withLock { $0.workers -= 1 }
            progress.wakeAll()
        }
        for _ in 1..<min(count, configuration.transfers) {
            progress.withLock { $0.workers += 1 }
            if !commits.submit(worker) { progress.withLock { $0.workers -= 1 } }
        }
        progress.withLock { $0.workers += 1 }
        // This thread does its share, so that there is one in any case.
        worker()
        // Each request has a deadline of its own.
        _ = progress.wait(until: .never) { $0.workers == 0 ? true : nil }
        let (results, failure) = progress.withLock { ($0.results, $0.failure) }
        if let failure { throw failure }
        return results.compactMap { $0 }
    }

    private struct Progress<Value> {
        var next = 0
        let count: Int
        var workers = 0
        var results: [Value?]
        var failure: ObjectStoreError?

        init(count: Int) {
            self.count = count
            results = Array(repeating: nil, count: count)
        }

        mutating func take() -> Int? {
            guard failure == nil, next < count else { return nil }
            defer { next += 1 }
            return next
        }
    }

    /// Deletes hidden objects, later and unseen; what can't be deleted is swept at a later start.
    func sweep(_ keys: [ObjectKey]) {
        for key in keys {
            sweeps.submit { [self] in
                do throws(ObjectStoreError) {
                    try store.delete(key, context())
                    noteGone(key)
                } catch {
                    log(
                        .info, "a hidden object stays behind",
                        [LogField("key", key.bytes), LogField("code", error.code)])
                }
            }
        }
    }

    /// Aborts an upload, later and unseen.
    func abort(_ address: UploadAddress) {
        sweeps.submit { [self] in
            do throws(ObjectStoreError) {
                try store.abortUpload(address, context())
                noteGone(address.key)
            } catch {
                log(
                    .info, "an unfinished upload stays behind",
                    [LogField("key", address.key.bytes), LogField("code", error.code)])
            }
        }
    }

    func noteInFlight(_ bytes: Int64) { state.withLock { $0.inFlightBytes += bytes } }

    // MARK: Memory

    /// Slabs without waiting; nil, and none taken, where there aren't enough.
    package func takeSlabsNow(_ count: Int) -> [Slab]? {
        var slabs: [Slab] = []
        while slabs.count < count {
            guard let slab = cache.takeSlab() else { return nil }
            slabs.append(slab)
        }
        return slabs
    }

    /// One slab, waiting for memory where there is none; the caller holds none that others could need.
    ///
    /// - Parameter isFailing: looked at while there is none; what it returns ends the wait.
    func takeSlab(
        _ context: RequestContext, unless isFailing: () -> ObjectStoreError? = { nil }
    ) throws(ObjectStoreError) -> Slab {
        let freed = Locked(false)
        while true {
            let number = cache.slabs.whenFreed {
                freed.withLock { $0 = true }
                freed.wakeAll()
            }
            defer { cache.slabs.forget(number) }
            if let slab = cache.takeSlab() { return slab }
            if relieve() { continue }
            if let error = isFailing() { throw error }
            if context.cancellation?.isCancelled == true {
                throw ObjectStoreError(
                    kind: .cancelled, operation: "memory", message: "The writer was stopped.", isRetryable: true)
            }
            if context.deadline.hasPassed {
                throw ObjectStoreError(
                    kind: .unavailable, operation: "memory",
                    message: "No memory came free in time: unsent bytes hold it all.", isRetryable: true)
            }
            // Looks up from time to time for a cancellation, which has no way to wake this wait.
            _ = freed.wait(until: min(.after(.milliseconds(100)), context.deadline)) { isFreed -> Bool? in
                defer { isFreed = false }
                return isFreed ? true : nil
            }
        }
    }

    /// Makes memory free or about to be; false if that is so already, or can't be done.
    private func relieve() -> Bool {
        let (sessions, inFlight): ([UploadSession], Int64) = state.withLock { state in
            let numbers = state.sessions.keys.sorted()
            let next = numbers.firstIndex { $0 > state.turn } ?? 0
            if !numbers.isEmpty { state.turn = numbers[min(next, numbers.count - 1)] }
            return (
                (numbers[next...] + numbers[..<next]).compactMap { state.sessions[$0]?.session }, state.inFlightBytes
            )
        }
        if sessions.contains(where: { $0.dropSent() }) { return true }
        // What is on its way gives its memory back soon; cutting runs ever shorter would only cost requests.
        if inFlight >= Int64(cache.slabs.budgetBytes) / 4 { return false }
        let largestFirst = sessions.map { (session: $0, slabs: $0.heldSlabs) }.sorted { $0.slabs > $1.slabs }
        for (session, slabs) in largestFirst where slabs > 1 {
            if session.cutShort() || session.spill() { return true }
        }
        return false
    }
}
