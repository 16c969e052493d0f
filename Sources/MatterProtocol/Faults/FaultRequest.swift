import MatterWire

/// A message as a fault rule sees it: the stage that it belongs to, and what can be done to it.
struct FaultRequest {
    /// `nil` outside of commissioning.
    let stage: CommissioningStage?
    let message: InboundMessage
    /// The one command of an invoke.
    let command: CommandDataIB?

    /// - Returns: `nil` for a message that asks nothing of the device.
    init?(_ message: InboundMessage, on session: SessionInfo.Kind) {
        self.message = message
        var command: CommandDataIB?
        switch message.protocolID {
        case .secureChannel:
            switch message.secureChannelOpcode {
            case .pbkdfParamRequest?, .pake1?, .pake3?: stage = .pase
            case .sigma1?, .sigma3?: stage = .operational
            default: return nil
            }
        case .interactionModel:
            switch message.interactionOpcode {
            case .readRequest?: stage = session == .pase ? .readInfo : nil
            case .invokeRequest?:
                command = message.decoded(InvokeRequest.self)?.commands.first
                stage = command.flatMap(Self.stage(of:))
            case .writeRequest?, .subscribeRequest?, .timedRequest?: stage = nil
            case .statusResponse?, .reportData?, .subscribeResponse?, .writeResponse?, .invokeResponse?, nil:
                return nil
            }
        default: return nil
        }
        self.command = command
    }

    private static func stage(of command: CommandDataIB) -> CommissioningStage? {
        switch (command.path.cluster, command.path.command.rawValue) {
        // An expiry of 0 disarms: that is cleaning.
        case (.generalCommissioning, 0x00): command.fields[0]?.unsigned == 0 ? nil : .armFailSafe
        case (.generalCommissioning, 0x02), (.timeSynchronization, 0x00): .regulatory
        case (.generalCommissioning, 0x04): .complete
        case (.operationalCredentials, 0x00), (.operationalCredentials, 0x02): .attestation
        case (.operationalCredentials, 0x04): .csr
        case (.operationalCredentials, 0x06): .addNOC
        case (.operationalCredentials, 0x0B): .addRoot
        default: nil
        }
    }

    /// Whether a kind is possible for this very request: a stage has several.
    func allows(_ kind: FaultKind) -> Bool {
        if let stage, !kind.applies(at: stage) { return false }
        let isSecureChannel = message.protocolID == .secureChannel
        switch kind {
        case .error, .silence, .slow, .duplicate, .corrupt, .reset, .vanish: return true
        case .closeSession: return !isSecureChannel
        case .wrongSignature:
            return isCommand(.operationalCredentials, 0x00) || isCommand(.operationalCredentials, 0x04)
        case .wrongNonce:
            return (isCommand(.operationalCredentials, 0x00) || isCommand(.operationalCredentials, 0x04))
                && command?.fields[0]?.octets?.isEmpty == false
        case .wrongChain: return isCommand(.operationalCredentials, 0x02)
        case .busyFailSafe: return stage == .armFailSafe
        case .fabricTableFull, .labelConflict: return stage == .addNOC
        case .busy: return message.secureChannelOpcode == .pbkdfParamRequest || message.secureChannelOpcode == .sigma1
        }
    }

    private func isCommand(_ cluster: ClusterID, _ number: UInt32) -> Bool {
        command.map { $0.path.cluster == cluster && $0.path.command.rawValue == number } ?? false
    }

    // MARK: - Answers

    /// The answer with a status.
    func answer(_ status: FaultStatus) -> OutboundMessage {
        if message.protocolID == .secureChannel {
            let code =
                switch status {
                case .status(let code), .cluster(let code), .response(let code): code
                }
            // Codes of the interaction model mean nothing here.
            let known = (1...5).contains(code) ? UInt16(code) : StatusReport.SecureChannelCode.invalidParameter.rawValue
            return OutboundMessage(StatusReport(generalCode: .failure, protocolCode: code == 1 ? 2 : known))
        }
        guard let command else {
            switch status {
            case .status(let code): return OutboundMessage(StatusResponse(InteractionStatus(rawValue: code)))
            case .cluster, .response: return OutboundMessage(StatusResponse(.failure))
            }
        }
        let block: InvokeResponseIB
        switch (status, Self.responses[Self.key(command.path)]) {
        case (.response(let code), let number?):
            // The second field is the text in General Commissioning, and the fabric's index in a NOCResponse.
            let text = command.path.cluster == .generalCommissioning ? TLVValue.utf8("") : nil
            let fields = TLVValue.members((0, .uint(code)), (1, text))
            block = .command(
                CommandDataIB(
                    path: CommandPath(
                        endpoint: command.path.endpoint, cluster: command.path.cluster,
                        command: CommandID(rawValue: number)),
                    fields: fields, reference: command.reference))
        case (.response(let code), nil), (.cluster(let code), _):
            block = .status(
                CommandStatusIB(
                    path: command.path, status: StatusIB(.failure, clusterStatus: code), reference: command.reference))
        case (.status(let code), _):
            block = .status(
                CommandStatusIB(
                    path: command.path, status: StatusIB(InteractionStatus(rawValue: code)),
                    reference: command.reference))
        }
        return OutboundMessage(InvokeResponse(responses: [block]))
    }

    private static func key(_ path: CommandPath) -> UInt64 {
        UInt64(path.cluster.rawValue) << 32 | UInt64(path.command.rawValue)
    }

    /// Response commands whose first field is a code, by cluster and command.
    private static let responses: [UInt64: UInt32] = {
        let general = UInt64(ClusterID.generalCommissioning.rawValue) << 32
        let credentials = UInt64(ClusterID.operationalCredentials.rawValue) << 32
        return [
            general | 0x00: 0x01, general | 0x02: 0x03, general | 0x04: 0x05, credentials | 0x06: 0x08,
            credentials | 0x07: 0x08, credentials | 0x09: 0x08, credentials | 0x0A: 0x08,
        ]
    }()

    // MARK: - Other requests

    /// The request with another first byte of its nonce.
    var withOtherNonce: InboundMessage {
        replacing { fields in
            guard var nonce = fields[0]?.octets, !nonce.isEmpty else { return fields }
            nonce[0] ^= 0xFF
            return .members((0, .octets(nonce)))
        }
    }

    /// The request for the other certificate.
    var forOtherCertificate: InboundMessage {
        replacing { fields in .members((0, .uint(fields[0]?.unsigned == 1 ? 2 : 1 as UInt8))) }
    }

    private func replacing(_ change: (TLVValue) -> TLVValue) -> InboundMessage {
        guard var request = message.decoded(InvokeRequest.self), !request.commands.isEmpty else { return message }
        request.commands[0].fields = change(request.commands[0].fields)
        var changed = message
        changed.payload = request.encoded()
        return changed
    }
}
