internal import Dispatch
internal import Foundation

/// A hub's state in one SQLite file (design: WAL, `synchronous=FULL`, one writer).
package final class SQLiteStore: HubStore {
    private let worker: SQLiteWorker

    /// Opens or creates `hub.sqlite` in `directory`, with mode 0700 and 0600 (a folder of other things keeps its mode).
    ///
    /// - Throws: ``StoreError``; an unreadable, foreign or newer file is not touched.
    package init(directory: String) throws {
        let path = directory + "/hub.sqlite"
        let manager = FileManager.default
        do {
            try PrivateFiles.makeFolder(directory) {
                // A folder that cannot be listed is not ours to change.
                manager.fileExists(atPath: path)
                    || (try? manager.contentsOfDirectory(atPath: directory))?.isEmpty == true
            }
        } catch let error as StoreError {
            throw StoreError(
                code: .cannotOpen, path: directory, reason: "the folder cannot be made: \(error.reason)")
        }
        // SQLite gives its journal files the mode of the database.
        try PrivateFiles.ensure(path)
        worker = try SQLiteWorker(path: path)
    }

    package func load() async throws -> HubSnapshot {
        try await worker.run { try SQLiteReader(database: $0).snapshot() }
    }

    package func commit(_ changes: [StoreChange]) async throws {
        guard !changes.isEmpty else { return }
        try await worker.run { database in
            try database.transaction {
                for change in changes { try SQLiteWriter(database: database).apply(change) }
            }
        }
    }

    package func close() async { await worker.close() }
}

/// Owns the database and the one queue that uses it.
///
/// `@unchecked Sendable`: `database` is touched only on `queue`, which is serial.
private final class SQLiteWorker: @unchecked Sendable {
    private let queue = DispatchQueue(label: "matterhub.store")
    private let path: String
    private var database: SQLiteDatabase?

    init(path: String) throws {
        self.path = path
        let database = try SQLiteDatabase(path: path)
        try SQLiteSchema.migrate(database)
        self.database = database
    }

    func run<Result: Sendable>(_ body: @escaping @Sendable (SQLiteDatabase) throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { @Sendable in
                continuation.resume(
                    with: Swift.Result {
                        guard let database = self.database else {
                            throw StoreError(code: .closed, path: self.path, reason: "the store is closed")
                        }
                        return try body(database)
                    })
            }
        }
    }

    func close() async {
        await withCheckedContinuation { continuation in
            queue.async { @Sendable in
                self.database = nil
                continuation.resume()
            }
        }
    }
}
