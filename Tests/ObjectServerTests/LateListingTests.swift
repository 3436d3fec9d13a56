import Testing

@testable import ObjectServer

@Suite struct LateListingTests {
    /// Rows from an array.
    private struct Rows: ObjectCursor {
        var rows: [StoredObject]
        var index = 0

        mutating func seek(to bound: ListingBound) {
            index =
                rows.firstIndex { !precedes($0.key, bound.key) && (bound.isInclusive || $0.key != bound.key) }
                ?? rows.count
        }

        mutating func next() -> StoredObject? {
            guard index < rows.count else { return nil }
            defer { index += 1 }
            return rows[index]
        }
    }

    private func object(_ key: String, etag: String = "new") -> StoredObject {
        StoredObject(
            key: Bytes(key.utf8), size: 0, crc: 0, etag: Bytes(etag.utf8), md5: [], modified: 0, type: [],
            storageClass: [], acl: [], tagging: [], fields: Fields(), pieces: [])
    }

    /// `key=etag` of each row that is shown from `start` on.
    private func shown(
        _ rows: [String], _ before: [(String, String?)], from start: String = "", isInclusive: Bool = true
    ) throws -> [String] {
        let recent = before.map { pair in
            (key: Bytes(pair.0.utf8), object: pair.1.map { object(pair.0, etag: $0) })
        }
        var cursor = LateCursor(Rows(rows: rows.map { object($0) }), shown: recent)
        try cursor.seek(to: ListingBound(key: Bytes(start.utf8), isInclusive: isInclusive))
        var found: [String] = []
        while let row = try cursor.next() { found.append("\(row.key.text ?? "")=\(row.etag.text ?? "")") }
        return found
    }

    @Test("what was put is not shown, what was deleted is, and what was replaced is shown as before") func changes()
        throws
    {
        let seen = try shown(["b", "c", "d"], [("a", "old"), ("b", nil), ("c", "old"), ("e", "old")])
        #expect(seen == ["a=old", "c=old", "d=new", "e=old"])
    }

    @Test("a listing goes on behind what it has shown") func seeking() throws {
        let before: [(String, String?)] = [("a", "old"), ("c", "old")]
        #expect(try shown(["b", "d"], before, from: "a", isInclusive: false) == ["b=new", "c=old", "d=new"])
        #expect(try shown(["b", "d"], before, from: "c") == ["c=old", "d=new"])
        #expect(try shown(["b", "d"], before, from: "c", isInclusive: false) == ["d=new"])
        #expect(try shown([], [], from: "c").isEmpty)
    }
}
