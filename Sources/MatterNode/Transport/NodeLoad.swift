import MatterModel
package import MatterProtocol

/// What a node keeps at a moment, so that tests can see that nothing is left behind.
package struct NodeLoad: Hashable, Sendable {
    package var layer: MessageLayer.Load
    /// Handshakes that run.
    package var handshakes: Int
    /// Callers that wait for a message, and interactions that are not over.
    package var waiting: Int
    /// Commissionings that run or clean up.
    package var commissionings: Int
    /// Tasks that wait for the end of a session.
    package var watchers: Int
}

extension ControllerNode {
    /// What this node keeps now.
    package var load: NodeLoad {
        NodeLoad(
            layer: link.layer.load, handshakes: connecting.count, waiting: inboxes.count,
            commissionings: cleanings.count, watchers: watchers.count)
    }
}

extension DeviceNode {
    /// What this node keeps now.
    package var load: NodeLoad {
        NodeLoad(
            layer: link.layer.load, handshakes: handshakes.count, waiting: interactions.exchangeCount,
            commissionings: node.isFailSafeArmed ? 1 : 0, watchers: 0)
    }
}
