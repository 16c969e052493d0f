internal import CSQLite

/// Why the store could not do its work.
package struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: String, Hashable, Sendable { case cannotOpen, inUse, newerSchema, statement, corrupt, closed }
    package var code: Code
    /// The file concerned.
    package var path: String
    package var reason: String
    package init(code: Code, path: String, reason: String) {
        self.code = code
        self.path = path
        self.reason = reason
    }
    package var description: String { "store \(path): \(reason) (\(code.rawValue))" }
}

/// One value bound to a statement or read from a row.
enum SQLiteValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])

    static func id(_ value: UInt64) -> SQLiteValue { .integer(Int64(bitPattern: value)) }
    static func optional(_ value: UInt64?) -> SQLiteValue { value.map { .id($0) } ?? .null }
    static func optional(_ value: Int64?) -> SQLiteValue { value.map { .integer($0) } ?? .null }
}

/// One row, with typed access by column; a wrong type is corruption, not a trap.
struct SQLiteRow {
    let values: [SQLiteValue]
    let path: String

    func integer(_ column: Int) throws -> Int64 {
        guard case .integer(let value) = values[column] else { throw corrupt(column) }
        return value
    }
    func id(_ column: Int) throws -> UInt64 { UInt64(bitPattern: try integer(column)) }
    func optionalInteger(_ column: Int) throws -> Int64? { values[column] == .null ? nil : try integer(column) }
    func optionalID(_ column: Int) throws -> UInt64? { values[column] == .null ? nil : try id(column) }
    func text(_ column: Int) throws -> String {
        guard case .text(let value) = values[column] else { throw corrupt(column) }
        return value
    }
    func blob(_ column: Int) throws -> [UInt8] {
        guard case .blob(let value) = values[column] else { throw corrupt(column) }
        return value
    }
    func corrupt(_ column: Int) -> StoreError {
        StoreError(code: .corrupt, path: path, reason: "column \(column) holds an unexpected value")
    }
}

/// One open SQLite database; owns the handle. Not Sendable: one queue uses it.
final class SQLiteDatabase {
    private let handle: OpaquePointer
    let path: String

    /// Opens or creates the file, mode 0600, WAL, full synchronisation, foreign keys on.
    init(path: String) throws {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let status = sqlite3_open_v2(path, &opened, flags, nil)
        guard status == SQLITE_OK, let opened else {
            let reason = opened.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
            sqlite3_close_v2(opened)
            throw StoreError(code: .cannotOpen, path: path, reason: reason)
        }
        handle = opened
        self.path = path
        sqlite3_busy_timeout(handle, 5_000)
        for pragma in ["journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"] {
            _ = try rows("PRAGMA \(pragma)")
        }
    }

    deinit { sqlite3_close_v2(handle) }

    /// Runs one statement and gives its rows.
    @discardableResult
    func rows(_ sql: String, _ values: [SQLiteValue] = []) throws -> [SQLiteRow] {
        var prepared: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &prepared, nil) == SQLITE_OK, let statement = prepared else {
            throw failure(sql)
        }
        defer { sqlite3_finalize(statement) }
        for (index, value) in values.enumerated() {
            guard bind(value, to: statement, at: Int32(index + 1)) == SQLITE_OK else { throw failure(sql) }
        }
        var rows: [SQLiteRow] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: rows.append(SQLiteRow(values: columns(of: statement), path: path))
            case SQLITE_DONE: return rows
            default: throw failure(sql)
            }
        }
    }

    /// Runs `body` in one transaction; rolls back when it throws.
    func transaction(_ body: () throws -> Void) throws {
        try rows("BEGIN IMMEDIATE")
        do {
            try body()
            try rows("COMMIT")
        } catch {
            // The first error is the one to report; a failing rollback means SQLite has rolled back already.
            _ = try? rows("ROLLBACK")
            throw error
        }
    }

    private func bind(_ value: SQLiteValue, to statement: OpaquePointer, at index: Int32) -> Int32 {
        switch value {
        case .null: return sqlite3_bind_null(statement, index)
        case .integer(let value): return sqlite3_bind_int64(statement, index, value)
        case .text(let value):
            return sqlite3_bind_text(
                statement, index, value, Int32(value.utf8.count), matterhub_sqlite_transient())
        case .blob(let value):
            // An empty array has no base address, and SQLite would store NULL for it.
            guard !value.isEmpty else { return sqlite3_bind_zeroblob(statement, index, 0) }
            return sqlite3_bind_blob(statement, index, value, Int32(value.count), matterhub_sqlite_transient())
        }
    }

    private func columns(of statement: OpaquePointer) -> [SQLiteValue] {
        (0..<sqlite3_column_count(statement)).map { column in
            switch sqlite3_column_type(statement, column) {
            case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, column))
            case SQLITE_NULL: return .null
            case SQLITE_BLOB:
                let count = Int(sqlite3_column_bytes(statement, column))
                guard count > 0, let base = sqlite3_column_blob(statement, column) else { return .blob([]) }
                return .blob([UInt8](UnsafeRawBufferPointer(start: base, count: count)))
            default:
                return .text(sqlite3_column_text(statement, column).map { String(cString: $0) } ?? "")
            }
        }
    }

    private func failure(_ sql: String) -> StoreError {
        StoreError(code: .statement, path: path, reason: "\(String(cString: sqlite3_errmsg(handle))) in: \(sql)")
    }
}
