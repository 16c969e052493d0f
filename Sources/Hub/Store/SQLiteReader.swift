import HubControl
import MatterWire

/// Reads the whole state back.
struct SQLiteReader {
    let database: SQLiteDatabase

    func snapshot() throws -> HubSnapshot {
        var snapshot = HubSnapshot()
        if let row = try database.rows("SELECT id, name FROM hub").first {
            snapshot.hub = HubID(rawValue: try row.id(0))
            snapshot.hubName = try row.text(1)
        }
        snapshot.structures = try database.rows("SELECT id, name, ca_key, ca_cert FROM structures ORDER BY rowid").map {
            StructureRecord(
                id: StructureID(rawValue: try $0.id(0)), name: try $0.text(1), controlCAKey: try $0.blob(2),
                controlCACertificate: try $0.blob(3))
        }
        snapshot.fabrics = try database.rows(
            "SELECT structure, fabric, root_key, rcac, ipk, node, noc, node_key FROM fabrics"
        ).map {
            FabricRecord(
                structure: StructureID(rawValue: try $0.id(0)), fabricID: FabricID(rawValue: try $0.id(1)),
                rootKey: try $0.blob(2), rootCertificate: try $0.blob(3), ipkEpochKey: try $0.blob(4),
                hubNode: NodeID(rawValue: try $0.id(5)), hubNOC: try $0.blob(6), hubKey: try $0.blob(7))
        }
        snapshot.rooms = try database.rows("SELECT id, structure, name, number FROM rooms ORDER BY number, id").map {
            RoomRecord(
                id: RoomID(rawValue: try $0.id(0)), structure: StructureID(rawValue: try $0.id(1)),
                name: try $0.text(2), number: try $0.integer(3))
        }
        snapshot.nodes = try nodes()
        snapshot.devices = try devices()
        snapshot.grants = try grants()
        snapshot.answers = try answers()
        for row in try database.rows("SELECT structure, id FROM spent_nodes") {
            snapshot.spentNodes[StructureID(rawValue: try row.id(0)), default: []].insert(
                NodeID(rawValue: try row.id(1)))
        }
        snapshot.spentDevices = Set(
            try database.rows("SELECT id FROM spent_devices").map { DeviceID(rawValue: try $0.id(0)) })
        return snapshot
    }

    private func nodes() throws -> [NodeRecord] {
        let endpoints = Dictionary(
            grouping: try database.rows(
                "SELECT structure, node, endpoint, types, bridged, label FROM endpoints ORDER BY endpoint"
            ).map { row in
                (structure: try row.id(0), node: try row.id(1), info: try endpoint(row, from: 2))
            }, by: { [$0.structure, $0.node] })
        return try database.rows(
            """
            SELECT structure, id, state, session, address, stage, failsafe, vendor, product, vendor_name, product_name,
              serial, pending_name, pending_room, created, attempts, last_error FROM nodes ORDER BY created, id
            """
        ).map { row in
            guard let state = NodeRecord.State(rawValue: try row.text(2)) else { throw row.corrupt(2) }
            guard let vendor = UInt16(exactly: try row.integer(7)) else { throw row.corrupt(7) }
            guard let product = UInt16(exactly: try row.integer(8)) else { throw row.corrupt(8) }
            let structure = try row.id(0)
            let node = try row.id(1)
            return NodeRecord(
                id: NodeID(rawValue: node), structure: StructureID(rawValue: structure), state: state,
                session: try row.optionalID(3).map { CommissioningSessionID(rawValue: $0) }, address: try row.text(4),
                stage: try row.text(5), failSafeEnds: try row.optionalInteger(6).map { EpochSeconds(rawValue: $0) },
                info: NodeInfo(
                    vendorID: vendor, productID: product, vendorName: try row.text(9), productName: try row.text(10),
                    serialNumber: try row.text(11), pendingName: row.values[12] == .null ? nil : try row.text(12),
                    pendingRoom: try row.optionalID(13).map { RoomID(rawValue: $0) },
                    endpoints: endpoints[[structure, node], default: []].map(\.info)),
                createdAt: EpochSeconds(rawValue: try row.integer(14)), attempts: Int(try row.integer(15)),
                lastError: try row.text(16))
        }
    }

    private func devices() throws -> [DeviceRecord] {
        try database.rows(
            """
            SELECT id, structure, node, endpoint, types, bridged, label, name, room, commissioned FROM devices
            ORDER BY commissioned, id
            """
        ).map { row in
            DeviceRecord(
                id: DeviceID(rawValue: try row.id(0)), structure: StructureID(rawValue: try row.id(1)),
                node: NodeID(rawValue: try row.id(2)), endpoint: try endpoint(row, from: 3), name: try row.text(7),
                room: try row.optionalID(8).map { RoomID(rawValue: $0) },
                commissionedAt: EpochSeconds(rawValue: try row.integer(9)))
        }
    }

    private func endpoint(_ row: SQLiteRow, from column: Int) throws -> EndpointInfo {
        guard let endpoint = UInt16(exactly: try row.integer(column)) else { throw row.corrupt(column) }
        let types = try row.text(column + 1).split(separator: " ").map { word in
            guard let type = UInt32(word) else { throw row.corrupt(column + 1) }
            return type
        }
        return EndpointInfo(
            endpoint: EndpointID(rawValue: endpoint), deviceTypes: types, isBridged: try row.integer(column + 2) != 0,
            label: try row.text(column + 3))
    }

    private func grants() throws -> [GrantRecord] {
        try database.rows(
            "SELECT id, structure, app, app_group, scopes, secret_hash, created, revoked, replaces FROM grants ORDER BY created, id"
        ).map { row in
            GrantRecord(
                id: GrantID(rawValue: try row.id(0)), structure: StructureID(rawValue: try row.id(1)),
                app: AppIdentity(appID: try row.text(2), appGroup: try row.text(3)),
                scopes: GrantScopes(rawValue: Int(try row.integer(4))), secretHash: try row.blob(5),
                createdAt: EpochSeconds(rawValue: try row.integer(6)), isRevoked: try row.integer(7) != 0,
                replacesOlder: try row.integer(8) != 0)
        }
    }

    private func answers() throws -> [AnswerRecord] {
        try database.rows(
            "SELECT structure, app, app_group, method, client_key, answer, is_error, answered FROM answers"
        ).map { row in
            AnswerRecord(
                app: AppIdentity(appID: try row.text(1), appGroup: try row.text(2)),
                structure: StructureID(rawValue: try row.id(0)), method: try row.text(3), clientKey: try row.text(4),
                answer: try row.text(5), isError: try row.integer(6) != 0,
                answeredAt: EpochSeconds(rawValue: try row.integer(7)))
        }
    }
}
