import MatterWire

/// Which messages may begin an exchange; a late or stray message must not.
enum ExchangeOpeners {
    /// Whether a peer may begin an exchange with this message.
    static func contains(_ header: ProtocolHeader, onSecureSession: Bool) -> Bool {
        guard header.isFromInitiator else { return false }
        switch (header.protocolID, onSecureSession) {
        case (.secureChannel, false):
            switch SecureChannelOpcode(rawValue: header.opcode) {
            case .pbkdfParamRequest, .sigma1: return true
            default: return false
            }
        case (.interactionModel, true):
            // A report begins an exchange when it belongs to a subscription.
            switch InteractionOpcode(rawValue: header.opcode) {
            case .readRequest, .subscribeRequest, .reportData, .writeRequest, .invokeRequest, .timedRequest: return true
            case .statusResponse, .subscribeResponse, .writeResponse, .invokeResponse, nil: return false
            }
        default: return false
        }
    }
}
