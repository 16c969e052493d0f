import MatterNode
package import MatterWire
import NetIO

/// Links between nodes of one process: a datagram is there at once, unless a link is cut.
package final class MemoryNetwork: Sendable {
    private struct State {
        var links: [PeerAddress: AsyncStream<Delivery>.Continuation] = [:]
        var cut: Set<PeerAddress> = []
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

    fileprivate func send(_ bytes: [UInt8], from source: PeerAddress, to destination: PeerAddress) {
        sent(source.port)
        state.withLock { state in
            guard !state.cut.contains(source), !state.cut.contains(destination) else { return }
            state.links[destination]?.yield((bytes, source))
        }
    }

    fileprivate func close(_ address: PeerAddress) { state.withLock { $0.links[address]?.finish() } }
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
