import CSQLite
import Glibc

/// What went wrong below the operations: the request gets InternalError, the log gets this.
struct StorageError: Error {
    enum Source { case system, index }

    let action: StaticString
    /// errno, or SQLite's result.
    let number: Int32
    let source: Source

    init(action: StaticString, number: Int32, source: Source = .system) {
        self.action = action
        self.number = number
        self.source = source
    }

    /// The library's words for the number.
    var words: Bytes {
        guard let text = source == .system ? UnsafePointer(strerror(number)) : sqlite3_errstr(number) else { return [] }
        return Bytes(UnsafeRawBufferPointer(start: text, count: strlen(text)))
    }
}

/// One SQLite connection with its prepared statements. Of one thread at a time: `ObjectFolder` keeps it in a lock.
final class Database {
    private let handle: OpaquePointer
    private var statements: [String: Statement] = [:]

    init(path: String) throws(StorageError) {
        var opened: OpaquePointer?
        // No mutex of SQLite's own: the lock around this object is one already.
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let result = sqlite3_open_v2(path, &opened, flags, nil)
        guard result == SQLITE_OK, let opened else {
            sqlite3_close_v2(opened)
            throw StorageError(action: "open the index", number: result, source: .index)
        }
        handle = opened
    }

    deinit {
        for statement in statements.values { statement.finalize() }
        sqlite3_close_v2(handle)
    }

    /// Runs statements that give no rows and take no values.
    func execute(_ sql: String) throws(StorageError) {
        let result = sqlite3_exec(handle, sql, nil, nil, nil)
        guard result == SQLITE_OK else {
            throw StorageError(action: "change the index", number: result, source: .index)
        }
    }

    /// The statement for `sql`, made once, reset and without values.
    func statement(_ sql: String) throws(StorageError) -> Statement {
        if let known = statements[sql] {
            known.reset()
            return known
        }
        var prepared: OpaquePointer?
        let result = sqlite3_prepare_v2(handle, sql, -1, &prepared, nil)
        guard result == SQLITE_OK, let prepared else {
            throw StorageError(action: "read the index", number: result, source: .index)
        }
        let statement = Statement(prepared)
        statements[sql] = statement
        return statement
    }

    /// Runs `body` in a transaction, taken back if it throws.
    func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try execute("BEGIN IMMEDIATE")
        do {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            try? execute("ROLLBACK")
            throw error
        }
    }
}

/// A prepared statement. Values are bound from 1, columns read from 0, as in SQLite.
final class Statement {
    private let handle: OpaquePointer
    /// Tells SQLite to copy what it is given.
    private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    fileprivate init(_ handle: OpaquePointer) { self.handle = handle }

    fileprivate func finalize() { sqlite3_finalize(handle) }

    /// Ends a run; to be called when its rows aren't wanted any more, as an open read holds back checkpoints.
    func reset() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    func bind(_ index: Int32, _ value: Int64) { sqlite3_bind_int64(handle, index, value) }

    func bind(_ index: Int32, _ value: Bytes) {
        // A null pointer would bind NULL, which no comparison matches.
        if value.isEmpty {
            sqlite3_bind_zeroblob(handle, index, 0)
        } else {
            sqlite3_bind_blob64(handle, index, value, sqlite3_uint64(value.count), Self.transient)
        }
    }

    /// True if there is another row.
    func step() throws(StorageError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let result: throw StorageError(action: "use the index", number: result, source: .index)
        }
    }

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    func bytes(_ column: Int32) -> Bytes {
        guard let start = sqlite3_column_blob(handle, column) else { return [] }
        let length = Int(sqlite3_column_bytes(handle, column))
        return Bytes(UnsafeRawBufferPointer(start: start, count: length))
    }
}
