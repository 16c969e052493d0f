import MatterNode
package import MatterWire
package import NetIO
package import TestSupport

/// Links between nodes of one process: a datagram is there at once, unless a link is cut or the network is a bad one.
package final class MemoryNetwork: Sendable {
    fileprivate struct State {
        var links: [PeerAddress: AsyncStream<Delivery>.Continuation] = [:]
        var cut: Set<PeerAddress> = []
        /// What delays and loses; `nil` for a perfect network.
        var bad: VirtualNetwork?
        /// Set with ``bad``.
        var clock: DriverClock?
        var alarm: (@Sendable (Duration?) -> Void)?
    }

    fileprivate typealias Delivery = (bytes: [UInt8], source: PeerAddress)
    private let state = Locked(State())
    /// Called with the sender's port for every datagram, before it travels.
    private let sent: @Sendable (UInt16) -> Void

    package init(sent: @escaping @Sendable (UInt16) -> Void = { _ in }) { self.sent = sent }

    /// The address of the node with a port.
    package static func address(_ port: UInt16) -> PeerAddress {
        PeerAddress(ip: [UInt8](repeating: 0, count: 15) + [1], port: port)
    }

    /// A new link; it replaces one with the same port.
    package func link(port: UInt16) -> MemoryLink {
        let address = Self.address(port)
        let (stream, continuation) = AsyncStream<Delivery>.makeStream(bufferingPolicy: .unbounded)
        state.withLock { $0.links[address] = continuation }
        return MemoryLink(address, stream, self)
    }

    /// Loses everything to and from a node from now on.
    package func cut(port: UInt16) { state.withLock { _ = $0.cut.insert(Self.address(port)) } }

    /// Lets a node that was cut off hear and speak again.
    package func heal(port: UInt16) { state.withLock { _ = $0.cut.remove(Self.address(port)) } }

    /// Loses, delays, repeats and reorders while the body runs, as the seed says.
    package func suffer<R>(
        _ conditions: VirtualNetwork.Conditions, seed: UInt64, clock: DriverClock, _ body: () async throws -> R
    ) async rethrows -> R {
        let timer = DeadlineTimer(clock: clock)
        state.withLock { state in
            state.bad = VirtualNetwork(conditions: conditions, seed: seed)
            state.clock = clock
            state.alarm = { timer.arm($0) }
        }
        let carrying = Task { [state] in
            for await _ in timer.firings { Self.carry(state, clock) }
        }
        defer {
            timer.finish()
            carrying.cancel()
            // What is still on its way is lost.
            state.withLock { state in
                state.bad = nil
                state.alarm = nil
                state.clock = nil
            }
        }
        return try await body()
    }

    /// Hands over what has arrived.
    private static func carry(_ state: Locked<State>, _ clock: DriverClock) {
        state.withLock { state in
            for datagram in state.bad?.arrivals(now: MonotonicInstant(sinceStart: clock.now)) ?? [] {
                state.deliver(datagram.bytes, from: datagram.source, to: datagram.destination)
            }
            state.alarm?(state.bad?.nextArrival?.sinceStart)
        }
    }

    fileprivate func send(_ bytes: [UInt8], from source: PeerAddress, to destination: PeerAddress) {
        sent(source.port)
        state.withLock { state in
            guard let clock = state.clock else { return state.deliver(bytes, from: source, to: destination) }
            state.bad?.send(
                .init(bytes: bytes, source: source, destination: destination),
                now: MonotonicInstant(sinceStart: clock.now))
            state.alarm?(state.bad?.nextArrival?.sinceStart)
        }
    }

    fileprivate func close(_ address: PeerAddress) { state.withLock { $0.links[address]?.finish() } }
}

extension MemoryNetwork.State {
    fileprivate func deliver(_ bytes: [UInt8], from source: PeerAddress, to destination: PeerAddress) {
        guard !cut.contains(source), !cut.contains(destination) else { return }
        links[destination]?.yield((bytes, source))
    }
}

/// One node's end of a ``MemoryNetwork``.
package struct MemoryLink: DatagramLink {
    private let address: PeerAddress
    private let stream: AsyncStream<MemoryNetwork.Delivery>
    private let network: MemoryNetwork

    fileprivate init(_ address: PeerAddress, _ stream: AsyncStream<MemoryNetwork.Delivery>, _ network: MemoryNetwork) {
        self.address = address
        self.stream = stream
        self.network = network
    }

    package func receive(_ handle: @Sendable ([UInt8], PeerAddress) async -> Void) async {
        for await delivery in stream { await handle(delivery.bytes, delivery.source) }
    }

    package func send(_ bytes: [UInt8], to peer: PeerAddress) { network.send(bytes, from: address, to: peer) }

    package func close() { network.close(address) }
}
