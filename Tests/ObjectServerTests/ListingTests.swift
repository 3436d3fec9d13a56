import Testing

@testable import ObjectServer

/// Keys in memory, in order, as a cursor; counts what it is asked for.
private struct ArrayCursor: ObjectCursor {
    let keys: [Bytes]
    var position = 0
    var rowsRead = 0

    init(_ keys: [String]) { self.keys = keys.map { Bytes($0.utf8) }.sorted(by: precedes) }

    mutating func seek(to bound: ListingBound) {
        let isPast = { (key: Bytes) in bound.isInclusive ? !precedes(key, bound.key) : precedes(bound.key, key) }
        position = keys.firstIndex(where: isPast) ?? keys.count
    }

    mutating func next() -> StoredObject? {
        guard position < keys.count else { return nil }
        defer { position += 1 }
        rowsRead += 1
        return StoredObject(
            key: keys[position], size: 0, crc: 0, etag: [], md5: [], modified: 0, type: [], storageClass: [], acl: [],
            tagging: [], fields: Fields(), pieces: [])
    }
}

@Suite struct ListingTests {
    private func query(_ prefix: String = "", delimiter: String = "", maximum: Int = 1000) -> ListingQuery {
        var query = ListingQuery()
        query.prefix = Bytes(prefix.utf8)
        query.delimiter = Bytes(delimiter.utf8)
        query.maximum = maximum
        return query
    }

    /// All pages in order, objects and common prefixes as text.
    private func everything(_ query: ListingQuery, _ keys: [String]) throws -> [String] {
        var (query, found) = (query, [String]())
        while true {
            var cursor = ArrayCursor(keys)
            let page = try ListingPage(query, &cursor)
            #expect(page.count <= query.maximum)
            let names = (page.objects.map(\.key) + page.commonPrefixes).sorted(by: precedes)
            found += names.compactMap(\.text)
            guard let next = page.next else { return found }
            #expect(page.count == query.maximum, "only the last page is short")
            query.after = next
        }
    }

    private static let tree = ["a", "b/1", "b/2", "b/c/3", "b0", "c//x", "c/", "d"]

    @Test("pages of any size make up the same listing", arguments: 1...9)
    func paging(_ maximum: Int) throws {
        #expect(
            try everything(query(maximum: maximum), Self.tree)
                == Self.tree.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        #expect(try everything(query(delimiter: "/", maximum: maximum), Self.tree) == ["a", "b/", "b0", "c/", "d"])
        #expect(try everything(query("b/", delimiter: "/", maximum: maximum), Self.tree) == ["b/1", "b/2", "b/c/"])
        #expect(try everything(query("c/", delimiter: "/", maximum: maximum), Self.tree) == ["c/", "c//"])
    }

    @Test("a delimiter may be several characters, and of any bytes") func longDelimiter() throws {
        let keys = ["a中b", "a中c", "aXYb", "aXc"]
        #expect(try everything(query(delimiter: "中"), keys) == ["aXYb", "aXc", "a中"])
        #expect(try everything(query(delimiter: "XY"), keys) == ["aXY", "aXc", "a中b", "a中c"])
    }

    @Test("names that are one text in two forms stay two keys") func normalForms() throws {
        #expect(
            try everything(query("cafe"), ["caf\u{E9}", "cafe\u{301}"]).map { Array($0.utf8) } == [
                Bytes("cafe\u{301}".utf8)
            ])
    }

    @Test("a marker that is a common prefix of the page before doesn't bring it again") func markerOnPrefix() throws {
        var query = query(delimiter: "/")
        query.after = .key(Bytes("b/"))
        #expect(try everything(query, Self.tree) == ["b0", "c/", "d"])
        query.after = .key(Bytes("b/1"))
        #expect(try everything(query, Self.tree) == ["b/", "b0", "c/", "d"])
    }

    @Test("a prefix of 0xFF bytes has no end to seek past") func highPrefix() throws {
        #expect(Bytes([0xFF, 0xFF]).successorOfPrefix == nil)
        #expect(Bytes([0x61, 0xFF]).successorOfPrefix == [0x62])
    }

    @Test("a large directory is skipped by seeking, not read through") func seeksPastPrefixes() throws {
        var cursor = ArrayCursor((0..<5000).map { "big/\($0)" } + ["small/1", "z"])
        let page = try ListingPage(query(delimiter: "/"), &cursor)
        #expect(page.commonPrefixes.compactMap(\.text) == ["big/", "small/"])
        #expect(cursor.rowsRead < 50)
    }

    @Test("keys that XML can't carry are left out where they can't be encoded") func uncarriable() throws {
        var query = query()
        query.carriesAnyKey = false
        #expect(try everything(query, ["a\u{1}", "b", "c\r\n"]) == ["b", "c\r\n"])
    }

    @Test("tokens of both kinds come back as they were, and others are none") func tokens() {
        for after in [ListingQuery.After.key(Bytes("k\u{0}/é")), .prefix(Bytes("p/")), .key([])] {
            #expect(ListingQuery.After(token: after.token) == after)
        }
        for token in ["", "!", "AAAA", "aw", "k"] { #expect(ListingQuery.After(token: Bytes(token.utf8)) == nil) }
    }
}
