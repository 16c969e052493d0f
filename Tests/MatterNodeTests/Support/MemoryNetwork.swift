import MatterNode
import MatterWire
import NetIO

/// Links between nodes of one process: a datagram is there at once, unless a link is cut.
final class MemoryNetwork: Sendable {
    private struct State {
        var links: [PeerAddress: AsyncStream<Delivery>.Continuation] = [:]
        var cut: Set<PeerAddress> = []
    }

    fileprivate typealias Delivery = (bytes: [UInt8], source: PeerAddress)
    private let state = Locked(State())
    /// Called with the sender's port for every datagram, before it travels.
    private let sent: @Sendable (UInt16) -> Void

    init(sent: @escaping @Sendable (UInt16) -> Void = { _ in }) { self.sent = sent }

    /// The address of the node with a port.
    static func address(_ port: UInt16) -> PeerAddress {
        PeerAddress(ip: [UInt8](repeating: 0, count: 15) + [1], port: port)
    }

    /// A new link; it replaces one with the same port.
    func link(port: UInt16) -> MemoryLink {
        let address = Self.address(port)
        let (stream, continuation) = AsyncStream<Delivery>.makeStream(bufferingPolicy: .unbounded)
        state.withLock { $0.links[address] = continuation }
        return MemoryLink(address, stream, self)
    }

    /// Loses everything to and from a node from now on.
    func cut(port: UInt16) { state.withLock { _ = $0.cut.insert(Self.address(port)) } }

    /// Lets a node that was cut off hear and speak again.
    func heal(port: UInt16) { state.withLock { _ = $0.cut.remove(Self.address(port)) } }

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
struct MemoryLink: DatagramLink {
    private let address: PeerAddress
    private let stream: AsyncStream<MemoryNetwork.Delivery>
    private let network: MemoryNetwork

    fileprivate init(_ address: PeerAddress, _ stream: AsyncStream<MemoryNetwork.Delivery>, _ network: MemoryNetwork) {
        self.address = address
        self.stream = stream
        self.network = network
    }

    func receive(_ handle: @Sendable ([UInt8], PeerAddress) async -> Void) async {
        for await delivery in stream { await handle(delivery.bytes, delivery.source) }
    }

    func send(_ bytes: [UInt8], to peer: PeerAddress) { network.send(bytes, from: address, to: peer) }

    func close() { network.close(address) }
}
