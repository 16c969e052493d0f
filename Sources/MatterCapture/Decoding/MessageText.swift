import MatterWire

/// What a message says, in words. Keys, PINs and verifiers are counted, not shown.
public struct MessageText: Sendable {
    /// Entries of a message that are shown.
    public var limit: Int

    /// - Parameter limit: entries of a message that are shown; the rest is counted.
    public init(limit: Int = 6) { self.limit = limit }

    /// The opcode's name.
    public static func name(_ message: DecodedMessage) -> String {
        guard let inner = message.inner else {
            return message.channel == .unknown ? "encrypted" : "unreadable"
        }
        switch inner.protocolID {
        case .secureChannel:
            return SecureChannelOpcode(rawValue: inner.opcode).map { capitalised("\($0)") } ?? "opcode \(inner.opcode)"
        case .interactionModel:
            return InteractionOpcode(rawValue: inner.opcode).map { capitalised("\($0)") } ?? "opcode \(inner.opcode)"
        default: return "protocol \(inner.protocolID.rawValue) opcode \(inner.opcode)"
        }
    }

    private static func capitalised(_ word: String) -> String {
        let spelled = ["pbkdfParamRequest": "PBKDFParamRequest", "pbkdfParamResponse": "PBKDFParamResponse"]
        return spelled[word] ?? word.prefix(1).uppercased() + word.dropFirst()
    }

    /// The content; empty where there is nothing to say.
    public func content(_ message: DecodedMessage) -> String {
        guard let inner = message.inner else { return "" }
        do {
            switch inner.protocolID {
            case .secureChannel: return try secureChannel(inner.opcode, message.payload)
            case .interactionModel: return try interaction(inner.opcode, message.payload)
            default: return "\(message.payload.count) octets"
            }
        } catch {
            return "cannot be read: \(error)"
        }
    }

    // MARK: - Secure channel

    private func secureChannel(_ opcode: UInt8, _ payload: [UInt8]) throws -> String {
        switch SecureChannelOpcode(rawValue: opcode) {
        case .pbkdfParamRequest:
            return "session \(try PBKDFParamRequest(decoding: payload).initiatorSessionID.rawValue)"
        case .pbkdfParamResponse:
            let response = try PBKDFParamResponse(decoding: payload)
            let stretching = response.pbkdfParameters.map { ", \($0.iterations) iterations" } ?? ""
            return "session \(response.responderSessionID.rawValue)\(stretching)"
        case .sigma1:
            let sigma = try Sigma1(decoding: payload)
            return "session \(sigma.initiatorSessionID.rawValue)\(sigma.resumption == nil ? "" : ", resumes")"
        case .sigma2: return "session \(try Sigma2(decoding: payload).responderSessionID.rawValue)"
        case .statusReport: return Self.words(try StatusReport(decoding: payload))
        case .pake1, .pake2, .pake3, .sigma3, .sigma2Resume, .standaloneAck, .messageCounterSyncRequest,
            .messageCounterSyncResponse, .checkIn, nil:
            return ""
        }
    }

    private static func words(_ report: StatusReport) -> String {
        if report.isSessionEstablished { return "session established" }
        if report.isCloseSession { return "close session" }
        if let wait = report.busyWait { return "busy, wait \(wait)" }
        switch report.secureChannelCode {
        case .noSharedTrustRoots: return "no shared trust roots"
        case .invalidParameter: return "invalid parameter"
        case .sessionNotFound: return "session not found"
        default:
            return
                "general code \(report.generalCode.rawValue), protocol \(report.protocolID.rawValue) code \(report.protocolCode)"
        }
    }

    // MARK: - Interaction model

    private func interaction(_ opcode: UInt8, _ payload: [UInt8]) throws -> String {
        switch InteractionOpcode(rawValue: opcode) {
        case .statusResponse: return try StatusResponse(decoding: payload).status.description
        case .readRequest:
            let request = try ReadRequest(decoding: payload)
            return list(
                request.attributes.map(ElementNames.path) + request.events.map { "event \(ElementNames.path($0))" })
        case .subscribeRequest:
            let request = try SubscribeRequest(decoding: payload)
            let paths =
                request.attributes.map(ElementNames.path) + request.events.map { "event \(ElementNames.path($0))" }
            return "every \(request.minimumInterval) to \(request.maximumInterval) s: \(list(paths))"
        case .subscribeResponse:
            let response = try SubscribeResponse(decoding: payload)
            return "subscription \(response.subscription.rawValue), at most \(response.maximumInterval) s"
        case .reportData: return report(try ReportData(decoding: payload))
        case .writeRequest:
            let request = try WriteRequest(decoding: payload)
            return list(
                request.writes.map { "\(ElementNames.path($0.path)) = \(TLVText(limit: limit).text($0.value))" })
        case .writeResponse:
            return list(
                try WriteResponse(decoding: payload).statuses.map {
                    "\(ElementNames.path($0.path)): \(Self.words($0.status))"
                })
        case .invokeRequest:
            return list(try InvokeRequest(decoding: payload).commands.map { command($0, isResponse: false) })
        case .invokeResponse:
            return list(
                try InvokeResponse(decoding: payload).responses.map { response in
                    switch response {
                    case .command(let block): command(block, isResponse: true)
                    case .status(let block):
                        "\(ElementNames.path(block.path, isResponse: false)): \(Self.words(block.status))"
                    }
                })
        case .timedRequest: return "within \(try TimedRequest(decoding: payload).timeout) ms"
        case nil: return "\(payload.count) octets"
        }
    }

    private func report(_ report: ReportData) -> String {
        let attributes = report.attributes.map { block in
            switch block {
            case .data(let data):
                "\(ElementNames.path(data.path))\(data.listIndex == nil ? "" : " += ") = "
                    + TLVText(limit: limit).text(data.value)
            case .status(let path, let status): "\(ElementNames.path(path)): \(Self.words(status))"
            }
        }
        let events = report.events.map { block in
            switch block {
            case .data(let data): "event \(data.number) \(ElementNames.path(data.path))"
            case .status(let path, let status): "event \(ElementNames.path(path)): \(Self.words(status))"
            }
        }
        let subscription = report.subscription.map { "subscription \($0.rawValue): " } ?? ""
        return subscription + list(attributes + events) + (report.hasMoreChunks ? ", more follows" : "")
    }

    private func command(_ block: CommandDataIB, isResponse: Bool) -> String {
        var text = TLVText(limit: limit)
        text.hidesOctets = ElementNames.isSecret(block.path)
        text.names = ElementNames.fields(block.path, isResponse: isResponse)
        let fields = block.fields.members?.isEmpty == true ? "" : " \(text.text(block.fields))"
        return ElementNames.path(block.path, isResponse: isResponse) + fields
    }

    private static func words(_ status: StatusIB) -> String {
        status.status.description + (status.clusterStatus.map { ", of the cluster \($0)" } ?? "")
    }

    private func list(_ parts: [String]) -> String {
        parts.count <= limit
            ? parts.joined(separator: ", ")
            : parts.prefix(limit).joined(separator: ", ") + " and \(parts.count - limit) more"
    }
}
