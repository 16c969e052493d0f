import MatterWire

/// Which messages may begin an exchange; a late or stray message must not.
enum ExchangeOpeners {
    /// Whether a peer may begin an exchange with this message.
    static func contains(_ header: ProtocolHeader, onSecureSession: Bool) -> Bool {
        guard header.isFromInitiator else { return false }
        switch (header.protocolID, onSecureSession) {
        case (.secureChannel, false):
            return header.opcode == SecureChannelOpcode.pbkdfParamRequest.rawValue
                || header.opcode == SecureChannelOpcode.sigma1.rawValue
        case (.interactionModel, true): return interactionOpeners.contains(header.opcode)
        default: return false
        }
    }

    /// Read, subscribe, report (of a subscription), write, invoke, timed request (Core §10.2.1).
    private static let interactionOpeners: Set<UInt8> = [0x02, 0x03, 0x05, 0x06, 0x08, 0x0A]
}
