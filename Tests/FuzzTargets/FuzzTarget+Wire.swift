import MatterWire

extension FuzzTarget {
    /// Readers of bytes that come from other Matter nodes, and of onboarding codes.
    static let wire: [FuzzTarget] = [
        FuzzTarget("tlv", "TLV elements", vectors: ["MatterWireTests/Vectors/tlv.json"]) { input in
            try roundTrip("TLV", input, decode: { bytes throws(TLVError) in try TLVElement.decode(bytes) }) {
                $0.encoded()
            }
        },
        FuzzTarget(
            "message-header", "message and protocol headers", maximumLength: 256,
            vectors: ["MatterWireTests/Vectors/message-headers.json", "MatterProtocolTests/Vectors/message.json"],
            made: { headers }
        ) { input in
            var reader = ByteReader(input)
            let first = try roundTrip("message header", input, decode: messageHeader) { $0.encoded() }
            guard first == .accepted else { return try protocolHeader(input) }
            _ = try MessageHeader(decoding: &reader)
            return [first, try protocolHeader(Array(reader.rest()))].any
        },
        FuzzTarget(
            "onboarding", "onboarding payloads: QR texts and manual codes", maximumLength: 512,
            vectors: ["MatterWireTests/Vectors/onboarding-payload.json"], form: .text, check: checkOnboarding),
        FuzzTarget(
            "base38", "base-38 texts", maximumLength: 256, vectors: ["MatterWireTests/Vectors/base38.json"], form: .text
        ) { input in
            try roundTrip(
                "base-38", input,
                decode: { bytes throws(Base38.Failure) in
                    try Base38.decode(String(decoding: bytes, as: UTF8.self).unicodeScalars)
                }, encode: { Array(Base38.encode($0).utf8) })
        },
        FuzzTarget(
            "secure-channel", "PASE and CASE messages, status reports", maximumLength: 1_400,
            vectors: [
                "MatterWireTests/Vectors/secure-channel.json", "MatterProtocolTests/Vectors/pase.json",
                "MatterProtocolTests/Vectors/case.json",
            ], check: checkSecureChannel),
        FuzzTarget(
            "interaction", "interaction-model messages", maximumLength: 1_400,
            vectors: ["MatterWireTests/Vectors/im-messages.json"], check: checkInteraction),
    ]

    private static var headers: [[UInt8]] {
        let node = NodeID(rawValue: 0x1122_3344_5566_7788)
        let inner = ProtocolHeader(
            isFromInitiator: true, isReliable: true, opcode: 2, exchangeID: ExchangeID(rawValue: 9),
            protocolID: ProtocolID(rawValue: 1), acknowledged: MessageCounter(rawValue: 7))
        return [
            MessageHeader(sessionID: .unsecured, counter: MessageCounter(rawValue: 1), source: node),
            MessageHeader(
                sessionID: SessionID(rawValue: 5), isControl: true, hasPrivacy: true,
                counter: MessageCounter(rawValue: 2), destination: .node(node)),
            MessageHeader(
                sessionID: SessionID(rawValue: 5), sessionType: .group, counter: MessageCounter(rawValue: 3),
                source: node, destination: .group(GroupID(rawValue: 1))),
        ].map { $0.encoded() + inner.encoded() + [1, 2, 3] }
    }

    private static func messageHeader(_ bytes: [UInt8]) throws(MessageError) -> MessageHeader {
        var reader = ByteReader(bytes)
        return try MessageHeader(decoding: &reader)
    }

    private static func protocolHeader(_ input: [UInt8]) throws -> Outcome {
        try roundTrip(
            "protocol header", input,
            decode: { bytes throws(MessageError) in
                var reader = ByteReader(bytes)
                return try ProtocolHeader(decoding: &reader)
            }, encode: { $0.encoded() })
    }

    /// What is valid is written again, in each form it has, and read as the same; an error's place is in the text.
    @Sendable private static func checkOnboarding(_ input: [UInt8]) throws -> Outcome {
        let text = String(decoding: input, as: UTF8.self)
        var outcomes: [Outcome] = []
        for blanks in [ParsedOnboardingPayload.Blanks.refused, .ignored] {
            let all = ParsedOnboardingPayload.all(in: text, blanks: blanks)
            try hold(!all.isEmpty, "a text with no result at all")
            for case .failure(let error) in all {
                try hold(!error.message.isEmpty, "an error without words")
                let end = text.unicodeScalars.count
                try hold(error.offset.map { (0...end).contains($0) } ?? true, "a fault outside the text: \(error)")
            }
            let payload: OnboardingPayload
            do {
                payload = try ParsedOnboardingPayload(text, blanks: blanks).validated()
            } catch {
                outcomes.append(.rejected)
                continue
            }
            outcomes.append(.accepted)
            if let code = payload.qrCode {
                try hold(try ParsedOnboardingPayload(code).validated() == payload, "\(code) is another payload")
            }
            if let code = payload.manualCode {
                let again = try ParsedOnboardingPayload(code).validated()
                try hold(again.passcode == payload.passcode, "\(code) has another passcode")
                try hold(again.manualCode == code, "\(code) is written another way")
            }
        }
        return outcomes.any
    }

    @Sendable private static func checkSecureChannel(_ input: [UInt8]) throws -> Outcome {
        func tlv<Message: Equatable>(
            _ decode: ([UInt8]) throws(TLVError) -> Message, _ encode: (Message) -> [UInt8]
        ) throws -> Outcome {
            try roundTrip("\(Message.self)", input, decode: decode, encode: encode)
        }
        return try [
            tlv({ bytes throws(TLVError) in try PBKDFParamRequest(decoding: bytes) }, { $0.encoded() }),
            tlv({ bytes throws(TLVError) in try PBKDFParamResponse(decoding: bytes) }, { $0.encoded() }),
            tlv({ bytes throws(TLVError) in try Pake1(decoding: bytes) }, { $0.encoded() }),
            tlv({ bytes throws(TLVError) in try Pake2(decoding: bytes) }, { $0.encoded() }),
            tlv({ bytes throws(TLVError) in try Pake3(decoding: bytes) }, { $0.encoded() }),
            tlv({ bytes throws(TLVError) in try Sigma1(decoding: bytes) }, { $0.encoded() }),
            tlv({ bytes throws(TLVError) in try Sigma2(decoding: bytes) }, { $0.encoded() }),
            tlv({ bytes throws(TLVError) in try Sigma3(decoding: bytes) }, { $0.encoded() }),
            tlv({ bytes throws(TLVError) in try Sigma2Resume(decoding: bytes) }, { $0.encoded() }),
            tlv({ bytes throws(TLVError) in try CASEIdentityProof(decoding: bytes) }, { $0.encoded() }),
            roundTrip(
                "StatusReport", input, decode: { bytes throws(MessageError) in try StatusReport(decoding: bytes) },
                encode: { $0.encoded() }),
        ].any
    }

    @Sendable private static func checkInteraction(_ input: [UInt8]) throws -> Outcome {
        func message<Message: InteractionMessage>(_: Message.Type) throws -> Outcome {
            try roundTrip(
                "\(Message.self)", input, decode: { bytes throws(TLVError) in try Message(decoding: bytes) },
                encode: { $0.encoded() })
        }
        return try [
            message(StatusResponse.self), message(ReadRequest.self), message(SubscribeRequest.self),
            message(SubscribeResponse.self), message(ReportData.self), message(WriteRequest.self),
            message(WriteResponse.self), message(InvokeRequest.self), message(InvokeResponse.self),
            message(TimedRequest.self),
        ].any
    }
}
