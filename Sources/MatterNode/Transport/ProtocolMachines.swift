package import MatterProtocol
package import MatterWire

/// What the four handshake machines have in common for their driver.
package protocol HandshakeMachine: Sendable {
    /// When `timerFired` is due.
    var deadline: MonotonicInstant? { get }
    mutating func start(now: MonotonicInstant) -> [HandshakeAction]
    mutating func received(_ message: InboundMessage) -> [HandshakeAction]
    mutating func exchangeFailed(_ failure: ExchangeFailure) -> [HandshakeAction]
    mutating func timerFired(now: MonotonicInstant) -> [HandshakeAction]
    mutating func cancel() -> [HandshakeAction]
}

extension PASEInitiator: HandshakeMachine {}
extension CASEInitiator: HandshakeMachine {}

/// What the client's interactions have in common for their driver.
package protocol InteractionTransaction: Sendable {
    associatedtype Value: Hashable & Sendable
    mutating func start() -> [InteractionAction<Value>]
    mutating func received(_ message: InboundMessage) -> [InteractionAction<Value>]
    mutating func failed(_ code: InteractionFailure.Code) -> [InteractionAction<Value>]
}

extension ReadTransaction: InteractionTransaction {}
extension WriteTransaction: InteractionTransaction {}
extension InvokeTransaction: InteractionTransaction {}
extension SubscribeTransaction: InteractionTransaction {}
