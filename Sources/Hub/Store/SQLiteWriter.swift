import HubControl
import MatterWire

/// Turns changes into statements; the caller holds the transaction.
struct SQLiteWriter {
    let database: SQLiteDatabase

    func apply(_ change: StoreChange) throws {
        switch change {
        case .setHub(let id, let name):
            try database.rows("INSERT OR REPLACE INTO hub VALUES (1, ?, ?)", [.id(id.rawValue), .text(name)])
        case .putStructure(let record):
            try upsert(
                "structures", key: ["id"],
                [
                    ("id", .id(record.id.rawValue)), ("name", .text(record.name)),
                    ("ca_key", .blob(record.controlCAKey)),
                    ("ca_cert", .blob(record.controlCACertificate)),
                ])
        case .putFabric(let record):
            try upsert(
                "fabrics", key: ["structure"],
                [
                    ("structure", .id(record.structure.rawValue)), ("fabric", .id(record.fabricID.rawValue)),
                    ("root_key", .blob(record.rootKey)), ("rcac", .blob(record.rootCertificate)),
                    ("ipk", .blob(record.ipkEpochKey)), ("node", .id(record.hubNode.rawValue)),
                    ("noc", .blob(record.hubNOC)), ("node_key", .blob(record.hubKey)),
                ])
            try spend(record.hubNode, of: record.structure)
        case .putRoom(let record):
            try upsert(
                "rooms", key: ["id"],
                [
                    ("id", .id(record.id.rawValue)), ("structure", .id(record.structure.rawValue)),
                    ("name", .text(record.name)), ("number", .integer(record.number)),
                ])
        case .deleteRoom(let id):
            try database.rows("DELETE FROM rooms WHERE id = ?", [.id(id.rawValue)])
        case .putNode(let record):
            try put(record)
        case .deleteNode(let id, let structure):
            try database.rows(
                "DELETE FROM nodes WHERE structure = ? AND id = ?", [.id(structure.rawValue), .id(id.rawValue)])
        case .putDevice(let record):
            try put(record)
        case .deleteDevice(let id):
            try database.rows("DELETE FROM devices WHERE id = ?", [.id(id.rawValue)])
        case .putGrant(let record):
            try upsert(
                "grants", key: ["id"],
                [
                    ("id", .id(record.id.rawValue)), ("structure", .id(record.structure.rawValue)),
                    ("app", .text(record.app.appID)), ("app_group", .text(record.app.appGroup)),
                    ("scopes", .integer(Int64(record.scopes.rawValue))), ("secret_hash", .blob(record.secretHash)),
                    ("created", .integer(record.createdAt.rawValue)), ("revoked", .integer(record.isRevoked ? 1 : 0)),
                    ("replaces", .integer(record.replacesOlder ? 1 : 0)),
                ])
        case .putAnswer(let record):
            try upsert(
                "answers", key: ["structure", "app", "app_group", "method", "client_key"],
                [
                    ("structure", .id(record.structure.rawValue)), ("app", .text(record.app.appID)),
                    ("app_group", .text(record.app.appGroup)), ("method", .text(record.method)),
                    ("client_key", .text(record.clientKey)), ("answer", .text(record.answer)),
                    ("is_error", .integer(record.isError ? 1 : 0)), ("answered", .integer(record.answeredAt.rawValue)),
                ])
        case .deleteAnswers(let time):
            try database.rows("DELETE FROM answers WHERE answered < ?", [.integer(time.rawValue)])
        case .deleteAnswer(let key):
            try database.rows(
                "DELETE FROM answers WHERE structure = ? AND app = ? AND app_group = ? AND method = ? AND client_key = ?",
                [
                    .id(key.structure.rawValue), .text(key.app.appID), .text(key.app.appGroup), .text(key.method),
                    .text(key.clientKey),
                ])
        }
    }

    private func put(_ record: NodeRecord) throws {
        let info = record.info
        try upsert(
            "nodes", key: ["structure", "id"],
            [
                ("structure", .id(record.structure.rawValue)), ("id", .id(record.id.rawValue)),
                ("state", .text(record.state.rawValue)), ("session", .optional(record.session?.rawValue)),
                ("address", .text(record.address)), ("stage", .text(record.stage)),
                ("failsafe", .optional(record.failSafeEnds?.rawValue)), ("vendor", .integer(Int64(info.vendorID))),
                ("product", .integer(Int64(info.productID))), ("vendor_name", .text(info.vendorName)),
                ("product_name", .text(info.productName)), ("serial", .text(info.serialNumber)),
                ("pending_name", info.pendingName.map { .text($0) } ?? .null),
                ("pending_room", .optional(info.pendingRoom?.rawValue)),
                ("created", .integer(record.createdAt.rawValue)),
                ("attempts", .integer(Int64(record.attempts))), ("last_error", .text(record.lastError)),
            ])
        try database.rows(
            "DELETE FROM endpoints WHERE structure = ? AND node = ?",
            [.id(record.structure.rawValue), .id(record.id.rawValue)])
        for endpoint in info.endpoints {
            try database.rows(
                "INSERT INTO endpoints VALUES (?, ?, ?, ?, ?, ?)",
                [.id(record.structure.rawValue), .id(record.id.rawValue)] + columns(of: endpoint))
        }
        try spend(record.id, of: record.structure)
    }

    private func put(_ record: DeviceRecord) throws {
        let endpoint = columns(of: record.endpoint)
        try upsert(
            "devices", key: ["id"],
            [
                ("id", .id(record.id.rawValue)), ("structure", .id(record.structure.rawValue)),
                ("node", .id(record.node.rawValue)), ("endpoint", endpoint[0]), ("types", endpoint[1]),
                ("bridged", endpoint[2]), ("label", endpoint[3]), ("name", .text(record.name)),
                ("room", .optional(record.room?.rawValue)), ("commissioned", .integer(record.commissionedAt.rawValue)),
            ])
        try database.rows("INSERT OR IGNORE INTO spent_devices VALUES (?)", [.id(record.id.rawValue)])
    }

    private func columns(of endpoint: EndpointInfo) -> [SQLiteValue] {
        [
            .integer(Int64(endpoint.endpoint.rawValue)),
            .text(endpoint.deviceTypes.map { String($0) }.joined(separator: " ")),
            .integer(endpoint.isBridged ? 1 : 0), .text(endpoint.label),
        ]
    }

    private func spend(_ node: NodeID, of structure: StructureID) throws {
        try database.rows(
            "INSERT OR IGNORE INTO spent_nodes VALUES (?, ?)", [.id(structure.rawValue), .id(node.rawValue)])
    }

    /// Inserts a row or updates the one with the same key; never deletes, so that nothing cascades.
    private func upsert(_ table: String, key: [String], _ columns: [(String, SQLiteValue)]) throws {
        let names = columns.map(\.0)
        let updates = names.filter { !key.contains($0) }.map { "\($0) = excluded.\($0)" }
        try database.rows(
            """
            INSERT INTO \(table) (\(names.joined(separator: ", ")))
            VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))
            ON CONFLICT (\(key.joined(separator: ", "))) DO UPDATE SET \(updates.joined(separator: ", "))
            """, columns.map(\.1))
    }
}
