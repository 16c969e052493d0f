import MatterWire

/// What a node that only controls others answers when a peer begins an exchange.
public enum ControllerRefusal {
    /// A report of a subscription that is not known ends it; other interactions and handshakes are refused.
    public static func answer(to message: InboundMessage) -> OutboundMessage {
        guard message.protocolID == .interactionModel else {
            return OutboundMessage(.failure(.noSharedTrustRoots))
        }
        let isReport = message.opcode == InteractionOpcode.reportData.rawValue
        let status: InteractionStatus = isReport ? .invalidSubscription : .unsupportedAccess
        return OutboundMessage(StatusResponse(status))
    }
}
