package import MatterProtocol
package import MatterWire

/// A change in what commissionable nodes are on the network.
package enum CommissionableEvent: Hashable, Sendable {
    /// A node appeared, or more is known of it.
    case found(CommissionableRecord)
    /// The instance said goodbye or expired.
    case lost(instance: String)
}

/// An address at which an operational node announced itself.
package struct OperationalAddress: Hashable, Sendable {
    package var address: PeerAddress
    package var timing: MRPParameters
    package init(address: PeerAddress, timing: MRPParameters) {
        self.address = address
        self.timing = timing
    }
}

/// How a controller finds nodes: DNS-SD on a network, a fixed list in tests and where there is no multicast.
package protocol NodeDiscovery: Sendable {
    /// Browses `_matterc._udp` until the stream is dropped.
    ///
    /// - Throws through the stream when browsing is not possible, with what is missing.
    func commissionableNodes() -> AsyncThrowingStream<CommissionableEvent, any Error>
    /// Looks for one operational instance (`<compressed fabric id>-<node id>`) until the stream is dropped.
    func operationalNode(instance: String) -> AsyncThrowingStream<OperationalAddress, any Error>
}

/// The instance name of an operational node (Core §4.3.2.1): two 16-digit upper-case hexadecimal numbers.
package func operationalInstanceName(fabric: CompressedFabricID, node: NodeID) -> String {
    func digits(_ value: UInt64) -> String {
        let text = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: 16 - text.count) + text
    }
    return "\(digits(fabric.rawValue))-\(digits(node.rawValue))"
}
