/// The tables of uploads and their parts; a part of the folder's index, under the same lock.
struct UploadIndex {
    let database: Database

    static let tables = """
        CREATE TABLE IF NOT EXISTS uploads(
            bucket BLOB NOT NULL, key BLOB NOT NULL, id BLOB NOT NULL, initiated INTEGER NOT NULL, class BLOB NOT NULL,
            acl BLOB NOT NULL, tagging BLOB NOT NULL, fields BLOB NOT NULL, forbids INTEGER NOT NULL,
            sequential INTEGER NOT NULL DEFAULT 0, PRIMARY KEY(bucket, key, id)) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS parts(
            upload BLOB NOT NULL, number INTEGER NOT NULL, size INTEGER NOT NULL, crc INTEGER NOT NULL,
            etag BLOB NOT NULL, modified INTEGER NOT NULL, pieces BLOB NOT NULL,
            PRIMARY KEY(upload, number)) WITHOUT ROWID;
        """

    /// Adds what the tables of an earlier form lack.
    func upgrade() throws(StorageError) {
        let select = try database.statement(
            "SELECT count(*) FROM pragma_table_info('uploads') WHERE name = 'sequential'")
        defer { select.reset() }
        guard try select.step(), select.integer(0) == 0 else { return }
        select.reset()
        try database.execute("ALTER TABLE uploads ADD COLUMN sequential INTEGER NOT NULL DEFAULT 0")
    }

    private static let columns = "id, key, initiated, class, acl, tagging, fields, forbids, sequential"

    private static func upload(_ row: Statement) -> StoredUpload {
        StoredUpload(
            id: row.bytes(0), key: row.bytes(1), initiated: row.integer(2), storageClass: row.bytes(3),
            acl: row.bytes(4), tagging: row.bytes(5), fields: Fields(packed: row.bytes(6)),
            forbidsOverwrite: row.integer(7) != 0, isSequential: row.integer(8) != 0)
    }

    func add(_ bucket: Bytes, _ upload: StoredUpload) throws {
        let insert = try database.statement(
            "INSERT INTO uploads(bucket, \(Self.columns)) VALUES(?,?,?,?,?,?,?,?,?,?)")
        defer { insert.reset() }
        insert.bind(1, bucket)
        insert.bind(2, upload.id)
        insert.bind(3, upload.key)
        insert.bind(4, upload.initiated)
        insert.bind(5, upload.storageClass)
        insert.bind(6, upload.acl)
        insert.bind(7, upload.tagging)
        insert.bind(8, upload.fields.packed)
        insert.bind(9, upload.forbidsOverwrite ? 1 : 0)
        insert.bind(10, upload.isSequential ? 1 : 0)
        _ = try insert.step()
    }

    func upload(_ bucket: Bytes, _ key: Bytes, _ id: Bytes) throws -> StoredUpload? {
        let select = try database.statement(
            "SELECT \(Self.columns) FROM uploads WHERE bucket = ? AND key = ? AND id = ?")
        defer { select.reset() }
        select.bind(1, bucket)
        select.bind(2, key)
        select.bind(3, id)
        return try select.step() ? Self.upload(select) : nil
    }

    /// Takes the upload and its parts away.
    func delete(_ bucket: Bytes, _ key: Bytes, _ id: Bytes) throws {
        let delete = try database.statement("DELETE FROM uploads WHERE bucket = ? AND key = ? AND id = ?")
        defer { delete.reset() }
        delete.bind(1, bucket)
        delete.bind(2, key)
        delete.bind(3, id)
        _ = try delete.step()
        let parts = try database.statement("DELETE FROM parts WHERE upload = ?")
        defer { parts.reset() }
        parts.bind(1, id)
        _ = try parts.step()
    }

    private static let partColumns = "number, size, crc, etag, modified, pieces"

    private static func part(_ row: Statement) -> StoredPart {
        StoredPart(
            number: row.integer(0), size: UInt64(bitPattern: row.integer(1)), crc: UInt64(bitPattern: row.integer(2)),
            etag: row.bytes(3), modified: row.integer(4), pieces: Piece.unpacked(row.bytes(5)))
    }

    func put(_ id: Bytes, _ part: StoredPart) throws {
        let insert = try database.statement(
            "INSERT OR REPLACE INTO parts(upload, \(Self.partColumns)) VALUES(?,?,?,?,?,?,?)")
        defer { insert.reset() }
        insert.bind(1, id)
        insert.bind(2, part.number)
        insert.bind(3, Int64(bitPattern: part.size))
        insert.bind(4, Int64(bitPattern: part.crc))
        insert.bind(5, part.etag)
        insert.bind(6, part.modified)
        insert.bind(7, Piece.packed(part.pieces))
        _ = try insert.step()
    }

    /// The greatest number of a part; 0 where there is none.
    func lastNumber(_ id: Bytes) throws -> Int64 {
        let select = try database.statement("SELECT coalesce(max(number), 0) FROM parts WHERE upload = ?")
        defer { select.reset() }
        select.bind(1, id)
        return try select.step() ? select.integer(0) : 0
    }

    func part(_ id: Bytes, _ number: Int64) throws -> StoredPart? {
        let select = try database.statement("SELECT \(Self.partColumns) FROM parts WHERE upload = ? AND number = ?")
        defer { select.reset() }
        select.bind(1, id)
        select.bind(2, number)
        return try select.step() ? Self.part(select) : nil
    }

    /// Parts by number, those after `marker`, at most `maximum`.
    func parts(_ id: Bytes, after marker: Int64 = 0, maximum: Int64 = .max) throws -> [StoredPart] {
        let select = try database.statement(
            "SELECT \(Self.partColumns) FROM parts WHERE upload = ? AND number > ? ORDER BY number LIMIT ?")
        defer { select.reset() }
        select.bind(1, id)
        select.bind(2, marker)
        select.bind(3, maximum)
        var parts: [StoredPart] = []
        while try select.step() { parts.append(Self.part(select)) }
        return parts
    }

    func bodies() throws -> Set<BodyID> {
        let select = try database.statement("SELECT pieces FROM parts")
        defer { select.reset() }
        var found: Set<BodyID> = []
        while try select.step() { found.formUnion(Piece.unpacked(select.bytes(0)).bodies) }
        return found
    }

    /// How many uploads and parts the bucket has under way.
    func counts(_ bucket: Bytes) throws -> (uploads: Int64, parts: Int64) {
        let select = try database.statement(
            """
            SELECT (SELECT count(*) FROM uploads WHERE bucket = ?1),
                (SELECT count(*) FROM parts WHERE upload IN (SELECT id FROM uploads WHERE bucket = ?1))
            """)
        defer { select.reset() }
        select.bind(1, bucket)
        return try select.step() ? (select.integer(0), select.integer(1)) : (0, 0)
    }

    func list(_ bucket: Bytes, _ query: UploadQuery) throws -> UploadPage {
        var page = UploadPage()
        guard query.maximum > 0 else { return page }
        // Without an id the marker is the whole key: all its uploads have been given.
        let select = try database.statement(
            """
            SELECT \(Self.columns) FROM uploads
            WHERE bucket = ?1 AND (key > ?2 OR (key = ?2 AND ?3 <> x'' AND id > ?3)) ORDER BY key, id
            """)
        defer { select.reset() }
        select.bind(1, bucket)
        select.bind(2, query.keyMarker)
        select.bind(3, query.idMarker)
        var last: (key: Bytes, id: Bytes) = ([], [])
        while try select.step() {
            let upload = Self.upload(select)
            guard upload.key.hasPrefix(query.prefix) else {
                if precedes(upload.key, query.prefix) { continue }
                break
            }
            let common = ListingPage.commonPrefix(of: upload.key, prefix: query.prefix, delimiter: query.delimiter)
            if let common, page.commonPrefixes.last == common || query.keyMarker.hasPrefix(common) { continue }
            if !query.carriesAnyKey && !XMLText.canCarry(common ?? upload.key) { continue }
            if page.uploads.count + page.commonPrefixes.count == query.maximum {
                page.next = last
                return page
            }
            if let common {
                page.commonPrefixes.append(common)
                last = (common, [])
            } else {
                page.uploads.append(upload)
                last = (upload.key, upload.id)
            }
        }
        return page
    }
}
