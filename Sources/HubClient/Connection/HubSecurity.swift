public import HubControl
import NetIO
import Transcript

/// How a client talks to a hub, and what it may tell it (Protocols/hub-control.md §2).
public enum HubSecurity: Hashable, Sendable {
    /// TLS with a hub whose control CA is the one that the grant names; the grant is sent after that check.
    case tls(GrantToken)
    /// TLS with a hub whose authority is not checked: for asking for a grant. Nothing secret is sent.
    case tlsWithoutGrant
    /// No TLS, no grant: only with a hub on this machine that was started for it.
    case plain
    /// No TLS, and the grant is sent readable for others: only when the user said so.
    case plainSending(GrantToken)

    var isPlainSending: Bool { if case .plainSending = self { true } else { false } }
    /// The application protocol of TLS.
    static let applicationProtocol = "matterhub/1"

    /// The grant that hello carries; `nil` for none.
    var sentGrant: GrantToken? {
        switch self {
        case .tls(let grant), .plainSending(let grant): grant
        case .tlsWithoutGrant, .plain: nil
        }
    }

    /// - Parameter keys: where the secrets of its connections are written; `nil` for nowhere.
    /// - Returns: `nil` for a connection without TLS.
    func tlsContext(keys: TLSKeyLog?) throws(NetError) -> TLSContext? {
        let trust: TLSTrust
        switch self {
        case .tls(let grant): trust = .pinned(grant.authorityHash)
        case .tlsWithoutGrant: trust = .anyAuthority
        case .plain, .plainSending: return nil
        }
        return try TLSContext.client(trust: trust, applicationProtocol: Self.applicationProtocol, keyLog: keys)
    }
}

/// Where a hub is and how to talk to it: what both kinds of connection need.
public struct HubTarget: Hashable, Sendable {
    /// Tried in this order, each next one a quarter second after the one before.
    public var addresses: [HubAddress]
    /// How to talk to it.
    public var security: HubSecurity
    /// Name and version of the client, for the hub's log.
    public var client: String
    /// Where the connection leaves a record.
    package var records = ConnectionRecords()

    /// Makes a target.
    public init(_ addresses: [HubAddress], _ security: HubSecurity, client: String = "matterhub-swift/1.0") {
        self.addresses = addresses
        self.security = security
        self.client = client
    }

    var hello: Hello { Hello(client: client, grant: security.sentGrant?.text) }
    /// With records.
    func recorded(in records: ConnectionRecords) -> HubTarget {
        var target = self
        target.records = records
        return target
    }

    /// A watch over one more connection, where the dialogue is written down.
    func watch(_ address: SocketAddress) -> DialogueWatch? {
        let how = security == .plain || security.isPlainSending ? "plain" : "TLS"
        return records.transcript?.open("to \(address), \(how)")
    }
    /// The addresses as people read them.
    var place: String { addresses.map(\.description).joined(separator: ", ") }
}
