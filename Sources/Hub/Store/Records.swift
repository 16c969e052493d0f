package import HubControl
package import MatterWire

/// A home, its control CA (PEM or DER as NetIO made it; a key pair of its own, not the fabric's root).
package struct StructureRecord: Hashable, Sendable {
    package var id: StructureID
    package var name: String
    package var controlCAKey: [UInt8]
    package var controlCACertificate: [UInt8]
    package init(id: StructureID, name: String, controlCAKey: [UInt8], controlCACertificate: [UInt8]) {
        self.id = id
        self.name = name
        self.controlCAKey = controlCAKey
        self.controlCACertificate = controlCACertificate
    }
}

/// A structure's Matter fabric and this hub's own node on it.
package struct FabricRecord: Hashable, Sendable {
    package var structure: StructureID
    package var fabricID: FabricID
    /// Root CA private key, 32 bytes; root certificate as Matter TLV.
    package var rootKey: [UInt8]
    package var rootCertificate: [UInt8]
    /// Epoch key of group key set 0, 16 bytes.
    package var ipkEpochKey: [UInt8]
    /// This hub's node id, NOC (TLV) and private key (32 bytes).
    package var hubNode: NodeID
    package var hubNOC: [UInt8]
    package var hubKey: [UInt8]
    package init(
        structure: StructureID, fabricID: FabricID, rootKey: [UInt8], rootCertificate: [UInt8], ipkEpochKey: [UInt8],
        hubNode: NodeID, hubNOC: [UInt8], hubKey: [UInt8]
    ) {
        self.structure = structure
        self.fabricID = fabricID
        self.rootKey = rootKey
        self.rootCertificate = rootCertificate
        self.ipkEpochKey = ipkEpochKey
        self.hubNode = hubNode
        self.hubNOC = hubNOC
        self.hubKey = hubKey
    }
}

/// A room. Its name is no key: other rooms may have the same.
package struct RoomRecord: Hashable, Sendable {
    package var id: RoomID
    package var structure: StructureID
    package var name: String
    /// Grows with each room of the structure: tells which of two was made first.
    package var number: Int64
    package init(id: RoomID, structure: StructureID, name: String, number: Int64 = 0) {
        self.id = id
        self.structure = structure
        self.name = name
        self.number = number
    }
}

/// A node of a structure's fabric, from just before AddNOC is sent until it has left.
package struct NodeRecord: Hashable, Sendable {
    package enum State: String, Hashable, Sendable {
        /// AddNOC may have been sent; nothing is known of its outcome.
        case journalled
        /// Commissioned in a session that has not been completed.
        case provisional
        /// Belongs to the structure.
        case commissioned
        /// Must leave the fabric and could not be reached yet.
        case orphan
    }
    package var id: NodeID
    package var structure: StructureID
    package var state: State
    /// The session that commissioned it; `nil` after `complete`.
    package var session: CommissioningSessionID?
    /// The last known address, `host:port` text; may be stale.
    package var address: String
    /// Name of the last stage that was begun.
    package var stage: String
    /// Wall-clock end of the device's fail-safe, when one may be armed.
    package var failSafeEnds: EpochSeconds?
    package var info: NodeInfo
    package var createdAt: EpochSeconds
    /// For orphans: tries to clean so far, and why the last one failed.
    package var attempts: Int
    package var lastError: String
    package init(
        id: NodeID, structure: StructureID, state: State, session: CommissioningSessionID?, address: String,
        stage: String, failSafeEnds: EpochSeconds?, info: NodeInfo, createdAt: EpochSeconds, attempts: Int = 0,
        lastError: String = ""
    ) {
        self.id = id
        self.structure = structure
        self.state = state
        self.session = session
        self.address = address
        self.stage = stage
        self.failSafeEnds = failSafeEnds
        self.info = info
        self.createdAt = createdAt
        self.attempts = attempts
        self.lastError = lastError
    }
}

/// What a node says of itself.
package struct NodeInfo: Hashable, Sendable {
    package var vendorID: UInt16
    package var productID: UInt16
    package var vendorName: String
    package var productName: String
    package var serialNumber: String
    /// Name asked for by `configure`, before the device exists.
    package var pendingName: String?
    package var pendingRoom: RoomID?
    /// The endpoints that become devices, with their device types.
    package var endpoints: [EndpointInfo]
    package init(
        vendorID: UInt16 = 0, productID: UInt16 = 0, vendorName: String = "", productName: String = "",
        serialNumber: String = "", pendingName: String? = nil, pendingRoom: RoomID? = nil,
        endpoints: [EndpointInfo] = []
    ) {
        self.vendorID = vendorID
        self.productID = productID
        self.vendorName = vendorName
        self.productName = productName
        self.serialNumber = serialNumber
        self.pendingName = pendingName
        self.pendingRoom = pendingRoom
        self.endpoints = endpoints
    }
}

/// An endpoint that becomes a device of its own: a node's application endpoint, or a bridged one.
package struct EndpointInfo: Hashable, Sendable {
    package var endpoint: EndpointID
    package var deviceTypes: [UInt32]
    package var isBridged: Bool
    /// The bridged device's own label, else empty.
    package var label: String
    package init(endpoint: EndpointID, deviceTypes: [UInt32], isBridged: Bool, label: String) {
        self.endpoint = endpoint
        self.deviceTypes = deviceTypes
        self.isBridged = isBridged
        self.label = label
    }
}

/// What `complete` gives out: a commissioned node or one bridged endpoint of it.
package struct DeviceRecord: Hashable, Sendable {
    package var id: DeviceID
    package var structure: StructureID
    package var node: NodeID
    package var endpoint: EndpointInfo
    package var name: String
    package var room: RoomID?
    package var commissionedAt: EpochSeconds
    package init(
        id: DeviceID, structure: StructureID, node: NodeID, endpoint: EndpointInfo, name: String, room: RoomID?,
        commissionedAt: EpochSeconds
    ) {
        self.id = id
        self.structure = structure
        self.node = node
        self.endpoint = endpoint
        self.name = name
        self.room = room
        self.commissionedAt = commissionedAt
    }
}

/// A grant as the hub keeps it: never the secret, only its SHA-256.
package struct GrantRecord: Hashable, Sendable {
    package var id: GrantID
    package var structure: StructureID
    package var app: AppIdentity
    package var scopes: GrantScopes
    /// SHA-256 of the 32-byte secret.
    package var secretHash: [UInt8]
    package var createdAt: EpochSeconds
    package var isRevoked: Bool
    /// Whether its first use revokes the app's older grants.
    package var replacesOlder: Bool
    package init(
        id: GrantID, structure: StructureID, app: AppIdentity, scopes: GrantScopes, secretHash: [UInt8],
        createdAt: EpochSeconds, isRevoked: Bool = false, replacesOlder: Bool = false
    ) {
        self.id = id
        self.structure = structure
        self.app = app
        self.scopes = scopes
        self.secretHash = secretHash
        self.createdAt = createdAt
        self.isRevoked = isRevoked
        self.replacesOlder = replacesOlder
    }
}

/// The first answer to a client key, kept so that a repeat gets it again.
package struct AnswerRecord: Hashable, Sendable {
    package var app: AppIdentity
    package var structure: StructureID
    package var method: String
    package var clientKey: String
    /// The response's `result` or `error` member as JSON text.
    package var answer: String
    package var isError: Bool
    package var answeredAt: EpochSeconds
    package init(
        app: AppIdentity, structure: StructureID, method: String, clientKey: String, answer: String, isError: Bool,
        answeredAt: EpochSeconds
    ) {
        self.app = app
        self.structure = structure
        self.method = method
        self.clientKey = clientKey
        self.answer = answer
        self.isError = isError
        self.answeredAt = answeredAt
    }
}
