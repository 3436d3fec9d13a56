/// Whether a bucket keeps what is replaced and deleted.
enum Versioning: Equatable, Sendable {
    /// It never did.
    case off
    case enabled
    /// It did: what was kept stays, what comes now is the null version.
    case suspended
}

/// A version that is not the current object: an older one, or the mark that a deletion left.
struct OlderVersion: Sendable {
    var object: StoredObject
    var isMarker: Bool
    /// The higher, the later; of the key alone.
    var sequence: Int64
}

/// The tables of what versioned buckets keep; a part of the folder's index, under the same lock. The current object
/// stands in the table of objects; where a mark is what is current, there is no object.
struct VersionIndex {
    let database: Database

    static let tables = """
        CREATE TABLE IF NOT EXISTS versioning(bucket BLOB PRIMARY KEY, isEnabled INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS history(
            bucket BLOB NOT NULL, key BLOB NOT NULL, size, crc, etag, md5, modified, type, class, acl, tagging, fields,
            body, pieces, link, restored, thawed, version BLOB NOT NULL, sequence INTEGER NOT NULL,
            marker INTEGER NOT NULL, PRIMARY KEY(bucket, key, sequence)) WITHOUT ROWID;
        """

    func versioning() throws -> [Bytes: Versioning] {
        let select = try database.statement("SELECT bucket, isEnabled FROM versioning")
        defer { select.reset() }
        var found: [Bytes: Versioning] = [:]
        while try select.step() { found[select.bytes(0)] = select.integer(1) != 0 ? .enabled : .suspended }
        return found
    }

    func set(_ bucket: Bytes, isEnabled: Bool) throws {
        let insert = try database.statement("INSERT OR REPLACE INTO versioning VALUES(?, ?)")
        defer { insert.reset() }
        insert.bind(1, bucket)
        insert.bind(2, isEnabled ? 1 : 0)
        _ = try insert.step()
    }

    /// Adds a version that is later than all others of its key here.
    func add(_ bucket: Bytes, _ object: StoredObject, isMarker: Bool) throws {
        let last = try database.statement(
            "SELECT coalesce(max(sequence), 0) FROM history WHERE bucket = ? AND key = ?")
        defer { last.reset() }
        last.bind(1, bucket)
        last.bind(2, object.key)
        let sequence = try last.step() ? last.integer(0) + 1 : 1
        try put(bucket, OlderVersion(object: object, isMarker: isMarker, sequence: sequence))
    }

    /// Adds a version, or takes the place of the one with its sequence.
    func put(_ bucket: Bytes, _ version: OlderVersion) throws {
        let insert = try database.statement(
            """
            INSERT OR REPLACE INTO history(bucket, \(ObjectIndex.columns), sequence, marker)
            VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)
            """)
        defer { insert.reset() }
        ObjectIndex.bind(bucket, version.object, to: insert)
        insert.bind(19, version.sequence)
        insert.bind(20, version.isMarker ? 1 : 0)
        _ = try insert.step()
    }

    private static func version(_ row: Statement) -> OlderVersion {
        OlderVersion(object: ObjectIndex.object(row), isMarker: row.integer(18) != 0, sequence: row.integer(17))
    }

    /// The latest of those that are not the current object.
    func latest(_ bucket: Bytes, _ key: Bytes) throws -> OlderVersion? {
        let select = try database.statement(
            """
            SELECT \(ObjectIndex.columns), sequence, marker FROM history
            WHERE bucket = ? AND key = ? ORDER BY sequence DESC LIMIT 1
            """)
        defer { select.reset() }
        select.bind(1, bucket)
        select.bind(2, key)
        return try select.step() ? Self.version(select) : nil
    }

    /// The version by its id, which is empty for the null version.
    func find(_ bucket: Bytes, _ key: Bytes, _ id: Bytes) throws -> OlderVersion? {
        let select = try database.statement(
            """
            SELECT \(ObjectIndex.columns), sequence, marker FROM history
            WHERE bucket = ? AND key = ? AND version = ?
            """)
        defer { select.reset() }
        select.bind(1, bucket)
        select.bind(2, key)
        select.bind(3, id)
        return try select.step() ? Self.version(select) : nil
    }

    func remove(_ bucket: Bytes, _ version: OlderVersion) throws {
        let delete = try database.statement("DELETE FROM history WHERE bucket = ? AND key = ? AND sequence = ?")
        defer { delete.reset() }
        delete.bind(1, bucket)
        delete.bind(2, version.object.key)
        delete.bind(3, version.sequence)
        _ = try delete.step()
    }

    /// Everything from `key` on by keys, of each the latest first; the current object has the sequence `Int64.max`.
    /// Ends when `take` gives false.
    func forEach(_ bucket: Bytes, from key: Bytes, take: (OlderVersion) -> Bool) throws {
        let select = try database.statement(
            """
            SELECT \(ObjectIndex.columns), 9223372036854775807 AS sequence, 0 AS marker FROM objects
            WHERE bucket = ?1 AND key >= ?2
            UNION ALL SELECT \(ObjectIndex.columns), sequence, marker FROM history WHERE bucket = ?1 AND key >= ?2
            ORDER BY key, sequence DESC
            """)
        defer { select.reset() }
        select.bind(1, bucket)
        select.bind(2, key)
        while try select.step() { guard take(Self.version(select)) else { return } }
    }

    func bodies() throws -> Set<BodyID> {
        let select = try database.statement("SELECT \(ObjectIndex.columns), sequence, marker FROM history")
        defer { select.reset() }
        var found: Set<BodyID> = []
        while try select.step() { found.formUnion(ObjectIndex.object(select).pieces.bodies) }
        return found
    }
}
