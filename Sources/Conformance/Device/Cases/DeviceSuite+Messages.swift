import MatterCrypto
import MatterNode
import MatterProtocol
import MatterWire

/// Messages that come again, or make no sense.
extension DeviceSuite {
    static let messageCases: [DeviceCase] = [
        DeviceCase(
            "message.duplicate-acknowledged", "A request that comes again is acknowledged again",
            ["messages.duplicates"],
            meaning:
                "When an acknowledgement is lost, the sender repeats its message until it gives up, and takes the device for gone. The replay filter must not keep duplicates from the acknowledgement."
        ) { bench in
            let (datagram, session) = try await bench.answeredRequest()
            let heard = try await bench.probe.replay(datagram, on: session, listening: .seconds(2))
            let counter = HeardMessage.counter(of: datagram)
            try expect(
                heard.contains { $0.header.acknowledged == counter },
                "an acknowledgement of the request's counter within 2 s",
                seen: heard.isEmpty ? "nothing" : "\(heard.count) messages without it")
        },
        DeviceCase(
            "message.duplicate-not-run", "A command that comes again is not run again", ["messages.duplicates"],
            meaning:
                "On a bad network a lamp toggles twice, a lock opens again. The replay filter must drop a message whose counter was seen, after it is acknowledged."
        ) { bench in
            let (datagram, session) = try await bench.answeredRequest()
            try await bench.invoke(.updateFabricLabel("second"), on: session)
                .expect("UpdateFabricLabel", answeredWith: 0, naming: .nodeOperationalCertificate)
            let heard = try await bench.probe.replay(datagram, on: session, listening: .seconds(2))
            let main = try await bench.commissioned()
            let label = try await bench.fabrics(on: session).first {
                $0.rootPublicKey == main.credentials.rootPublicKey.bytes
            }?.label
            _ = try await bench.invoke(.updateFabricLabel(""), on: session)
            try expect(
                label == "second", "the label that was set last", seen: "the label that the repeated command sets")
            let answers = heard.filter { $0.header.protocolID == .interactionModel }
            try expect(answers.isEmpty, "no second answer", seen: "\(answers.count) more answers")
        },
        DeviceCase(
            "message.malformed", "A request that is no TLV is refused or ignored, and the device goes on to answer",
            ["messages.malformed"],
            meaning:
                "A device that crashes, restarts or hangs on a broken message can be switched off from the network. Look at what its decoder does with a payload that ends too early."
        ) { bench in
            try await bench.survives(
                OutboundMessage(
                    protocolID: .interactionModel, opcode: InteractionOpcode.invokeRequest.rawValue,
                    payload: [0x15, 0x28, 0x00, 0x36, 0x02, 0x15, 0x37, 0xFF, 0xFF]), "a request that is no TLV")
        },
        DeviceCase(
            "message.unknown-opcode", "A message with an unknown opcode is refused or ignored", ["messages.malformed"],
            meaning: "Later versions have more messages. The device must answer them with INVALID_ACTION, and go on."
        ) { bench in
            try await bench.survives(
                OutboundMessage(
                    protocolID: .interactionModel, opcode: 0x7F,
                    payload: TLVValue.members((0xFF, .uint(12 as UInt8))).encoded()),
                "a message with an unknown opcode")
        },
        DeviceCase(
            "message.garbage", "Datagrams that are no messages are ignored", ["messages.malformed"],
            meaning:
                "Anybody on the network can send such datagrams. The device must drop what does not decode or does not authenticate, without an effect on its sessions."
        ) { bench in
            let (datagram, session) = try await bench.answeredRequest()
            let address = try await bench.locate()
            var forged = datagram
            forged[forged.count - 1] ^= 1
            let unsecured: [UInt8] = [0x04, 0, 0, 0, 1, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 5, 0x20, 1, 0, 0, 0, 0xFF]
            for bytes in [[], [0], Array(datagram.prefix(7)), Array(datagram.prefix(12)), forged, unsecured] {
                bench.probe.send(bytes, to: address)
            }
            try await bench.sleep(.seconds(1))
            try expect(
                try await bench.answers(session), "the session to go on after six datagrams that are no messages",
                seen: "it no longer answers")
        },
    ]
}

extension DeviceBench {
    /// A command that was answered, as it was sent, with its session: sets the label to `first`.
    fileprivate func answeredRequest() async throws -> ([UInt8], ProbeSession) {
        let session = try await session(of: try await commissioned())
        try await invoke(.updateFabricLabel("first"), on: session)
            .expect("UpdateFabricLabel", answeredWith: 0, naming: .nodeOperationalCertificate)
        guard let datagram = await probe.lastRequest else { throw ConformanceSkip("nothing was sent") }
        return (datagram, session)
    }

    /// Sends what makes no sense, on a session that must answer afterwards.
    fileprivate func survives(_ message: OutboundMessage, _ what: String) async throws {
        let session = try await session(of: try await commissioned())
        do {
            let answer = try await probe.converse(on: session.handle, message, within: .seconds(3))
            let isRefusal =
                answer.protocolID == .interactionModel
                && answer.opcode == InteractionOpcode.statusResponse.rawValue
            // What a status response holds is judged when it decodes.
            let status = isRefusal ? try? StatusResponse(decoding: answer.payload) : nil
            try expect(
                status.map { $0.status != .success } ?? false,
                "\(what) to be answered with a status that is no success, best invalid action (0x80), or not at all",
                seen: status.map { "\($0.status)" } ?? "a message with opcode \(answer.opcode)")
        } catch let failure as ConformanceFailure {
            throw failure
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            // Silence is allowed.
        }
        let isAlive = try await answers(session)
        // A device that restarted has forgotten the others too.
        if !isAlive { for session in operational.values { await forget(session) } }
        try expect(isAlive, "the session to go on after \(what)", seen: "it no longer answers")
    }
}
