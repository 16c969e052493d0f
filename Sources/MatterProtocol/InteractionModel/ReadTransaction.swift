public import MatterWire

/// What a read brought.
public struct ReadResult: Hashable, Sendable {
    /// Values and statuses, in the order of the peer's answer; every path once.
    public var attributes: [AttributeReport]
    /// Events and their statuses.
    public var events: [EventReportIB]
    /// Makes a result.
    public init(attributes: [AttributeReport] = [], events: [EventReportIB] = []) {
        self.attributes = attributes
        self.events = events
    }

    /// The value at `path`; `nil` when there is none. O(n).
    public subscript(path: ConcreteAttributePath) -> TLVValue? {
        for case .data(path, _, let value) in attributes { return value }
        return nil
    }

    /// The value of an attribute of the root endpoint; `nil` when there is none. O(n).
    public subscript(root cluster: ClusterID, attribute: AttributeID) -> TLVValue? {
        self[ConcreteAttributePath(endpoint: .root, cluster: cluster, attribute: attribute)]
    }

    /// Why there is no value at `path`; `nil` when there is one, or the peer said nothing of it. O(n).
    public func status(of path: ConcreteAttributePath) -> StatusIB? {
        for case .status(path, let status) in attributes { return status }
        return nil
    }
}

/// The client's side of one read, on an exchange of its own (Core §8.4).
///
///     idle ── start ──▶ awaitingReport ─── last chunk ──▶ finished
///                        ▲          │ │                      ▲
///                        └─ chunk ──┘ └── status, garbage ───┘
///
/// A peer that keeps sending chunks for ever meets ``InteractionLimits``; one that falls silent meets the owner's timer.
public struct ReadTransaction: Sendable {
    /// What the owner must do.
    public typealias Action = InteractionAction<ReadResult>

    private enum State: Sendable {
        case idle
        case awaitingReport(ReportAssembler)
        case finished
    }

    private let request: ReadRequest
    private var state = State.idle

    /// Makes a read of a whole request.
    public init(_ request: ReadRequest) { self.request = request }

    /// Makes a read of attributes.
    public init(_ paths: [AttributePath], isFabricFiltered: Bool = true) {
        self.init(ReadRequest(attributes: paths, isFabricFiltered: isFabricFiltered))
    }

    /// Begins; call once.
    public mutating func start() -> [Action] {
        guard case .idle = state else { return [] }
        let message = OutboundMessage(request)
        guard message.payload.count <= InteractionLimits.maximumPayload else {
            state = .finished
            return InteractionFailure(.requestTooLarge).end()
        }
        state = .awaitingReport(ReportAssembler())
        return [.send(message)]
    }

    /// A message came on the exchange.
    public mutating func received(_ message: InboundMessage) -> [Action] {
        switch state {
        case .idle, .finished:
            return []
        case .awaitingReport(var assembler):
            do throws(InteractionFailure) {
                let report: ReportData = try message.answer()
                try assembler.add(report, size: message.payload.count)
                let proceed = Action.send(OutboundMessage(StatusResponse(.success)))
                if report.hasMoreChunks {
                    state = .awaitingReport(assembler)
                    return [proceed]
                }
                state = .finished
                let finished = Action.finished(.success(assembler.result))
                return report.suppressesResponse ? [finished] : [proceed, finished]
            } catch {
                state = .finished
                return error.end()
            }
        }
    }

    /// The exchange or session failed, or the owner's time is over.
    public mutating func failed(_ code: InteractionFailure.Code) -> [Action] {
        if case .finished = state { return [] }
        state = .finished
        return [.finished(.failure(InteractionFailure(code)))]
    }
}
