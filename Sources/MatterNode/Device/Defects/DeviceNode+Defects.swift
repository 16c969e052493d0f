import MatterProtocol
import MatterWire
import NetIO

/// What a device with defects remembers of datagrams, to take them for new ones or for nothing.
struct DatagramMemory: Sendable {
    private struct Entry: Sendable {
        let datagram: [UInt8]
        /// The command that it carried, with its session and moment.
        var request: (InvokeRequest, InteractionContext)?
    }

    /// Older datagrams are forgotten.
    private static let limit = 64
    private var entries: [Entry] = []

    /// Remembers a datagram.
    ///
    /// - Returns: whether it came before, with the command that it carried then.
    mutating func isRepeated(_ datagram: [UInt8]) -> (Bool, (InvokeRequest, InteractionContext)?) {
        if let old = entries.first(where: { $0.datagram == datagram }) { return (true, old.request) }
        entries.append(Entry(datagram: datagram))
        if entries.count > Self.limit { entries.removeFirst() }
        return (false, nil)
    }

    /// The datagram that came last carried this command.
    mutating func carried(_ request: InvokeRequest, _ context: InteractionContext) {
        guard !entries.isEmpty else { return }
        entries[entries.count - 1].request = (request, context)
    }
}

/// Defects that show in messages, before the node hears of them.
extension DeviceNode {
    /// A datagram came.
    ///
    /// - Returns: whether the message layer gets it.
    func admit(_ datagram: [UInt8]) async throws -> Bool {
        guard !environment.defects.isDisjoint(with: [.runsDuplicates, .ignoresDuplicates]) else { return true }
        let (isRepeated, request) = memory.isRepeated(datagram)
        guard isRepeated else { return true }
        if environment.defects.contains(.runsDuplicates), let (request, context) = request {
            for command in request.commands { _ = node.invoke(command.path, fields: command.fields, context: context) }
            try await perform(node.takeEffects())
        }
        return !environment.defects.contains(.ignoresDuplicates)
    }

    /// A request came in a session.
    ///
    /// - Returns: whether it is to be answered.
    func admit(_ message: InboundMessage, _ context: InteractionContext) async throws -> Bool {
        guard !environment.defects.isEmpty, message.protocolID == .interactionModel else { return true }
        if environment.defects.contains(.runsDuplicates),
            message.opcode == InteractionOpcode.invokeRequest.rawValue
        {
            // What does not decode is not run, once or twice.
            if let request = try? InvokeRequest(decoding: message.payload) { memory.carried(request, context) }
        }
        guard environment.defects.contains(.restartsOnGarbage) else { return true }
        do throws(TLVError) {
            _ = try TLVValue.decode(message.payload)
            return true
        } catch {
            try await restart()
            return false
        }
    }
}

extension DeviceAdvertisement {
    /// The services with a discriminator that is not the window's.
    static func misleading(_ services: [ServiceAdvertisement]) -> [ServiceAdvertisement] {
        services.map { service in
            guard service.type == "_matterc._udp" else { return service }
            var changed = service
            changed.txt["D"] = service.txt["D"].flatMap { UInt16($0) }.map { String($0 ^ 1) }
            return changed
        }
    }
}
