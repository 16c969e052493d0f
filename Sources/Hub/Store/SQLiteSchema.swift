/// The tables, as migrations: entry n brings a database from version n to n + 1. Entries are never edited once released.
enum SQLiteSchema {
    static let migrations: [[String]] = [
        [
            "CREATE TABLE hub (one INTEGER PRIMARY KEY CHECK (one = 1), id INTEGER NOT NULL, name TEXT NOT NULL)",
            """
            CREATE TABLE structures (id INTEGER PRIMARY KEY, name TEXT NOT NULL, ca_key BLOB NOT NULL, ca_cert BLOB NOT NULL)
            """,
            """
            CREATE TABLE fabrics (structure INTEGER PRIMARY KEY REFERENCES structures(id), fabric INTEGER NOT NULL,
              root_key BLOB NOT NULL, rcac BLOB NOT NULL, ipk BLOB NOT NULL, node INTEGER NOT NULL, noc BLOB NOT NULL,
              node_key BLOB NOT NULL)
            """,
            """
            CREATE TABLE rooms (id INTEGER PRIMARY KEY, structure INTEGER NOT NULL REFERENCES structures(id),
              name TEXT NOT NULL)
            """,
            """
            CREATE TABLE nodes (structure INTEGER NOT NULL REFERENCES structures(id), id INTEGER NOT NULL,
              state TEXT NOT NULL, session INTEGER, address TEXT NOT NULL, stage TEXT NOT NULL, failsafe INTEGER,
              vendor INTEGER NOT NULL, product INTEGER NOT NULL, vendor_name TEXT NOT NULL, product_name TEXT NOT NULL,
              serial TEXT NOT NULL, pending_name TEXT, pending_room INTEGER, created INTEGER NOT NULL,
              attempts INTEGER NOT NULL, last_error TEXT NOT NULL, PRIMARY KEY (structure, id))
            """,
            """
            CREATE TABLE endpoints (structure INTEGER NOT NULL, node INTEGER NOT NULL, endpoint INTEGER NOT NULL,
              types TEXT NOT NULL, bridged INTEGER NOT NULL, label TEXT NOT NULL,
              PRIMARY KEY (structure, node, endpoint),
              FOREIGN KEY (structure, node) REFERENCES nodes(structure, id) ON DELETE CASCADE)
            """,
            """
            CREATE TABLE devices (id INTEGER PRIMARY KEY, structure INTEGER NOT NULL, node INTEGER NOT NULL,
              endpoint INTEGER NOT NULL, types TEXT NOT NULL, bridged INTEGER NOT NULL, label TEXT NOT NULL,
              name TEXT NOT NULL, room INTEGER REFERENCES rooms(id) ON DELETE SET NULL, commissioned INTEGER NOT NULL,
              FOREIGN KEY (structure, node) REFERENCES nodes(structure, id) ON DELETE CASCADE)
            """,
            """
            CREATE TABLE grants (id INTEGER PRIMARY KEY, structure INTEGER NOT NULL REFERENCES structures(id),
              app TEXT NOT NULL, app_group TEXT NOT NULL, scopes INTEGER NOT NULL, secret_hash BLOB NOT NULL,
              created INTEGER NOT NULL, revoked INTEGER NOT NULL)
            """,
            """
            CREATE TABLE answers (structure INTEGER NOT NULL, app TEXT NOT NULL, app_group TEXT NOT NULL,
              method TEXT NOT NULL, client_key TEXT NOT NULL, answer TEXT NOT NULL, is_error INTEGER NOT NULL,
              answered INTEGER NOT NULL, PRIMARY KEY (structure, app, app_group, method, client_key))
            """,
            "CREATE TABLE spent_nodes (structure INTEGER NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (structure, id))",
            "CREATE TABLE spent_devices (id INTEGER PRIMARY KEY)",
        ],
        ["ALTER TABLE rooms ADD COLUMN number INTEGER NOT NULL DEFAULT 0"],
        ["ALTER TABLE grants ADD COLUMN replaces INTEGER NOT NULL DEFAULT 0"],
    ]

    /// Brings the database to the newest version, each step in one transaction.
    ///
    /// - Throws: ``StoreError`` `newerSchema` when a newer program wrote it; nothing is changed then.
    static func migrate(_ database: SQLiteDatabase) throws {
        let version = Int(try database.rows("PRAGMA user_version").first?.integer(0) ?? 0)
        guard version <= migrations.count else {
            throw StoreError(
                code: .newerSchema, path: database.path,
                reason: "written by a newer MatterHub (schema \(version), this one knows \(migrations.count))")
        }
        for step in version..<migrations.count {
            try database.transaction {
                for statement in migrations[step] { try database.rows(statement) }
                try database.rows("PRAGMA user_version = \(step + 1)")
            }
        }
    }
}
