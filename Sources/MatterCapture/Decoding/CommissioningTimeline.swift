public import MatterProtocol
import MatterWire

/// The stages of one commissioning, as messages and a commissioner's own remarks show them.
public struct CommissioningTimeline: Hashable, Sendable {
    /// One stage.
    public struct Span: Hashable, Sendable {
        /// The stage.
        public var stage: CommissioningStage
        /// Microseconds since 1970; `nil` for a stage that was not seen.
        public var begin: Int64?
        /// Microseconds since 1970; `nil` for one that did not end.
        public var end: Int64?
        /// Messages within it.
        public var messages = 0
        /// Of those, the ones that were sent before.
        public var retransmissions = 0
        /// Of those, the ones that only acknowledge.
        public var acknowledgements = 0
        /// Why it was not seen, or that it failed.
        public var note = ""
    }

    /// Every stage, in order.
    public private(set) var spans: [Span] = CommissioningStage.allCases.map { Span(stage: $0) }
    /// Whether the device said that commissioning is complete.
    public private(set) var isComplete = false
    private var current: CommissioningStage?

    /// The commissionings of a capture, one after the other. Those that run at the same time are not told apart.
    public static func all(in messages: [DecodedMessage]) -> [CommissioningTimeline] {
        var timelines: [CommissioningTimeline] = []
        var running: CommissioningTimeline?
        for message in messages {
            for mark in message.marks {
                if mark.stage == .discover, let ended = running {
                    timelines.append(ended)
                    running = nil
                }
                running = running ?? CommissioningTimeline()
                running?.begin(mark.stage, at: mark.microseconds)
            }
            if let stage = stage(of: message) {
                if stage == .pase, let ended = running, (ended.current ?? .discover) > .pase {
                    timelines.append(ended)
                    running = nil
                }
                if running == nil, stage == .pase { running = CommissioningTimeline() }
                running?.begin(stage, at: message.microseconds)
            }
            running?.count(message)
            if let ended = running, ended.isComplete {
                timelines.append(ended)
                running = nil
            }
        }
        if let running { timelines.append(running) }
        return timelines.map { $0.explained() }
    }

    /// The stage that begins with a message of the commissioner; `nil` for other messages.
    private static func stage(of message: DecodedMessage) -> CommissioningStage? {
        guard message.inner?.isFromInitiator == true else { return nil }
        if message.isSecureChannel(.pbkdfParamRequest) { return .pase }
        if message.isSecureChannel(.sigma1) { return .operational }
        guard case .secure(let kind, _, _) = message.channel else { return nil }
        if kind == .pase, message.isInteraction(.readRequest) { return .readInfo }
        guard let command = message.command else { return nil }
        switch (command.path.cluster, command.path.command.rawValue) {
        case (.generalCommissioning, 0x00): return .armFailSafe
        case (.generalCommissioning, 0x02), (.timeSynchronization, 0x00): return .regulatory
        case (.generalCommissioning, 0x04): return .complete
        case (.operationalCredentials, 0x00), (.operationalCredentials, 0x02): return .attestation
        case (.operationalCredentials, 0x04): return .csr
        case (.operationalCredentials, 0x0B): return .addRoot
        case (.operationalCredentials, 0x06): return .addNOC
        default: return nil
        }
    }

    /// A stage begins, unless it or a later one has begun: a fail-safe is armed again, a value is read once more.
    private mutating func begin(_ stage: CommissioningStage, at time: Int64) {
        if let current {
            guard stage > current else { return }
            // What a node of the fabric does with another one is no stage of this device.
            if stage == .operational, current < .addNOC { return }
            spans[current.index - 1].end = time
        }
        current = stage
        spans[stage.index - 1].begin = time
    }

    private mutating func count(_ message: DecodedMessage) {
        guard let current else { return }
        spans[current.index - 1].messages += 1
        if message.isRetransmission { spans[current.index - 1].retransmissions += 1 }
        if message.isStandaloneAck { spans[current.index - 1].acknowledgements += 1 }
        // An answer that cannot be read ends no stage; the list of messages shows it as it is.
        guard current == .complete, message.isInteraction(.invokeResponse),
            case .command(let block)? = (try? InvokeResponse(decoding: message.payload))?.responses.first,
            block.path.cluster == .generalCommissioning, block.path.command.rawValue == 0x05
        else { return }
        spans[current.index - 1].end = message.microseconds
        isComplete = true
    }

    /// With notes on what was not seen.
    private func explained() -> CommissioningTimeline {
        var timeline = self
        for index in spans.indices where spans[index].begin == nil {
            let wasPassed = (current ?? .discover) > spans[index].stage
            timeline.spans[index].note =
                switch spans[index].stage {
                case .discover where wasPassed:
                    "not in the capture: no remark of a commissioner, and DNS-SD is another port"
                case .regulatory where wasPassed: "left out: the device wants neither location nor time"
                case _ where wasPassed: "left out"
                default: "not reached"
                }
        }
        if let current, !isComplete { timeline.spans[current.index - 1].note = "did not end" }
        return timeline
    }
}
