import Glibc
import Runtime

/// Buckets and objects on disk: an index, bodies, and a lock file that keeps a second server away.
///
/// A write goes: body under a new number, row swapped in one transaction, old body unlinked. A process killed between
/// leaves a body without a row, which the next start sweeps, and never a row without its body. Safe from any thread.
final class ObjectFolder: Sendable {
    struct State {
        var index: ObjectIndex
        var nextBody: Int64
        var births: [Bytes: Int64] = [:]
        var leases = Leases()
        var versioning: [Bytes: Versioning] = [:]
    }

    // The index and the next number; ranks below nothing and above nothing: no other lock is taken under it.
    let state: Locked<State>
    let bodies: BodyStore
    private let lockFile: LockFile

    /// Holds the lock as long as it lives, and not longer than the process, however that ends.
    private final class LockFile: Sendable {
        let descriptor: Int32
        init(_ descriptor: Int32) { self.descriptor = descriptor }
        deinit { close(descriptor) }
    }

    /// Opens or makes the folder at `path`, which a server has to itself. Blocks for the sweep.
    init(path: String, buckets: [Bytes], isSynthetic: Bool = false, listsLate: Bool = false) throws {
        try BodyStore.makeFolder(path)
        lockFile = try Self.lock(path + "/lock")
        let bodies = try BodyStore(folder: path + "/bodies", isSynthetic: isSynthetic)
        let index = try ObjectIndex(path: path + "/index.sqlite", listsLate: listsLate)
        let used = try index.bodies()
        var last = used.lazy.map(\.number).max() ?? 0
        for body in try bodies.all() {
            last = max(last, body.number)
            if !used.contains(body) { bodies.remove(body) }
        }
        var births: [Bytes: Int64] = [:]
        for bucket in buckets { births[bucket] = try index.ensureBucket(bucket, now: Dates.now) }
        self.bodies = bodies
        state = Locked(
            State(index: index, nextBody: last + 1, births: births, versioning: try index.versions.versioning()))
    }

    private static func lock(_ path: String) throws(StorageError) -> LockFile {
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StorageError(action: "open the lock file", number: errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let number = errno
            close(descriptor)
            throw StorageError(action: "lock the folder, which another server has", number: number)
        }
        return LockFile(descriptor)
    }

    /// When the bucket was made, in seconds since 1970; nil where there is no such bucket.
    func birth(ofBucket bucket: Bytes) -> Int64? { state.withLock { $0.births[bucket] } }

    /// In the order of bytes.
    var bucketNames: [Bytes] { state.withLock { $0.births.keys.sorted(by: precedes) } }

    func stat(_ bucket: Bytes) throws -> BucketStat { try state.withLock { try $0.index.stat(bucket) } }

    func object(_ bucket: Bytes, _ key: Bytes) throws -> StoredObject? {
        try state.withLock { try $0.index.object(bucket, key) }
    }

    /// Ends what `open` began.
    func giveBack(_ lease: UInt64) { remove(state.withLock { $0.leases.giveBack(lease) }) }

    func remove(_ gone: [BodyID]) { for body in gone { bodies.remove(body) } }

    func newBody() -> BodyID {
        state.withLock { state in
            defer { state.nextBody += 1 }
            return BodyID(number: state.nextBody)
        }
    }

    /// Makes `object` the one under its key, if `check` lets it: it gets what is there now and throws to refuse.
    @discardableResult
    func put(_ bucket: Bytes, _ object: StoredObject, check: (StoredObject?) throws -> Void) throws -> StoredObject {
        try change(bucket, object.key, makesVersion: true) { old in
            try check(old)
            return object
        }
    }

    /// Puts what `make` gives in the place of what it gets, or refuses by throwing. The pieces of the old object that
    /// the new one hasn't are given up, unless the bucket keeps versions and the change makes one.
    func change(
        _ bucket: Bytes, _ key: Bytes, makesVersion: Bool = false, make: (StoredObject?) throws -> StoredObject
    ) throws -> StoredObject {
        let (object, gone) = try state.withLock { state in
            let versions = state.versions(bucket)
            let (lost, object) = try state.index.transaction {
                let old = try state.index.object(bucket, key)
                var object = try make(old)
                let lost = try versions.replace(old, by: &object, isNew: makesVersion || old == nil)
                return (lost, object)
            }
            return (object, Self.retire(lost, keeping: object.pieces, &state))
        }
        remove(gone)
        return object
    }

    /// What of the lost objects' bodies may be unlinked at once.
    static func retire(_ lost: [StoredObject], keeping pieces: [Piece], _ state: inout State) -> [BodyID] {
        guard !lost.isEmpty else { return [] }
        return state.leases.retire(Set(lost.flatMap(\.pieces.bodies)).subtracting(pieces.bodies))
    }

    /// Puts a copy of one object in the place of another (or of itself). `make` gets the source and what is at the
    /// target, and gives the row, whose pieces are filled in here, or throws to refuse.
    func copy(
        from source: (bucket: Bytes, key: Bytes), version: Bytes? = nil, to target: (bucket: Bytes, key: Bytes),
        make: (StoredObject, StoredObject?) throws -> StoredObject
    ) throws -> StoredObject {
        let (copy, gone) = try state.withLock { state in
            let (sources, targets) = (state.versions(source.bucket), state.versions(target.bucket))
            let (lost, copy) = try state.index.transaction {
                let original = try sources.find(source.key, version: version)
                let old = try state.index.object(target.bucket, target.key)
                var copy = try make(original, old)
                copy.key = target.key
                copy.pieces = try link(original.pieces, &state.nextBody)
                let lost = try targets.replace(old, by: &copy, isNew: true)
                return (lost, copy)
            }
            return (copy, Self.retire(lost, keeping: copy.pieces, &state))
        }
        remove(gone)
        return copy
    }

    /// The same bytes under names of their own: bodies never change.
    func link(_ pieces: [Piece], _ nextBody: inout Int64) throws(StorageError) -> [Piece] {
        var copies: [Piece] = []
        for piece in pieces {
            guard piece.body != .synthetic else {
                copies.append(piece)
                continue
            }
            var copy = piece
            copy.body = BodyID(number: nextBody)
            nextBody += 1
            try bodies.link(piece.body, as: copy.body)
            copies.append(copy)
        }
        return copies
    }

    func list(_ bucket: Bytes, _ query: ListingQuery) throws -> ListingPage {
        try state.withLock { state in
            var cursor = state.index.cursor(bucket)
            defer { cursor.close() }
            guard let recent = state.index.recent else { return try ListingPage(query, &cursor) }
            var late = LateCursor(cursor, shown: recent.shown(bucket))
            defer { late.close() }
            return try ListingPage(query, &late)
        }
    }
}
