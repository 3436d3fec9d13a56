import Runtime

/// What listings don't show yet, for a service whose listings are later than its objects. Of the lock that it lies in.
final class RecentChanges {
    /// How long after a change listings still show what was before: more than any client takes for two calls.
    private static let delay = Duration.seconds(2)

    private struct Change {
        let shownFrom: Deadline
        /// nil where there was nothing.
        let before: StoredObject?
    }

    /// By bucket and key, of each the oldest change first.
    private var changes: [Bytes: [Bytes: [Change]]] = [:]

    /// Notes that the row under the key is about to be changed.
    func note(_ bucket: Bytes, _ key: Bytes, before: StoredObject?) {
        changes[bucket, default: [:]][key, default: []].append(
            Change(shownFrom: .after(Self.delay), before: before))
    }

    /// What listings show in the place of the rows, by the order of keys; nil for a key that they don't show.
    func shown(_ bucket: Bytes) -> [(key: Bytes, object: StoredObject?)] {
        let recent = (changes[bucket] ?? [:]).compactMapValues { list in
            let left = Array(list.drop { $0.shownFrom.hasPassed })
            return left.isEmpty ? nil : left
        }
        changes[bucket] = recent
        return recent.map { ($0.key, $0.value[0].before) }.sorted { precedes($0.0, $1.0) }
    }
}

/// A cursor over rows of which some are shown as they were.
struct LateCursor<Rows: ObjectCursor>: ObjectCursor {
    private var rows: Rows
    private let shown: [(key: Bytes, object: StoredObject?)]
    private var index = 0
    private var ahead: StoredObject?

    init(_ rows: Rows, shown: [(key: Bytes, object: StoredObject?)]) {
        self.rows = rows
        self.shown = shown
    }

    mutating func seek(to bound: ListingBound) throws {
        try rows.seek(to: bound)
        ahead = try rows.next()
        index =
            shown.firstIndex { !precedes($0.key, bound.key) && (bound.isInclusive || $0.key != bound.key) }
            ?? shown.count
    }

    mutating func next() throws -> StoredObject? {
        while true {
            guard index < shown.count else { return try takeRow() }
            let (key, object) = shown[index]
            if let row = ahead, precedes(row.key, key) { return try takeRow() }
            index += 1
            if ahead?.key == key { _ = try takeRow() }
            if let object { return object }
        }
    }

    mutating func close() where Rows == ObjectIndex.IndexCursor { rows.close() }

    private mutating func takeRow() throws -> StoredObject? {
        guard let row = ahead else { return nil }
        ahead = try rows.next()
        return row
    }
}
