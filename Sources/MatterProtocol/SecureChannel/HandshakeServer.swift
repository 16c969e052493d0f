public import MatterCrypto
public import MatterWire

/// Answers the peers that begin handshakes with this node, few at a time, whatever comes.
///
/// The driver hands it every exchange that opens on an unsecured session, and then whatever happens on it. Exchanges
/// that find no place are told `busy` and closed at once, so that a flood keeps nothing here.
public struct HandshakeServer: Sendable {
    /// Whether a commissioner may come.
    public enum Commissioning: Sendable {
        /// No commissioning window is open: PASE is refused.
        case closed
        /// A window is open, and nobody is in.
        case open(PAKEVerifier, PBKDFParameters)
        /// A commissioner has a PASE session: others are told to wait.
        case occupied
    }

    /// Which handshake an exchange carries.
    public enum Kind: Hashable, Sendable { case pase, `case` }

    /// What the driver has to do, or to know.
    public enum Action: Hashable, Sendable {
        case send(OutboundMessage, on: ExchangeHandle)
        /// Use this timing for the unsecured session that the exchange is on.
        case peerTiming(MRPParameters, on: ExchangeHandle)
        /// Add the session to the message layer; the peer is at the address of the exchange's session.
        case established(EstablishedSession, on: ExchangeHandle)
        /// A handshake made no session.
        case failed(HandshakeFailure, Kind, on: ExchangeHandle)
        case close(ExchangeHandle)
    }

    fileprivate enum Handshake: Sendable {
        case pase(PASEResponder)
        case `case`(CASEResponder)
    }

    /// CASE handshakes at one time; there is never more than one PASE handshake.
    public static let caseLimit = 8
    /// What others are told to wait.
    public static let busyWait: Duration = .milliseconds(500)

    private let parameters: SessionParameters
    private let secrets: any SecretSource
    private var handshakes: [ExchangeHandle: Handshake] = [:]
    /// The fabrics that this node answers for. A change does not touch handshakes that run.
    public var fabrics: [FabricCredentials]
    /// Whether a commissioner may come. A change does not touch a handshake that runs.
    public var commissioning: Commissioning

    /// - Parameter sessionParameters: what to tell peers of this node.
    public init(
        fabrics: [FabricCredentials] = [], commissioning: Commissioning = .closed,
        sessionParameters: SessionParameters, secrets: any SecretSource
    ) {
        self.fabrics = fabrics
        self.commissioning = commissioning
        parameters = sessionParameters
        self.secrets = secrets
    }

    /// When ``timerFired(now:)`` is next due. O(number of handshakes).
    public var deadline: MonotonicInstant? { handshakes.values.compactMap(\.deadline).min() }

    /// Whether a handshake runs on this exchange.
    public func contains(_ exchange: ExchangeHandle) -> Bool { handshakes[exchange] != nil }

    /// The number of handshakes that run.
    public var count: Int { handshakes.count }

    /// Whether a PASE handshake runs.
    public var isPASERunning: Bool { handshakes.values.contains { $0.kind == .pase } }

    /// A peer began an exchange with a message of the secure channel.
    ///
    /// - Parameters:
    ///   - localSessionID: from ``MessageLayer/allocateSessionID()``.
    ///   - wallClock: judges the validity of certificates; `nil` when the time is not known.
    public mutating func opened(
        _ exchange: ExchangeHandle, _ message: InboundMessage, localSessionID: SessionID, wallClock: EpochSeconds?,
        now: MonotonicInstant
    ) -> [Action] {
        switch message.secureChannelOpcode {
        case .pbkdfParamRequest?:
            switch commissioning {
            case .closed: return refuse(exchange, .failure(.invalidParameter))
            case .occupied: return refuse(exchange, .busy(wait: Self.busyWait))
            case .open(let verifier, let stretching):
                guard !isPASERunning else { return refuse(exchange, .busy(wait: Self.busyWait)) }
                handshakes[exchange] = .pase(
                    PASEResponder(
                        verifier: verifier, stretching: stretching, localSessionID: localSessionID,
                        sessionParameters: parameters, secrets: secrets, now: now))
            }
        case .sigma1?:
            guard handshakes.values.count(where: { $0.kind == .case }) < Self.caseLimit else {
                return refuse(exchange, .busy(wait: Self.busyWait))
            }
            handshakes[exchange] = .case(
                CASEResponder(
                    fabrics: fabrics, localSessionID: localSessionID, sessionParameters: parameters,
                    wallClock: wallClock, secrets: secrets, now: now))
        default: return [.close(exchange)]
        }
        return received(exchange, message)
    }

    /// A further message came on a handshake's exchange.
    public mutating func received(_ exchange: ExchangeHandle, _ message: InboundMessage) -> [Action] {
        step(exchange) { $0.received(message) }
    }

    /// A handshake's exchange is over without being closed by this side.
    public mutating func exchangeFailed(_ exchange: ExchangeHandle, _ failure: ExchangeFailure) -> [Action] {
        step(exchange) { $0.exchangeFailed(failure) }
    }

    /// Gives up handshakes whose time is over.
    public mutating func timerFired(now: MonotonicInstant) -> [Action] {
        var actions: [Action] = []
        for exchange in handshakes.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            actions += step(exchange) { $0.timerFired(now: now) }
        }
        return actions
    }

    /// Ends the PASE handshake that runs, for example because the window closed.
    public mutating func cancelPASE() -> [Action] {
        guard let exchange = handshakes.first(where: { $0.value.kind == .pase })?.key else { return [] }
        return step(exchange) { $0.cancel() }
    }

    // MARK: - Steps

    private func refuse(_ exchange: ExchangeHandle, _ report: StatusReport) -> [Action] {
        [.send(OutboundMessage(report), on: exchange), .close(exchange)]
    }

    private mutating func step(
        _ exchange: ExchangeHandle, _ body: (inout Handshake) -> [HandshakeAction]
    ) -> [Action] {
        guard var handshake = handshakes[exchange] else { return [] }
        let outcome = body(&handshake)
        handshakes[exchange] = handshake
        var actions: [Action] = []
        for action in outcome {
            switch action {
            case .send(let message): actions.append(.send(message, on: exchange))
            case .peerTiming(let timing): actions.append(.peerTiming(timing, on: exchange))
            case .established(let session):
                handshakes[exchange] = nil
                actions += [.established(session, on: exchange), .close(exchange)]
            case .failed(let failure):
                handshakes[exchange] = nil
                actions += [.failed(failure, handshake.kind, on: exchange), .close(exchange)]
            }
        }
        return actions
    }
}

extension HandshakeServer.Handshake {
    fileprivate var kind: HandshakeServer.Kind {
        switch self {
        case .pase: .pase
        case .case: .case
        }
    }

    fileprivate var deadline: MonotonicInstant? {
        switch self {
        case .pase(let machine): machine.deadline
        case .case(let machine): machine.deadline
        }
    }

    fileprivate mutating func received(_ message: InboundMessage) -> [HandshakeAction] {
        update {
            $0.received(message)
        } case: {
            $0.received(message)
        }
    }

    fileprivate mutating func exchangeFailed(_ failure: ExchangeFailure) -> [HandshakeAction] {
        update {
            $0.exchangeFailed(failure)
        } case: {
            $0.exchangeFailed(failure)
        }
    }

    fileprivate mutating func timerFired(now: MonotonicInstant) -> [HandshakeAction] {
        update {
            $0.timerFired(now: now)
        } case: {
            $0.timerFired(now: now)
        }
    }

    fileprivate mutating func cancel() -> [HandshakeAction] {
        update {
            $0.cancel()
        } case: {
            $0.cancel()
        }
    }

    private mutating func update(
        _ pase: (inout PASEResponder) -> [HandshakeAction], case body: (inout CASEResponder) -> [HandshakeAction]
    ) -> [HandshakeAction] {
        switch self {
        case .pase(var machine):
            defer { self = .pase(machine) }
            return pase(&machine)
        case .case(var machine):
            defer { self = .case(machine) }
            return body(&machine)
        }
    }
}
