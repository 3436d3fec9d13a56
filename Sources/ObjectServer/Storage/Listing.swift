/// Where a listing starts or goes on.
struct ListingBound: Equatable, Sendable {
    var key: Bytes
    var isInclusive: Bool
}

/// Objects in the order of their keys.
protocol ObjectCursor {
    mutating func seek(to bound: ListingBound) throws
    mutating func next() throws -> StoredObject?
}

/// One request for a page.
struct ListingQuery: Sendable {
    var prefix: Bytes = []
    /// Empty for none.
    var delimiter: Bytes = []
    /// Only what comes after this; nil from the start.
    var after: After?
    var maximum: Int = 100
    /// False where a reply can't carry keys outside XML's set: they are left out.
    var carriesAnyKey = true

    /// The last thing of an earlier page.
    enum After: Equatable, Sendable {
        /// A key, or a common prefix given as if it were one: a common prefix that equals it is not given again.
        case key(Bytes)
        /// A common prefix: all below it has been given.
        case prefix(Bytes)
    }
}

/// One page of objects and common prefixes, in the order of bytes both.
struct ListingPage: Sendable {
    var objects: [StoredObject] = []
    var commonPrefixes: [Bytes] = []
    /// Where the next page starts; nil at the end.
    var next: ListingQuery.After?

    var count: Int { objects.count + commonPrefixes.count }

    /// After so many rows under one common prefix it is cheaper to seek past it than to read on.
    private static let rowsBeforeSeek = 8

    init() {}

    /// Reads a page off `cursor`. Each object and each common prefix counts as one towards the maximum.
    init(_ query: ListingQuery, _ cursor: inout some ObjectCursor) throws {
        guard query.maximum > 0, let start = Self.start(of: query) else { return }
        try cursor.seek(to: start)
        var last: ListingQuery.After?
        var passed: Bytes?
        var rowsPassed = 0
        while let object = try cursor.next() {
            guard object.key.hasPrefix(query.prefix) else { break }
            if let passed, object.key.hasPrefix(passed) {
                rowsPassed += 1
                if rowsPassed >= Self.rowsBeforeSeek {
                    guard let bound = passed.successorOfPrefix else { break }
                    try cursor.seek(to: ListingBound(key: bound, isInclusive: true))
                    rowsPassed = 0
                }
                continue
            }
            let common = Self.commonPrefix(of: object.key, prefix: query.prefix, delimiter: query.delimiter)
            if query.after == common.map({ .key($0) }), common != nil {
                passed = common
                continue
            }
            if !query.carriesAnyKey && !XMLText.canCarry(common ?? object.key) { continue }
            if count == query.maximum {
                next = last
                return
            }
            if let common {
                commonPrefixes.append(common)
                last = .prefix(common)
                passed = common
                rowsPassed = 0
            } else {
                objects.append(object)
                last = .key(object.key)
            }
        }
    }

    /// The first row to look at: the prefix, or what the earlier page ended with, whichever is later.
    private static func start(of query: ListingQuery) -> ListingBound? {
        let first = ListingBound(key: query.prefix, isInclusive: true)
        switch query.after {
        case nil: return first
        case .key(let key): return precedes(key, query.prefix) ? first : ListingBound(key: key, isInclusive: false)
        case .prefix(let common):
            guard let bound = common.successorOfPrefix else { return nil }
            return precedes(bound, query.prefix) ? first : ListingBound(key: bound, isInclusive: true)
        }
    }

    /// The key up to and with the first delimiter after the prefix; nil where there is none.
    static func commonPrefix(of key: Bytes, prefix: Bytes, delimiter: Bytes) -> Bytes? {
        guard let first = delimiter.first else { return nil }
        var index = prefix.count
        while index + delimiter.count <= key.count {
            if key[index] == first, key[index..<index + delimiter.count].elementsEqual(delimiter) {
                return Bytes(key[..<(index + delimiter.count)])
            }
            index += 1
        }
        return nil
    }
}
