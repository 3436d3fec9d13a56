/// The table of objects in SQLite: rows by (bucket, key), keys as blobs, so that their order is that of bytes.
struct ObjectIndex {
    private let database: Database
    /// Where changes are noted that listings are not to show yet; nil where they show all at once.
    let recent: RecentChanges?

    init(path: String, listsLate: Bool = false) throws(StorageError) {
        recent = listsLate ? RecentChanges() : nil
        database = try Database(path: path)
        // In WAL mode a commit is one write, which outlives this process. synchronous=OFF: a loss of power may cost
        // commits, which this server doesn't promise to hold, and there are no waits for a disk full of bodies.
        try database.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF; PRAGMA cache_size=-32768")
        let version = try Self.version(of: database)
        try database.execute(
            """
            CREATE TABLE IF NOT EXISTS buckets(name BLOB PRIMARY KEY, created INTEGER NOT NULL) WITHOUT ROWID;
            CREATE TABLE IF NOT EXISTS objects(
                bucket BLOB NOT NULL, key BLOB NOT NULL, size INTEGER NOT NULL, crc INTEGER NOT NULL,
                etag BLOB NOT NULL, md5 BLOB NOT NULL, modified INTEGER NOT NULL, type BLOB NOT NULL,
                class BLOB NOT NULL, acl BLOB NOT NULL, tagging BLOB NOT NULL, fields BLOB NOT NULL,
                body INTEGER NOT NULL, pieces BLOB NOT NULL DEFAULT x'', link BLOB NOT NULL DEFAULT x'',
                restored INTEGER NOT NULL DEFAULT 0, thawed INTEGER NOT NULL DEFAULT 0,
                version BLOB NOT NULL DEFAULT x'', PRIMARY KEY(bucket, key)) WITHOUT ROWID;
            """)
        // The first form had neither lists of pieces nor links.
        if version == 1 {
            try database.execute(
                """
                ALTER TABLE objects ADD COLUMN pieces BLOB NOT NULL DEFAULT x'';
                ALTER TABLE objects ADD COLUMN link BLOB NOT NULL DEFAULT x'';
                ALTER TABLE objects ADD COLUMN restored INTEGER NOT NULL DEFAULT 0;
                ALTER TABLE objects ADD COLUMN thawed INTEGER NOT NULL DEFAULT 0;
                """)
        }
        // The second had no versions.
        if version == 1 || version == 2 {
            try database.execute("ALTER TABLE objects ADD COLUMN version BLOB NOT NULL DEFAULT x''")
        }
        try database.execute(UploadIndex.tables + VersionIndex.tables + "PRAGMA user_version=3")
        try uploads.upgrade()
    }

    var versions: VersionIndex { VersionIndex(database: database) }

    var uploads: UploadIndex { UploadIndex(database: database) }

    private static func version(of database: Database) throws(StorageError) -> Int64 {
        let select = try database.statement("PRAGMA user_version")
        defer { select.reset() }
        return try select.step() ? select.integer(0) : 0
    }

    /// Makes the bucket if it isn't there; its birth in seconds since 1970.
    func ensureBucket(_ name: Bytes, now: Int64) throws -> Int64 {
        let insert = try database.statement("INSERT OR IGNORE INTO buckets VALUES(?, ?)")
        insert.bind(1, name)
        insert.bind(2, now)
        _ = try insert.step()
        insert.reset()
        let select = try database.statement("SELECT created FROM buckets WHERE name = ?")
        defer { select.reset() }
        select.bind(1, name)
        return try select.step() ? select.integer(0) : now
    }

    func transaction<Result>(_ body: () throws -> Result) throws -> Result { try database.transaction(body) }

    /// What `object` reads and `bind` fills, after the bucket.
    static let columns = """
        key, size, crc, etag, md5, modified, type, class, acl, tagging, fields, body, pieces, link, restored, thawed, \
        version
        """

    static func object(_ row: Statement) -> StoredObject {
        let size = UInt64(bitPattern: row.integer(1))
        // A body alone is its own only piece, as it is with nearly all objects.
        let body = BodyID(number: row.integer(11))
        let pieces = body == .empty ? Piece.unpacked(row.bytes(12)) : [Piece](body, length: size)
        return StoredObject(
            key: row.bytes(0), size: size, crc: UInt64(bitPattern: row.integer(2)),
            etag: row.bytes(3), md5: row.bytes(4), modified: row.integer(5), type: row.bytes(6),
            storageClass: row.bytes(7), acl: row.bytes(8), tagging: row.bytes(9),
            fields: Fields(packed: row.bytes(10)), pieces: pieces, link: row.bytes(13),
            restoredFrom: row.integer(15), restoredUntil: row.integer(14), version: row.bytes(16))
    }

    func object(_ bucket: Bytes, _ key: Bytes) throws -> StoredObject? {
        let select = try database.statement("SELECT \(Self.columns) FROM objects WHERE bucket = ? AND key = ?")
        defer { select.reset() }
        select.bind(1, bucket)
        select.bind(2, key)
        return try select.step() ? Self.object(select) : nil
    }

    func put(_ bucket: Bytes, _ object: StoredObject) throws {
        recent?.note(bucket, object.key, before: try self.object(bucket, object.key))
        let insert = try database.statement(
            "INSERT OR REPLACE INTO objects(bucket, \(Self.columns)) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)")
        defer { insert.reset() }
        Self.bind(bucket, object, to: insert)
        _ = try insert.step()
    }

    /// Fills the first eighteen values.
    static func bind(_ bucket: Bytes, _ object: StoredObject, to insert: Statement) {
        insert.bind(1, bucket)
        insert.bind(2, object.key)
        insert.bind(3, Int64(bitPattern: object.size))
        insert.bind(4, Int64(bitPattern: object.crc))
        insert.bind(5, object.etag)
        insert.bind(6, object.md5)
        insert.bind(7, object.modified)
        insert.bind(8, object.type)
        insert.bind(9, object.storageClass)
        insert.bind(10, object.acl)
        insert.bind(11, object.tagging)
        insert.bind(12, object.fields.packed)
        let first = object.pieces.first
        let isPlain = object.pieces.count == 1 && first?.offset == 0 && first?.length == object.size
        insert.bind(13, isPlain ? first?.body.number ?? 0 : 0)
        insert.bind(14, isPlain ? [] : Piece.packed(object.pieces))
        insert.bind(15, object.link)
        insert.bind(16, object.restoredUntil)
        insert.bind(17, object.restoredFrom)
        insert.bind(18, object.version)
    }

    func delete(_ bucket: Bytes, _ key: Bytes) throws {
        recent?.note(bucket, key, before: try object(bucket, key))
        let delete = try database.statement("DELETE FROM objects WHERE bucket = ? AND key = ?")
        defer { delete.reset() }
        delete.bind(1, bucket)
        delete.bind(2, key)
        _ = try delete.step()
    }

    /// Counts by storage class, and the time of the last change.
    func stat(_ bucket: Bytes) throws -> BucketStat {
        let select = try database.statement(
            "SELECT class, count(*), sum(size), max(modified) FROM objects WHERE bucket = ? GROUP BY class")
        defer { select.reset() }
        select.bind(1, bucket)
        var stat = BucketStat()
        while try select.step() {
            stat.classes.append(
                .init(name: select.bytes(0), objects: select.integer(1), bytes: select.integer(2)))
            stat.lastModified = max(stat.lastModified, select.integer(3))
        }
        (stat.uploads, stat.parts) = try uploads.counts(bucket)
        return stat
    }

    /// A cursor over the bucket's rows in the order of their keys; one at a time.
    func cursor(_ bucket: Bytes) -> IndexCursor { IndexCursor(database: database, bucket: bucket) }

    /// The bodies that rows name.
    func bodies() throws -> Set<BodyID> {
        let select = try database.statement("SELECT body FROM objects WHERE body <> 0")
        defer { select.reset() }
        var found = try uploads.bodies().union(versions.bodies())
        while try select.step() { found.insert(BodyID(number: select.integer(0))) }
        let lists = try database.statement("SELECT pieces FROM objects WHERE pieces <> x''")
        defer { lists.reset() }
        while try lists.step() { found.formUnion(Piece.unpacked(lists.bytes(0)).bodies) }
        return found
    }

    /// What a cursor reads; it shares the statement's run with nobody, as the folder's lock is held meanwhile.
    struct IndexCursor: ObjectCursor {
        let database: Database
        let bucket: Bytes
        var statement: Statement?

        mutating func seek(to bound: ListingBound) throws {
            statement?.reset()
            let comparison = bound.isInclusive ? ">=" : ">"
            let select = try database.statement(
                "SELECT \(columns) FROM objects WHERE bucket = ? AND key \(comparison) ? ORDER BY key")
            select.bind(1, bucket)
            select.bind(2, bound.key)
            statement = select
        }

        mutating func next() throws -> StoredObject? {
            guard let statement, try statement.step() else { return nil }
            return ObjectIndex.object(statement)
        }

        mutating func close() { statement?.reset() }
    }
}
