package import MatterWire
package import NetIO

/// What carries a node's datagrams: a UDP socket, or a network in memory.
package protocol DatagramLink: Sendable {
    /// Hands over each datagram in the order of arrival, until the link is closed or the task is cancelled.
    func receive(_ handle: @Sendable ([UInt8], PeerAddress) async -> Void) async
    /// Sends one datagram. One that cannot leave is lost, as on any network: retransmission is the protocol's answer.
    func send(_ bytes: [UInt8], to peer: PeerAddress)
    /// Stops receiving; later sends are lost.
    func close()
}

extension UDPSocket: DatagramLink {
    package func receive(_ handle: @Sendable ([UInt8], PeerAddress) async -> Void) async {
        for await datagram in datagrams { await handle(datagram.bytes, PeerAddress(datagram.source)) }
    }

    package func send(_ bytes: [UInt8], to peer: PeerAddress) {
        // See the protocol: an unreachable peer shows as one that does not answer.
        try? send(bytes, to: peer.socketAddress)
    }
}
