public import HubControl
public import MatterProtocol
public import MatterWire

/// The keys of one established session, as a key file has them: whoever has them can read the session's messages.
public struct SessionKeys: Hashable, Sendable {
    /// Which handshake made the session.
    public var kind: EstablishedSession.Kind
    /// When, in microseconds since 1970.
    public var microseconds: Int64
    /// What peers put into the headers of messages to the node that wrote this.
    public var localSessionID: SessionID
    /// What that node puts into the headers of messages to the peer.
    public var peerSessionID: SessionID
    /// That node began the handshake.
    public var isInitiator: Bool
    /// Encrypts what the handshake's initiator sends, 16 bytes.
    public var initiatorToResponderKey: [UInt8]
    /// Encrypts what the handshake's responder sends, 16 bytes.
    public var responderToInitiatorKey: [UInt8]
    /// `unspecified` in a PASE session.
    public var localNode: NodeID
    /// `unspecified` in a PASE session.
    public var peerNode: NodeID

    /// Takes the keys of a session.
    public init(_ session: EstablishedSession, microseconds: Int64) {
        kind = session.kind
        self.microseconds = microseconds
        localSessionID = session.localSessionID
        peerSessionID = session.peerSessionID
        isInitiator = session.isInitiator
        initiatorToResponderKey = session.initiatorToResponderKey
        responderToInitiatorKey = session.responderToInitiatorKey
        localNode = session.localNode
        peerNode = session.peerNode
    }

    /// The line of a key file.
    public var json: JSONObject {
        [
            "at": .integer(microseconds), "kind": kind == .pase ? "pase" : "case",
            "localSession": JSONValue(localSessionID.rawValue), "peerSession": JSONValue(peerSessionID.rawValue),
            "initiator": .bool(isInitiator), "localNode": .string(Self.text(localNode)),
            "peerNode": .string(Self.text(peerNode)),
            "initiatorToResponder": .string(Base64URL.encode(initiatorToResponderKey)),
            "responderToInitiator": .string(Base64URL.encode(responderToInitiatorKey)),
        ]
    }

    /// Reads the line of a key file.
    public init(json: JSONObject) throws(ControlProtocolError) {
        microseconds = try json.integer("at")
        switch try json.string("kind") {
        case "pase": kind = .pase
        case "case": kind = .case
        default: throw ControlProtocolError(.wrongType, path: "kind", reason: "“pase” or “case”")
        }
        localSessionID = SessionID(rawValue: try json.integer("localSession", as: UInt16.self))
        peerSessionID = SessionID(rawValue: try json.integer("peerSession", as: UInt16.self))
        isInitiator = try json.bool("initiator")
        localNode = try Self.node(json, "localNode")
        peerNode = try Self.node(json, "peerNode")
        initiatorToResponderKey = try json.octets("initiatorToResponder", count: 16)
        responderToInitiatorKey = try json.octets("responderToInitiator", count: 16)
    }

    private static func node(_ json: JSONObject, _ name: String) throws(ControlProtocolError) -> NodeID {
        guard let number = UInt64(try json.string(name, length: 16...16), radix: 16) else {
            throw ControlProtocolError(.wrongType, path: name, reason: "16 hexadecimal digits")
        }
        return NodeID(rawValue: number)
    }

    private static func text(_ node: NodeID) -> String {
        let digits = String(node.rawValue, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
