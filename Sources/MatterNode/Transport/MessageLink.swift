import MatterProtocol
import MatterWire
import NetIO

/// A message layer on a UDP socket, with the one timer that both need.
///
/// Belongs to one actor, which calls ``perform(_:)`` with what the layer wants done and handles the rest itself.
final class MessageLink {
    var layer: MessageLayer
    let socket: UDPSocket
    let timer: DeadlineTimer
    private let clock: DriverClock

    init(socket: UDPSocket, clock: DriverClock, random: RandomSource, limits: MessageLayer.Limits = .init()) {
        self.socket = socket
        self.clock = clock
        layer = MessageLayer(random: random, limits: limits)
        timer = DeadlineTimer(clock: clock)
    }

    /// Now, on the clock that the layer's deadlines use.
    var now: MonotonicInstant { MonotonicInstant(sinceStart: clock.now) }

    /// Sends what is to be sent.
    ///
    /// - Returns: the other actions, in order.
    func perform(_ actions: [MessageLayer.Action]) -> [MessageLayer.Action] {
        actions.filter { action in
            guard case .transmit(let datagram, let peer) = action else { return true }
            // A datagram that cannot leave is a lost one: retransmission and its end are the protocol's answer.
            try? socket.send(datagram, to: peer.socketAddress)
            return false
        }
    }

    /// Sets the timer to the earlier of the layer's deadline and `other`.
    func armTimer(other: MonotonicInstant? = nil) {
        let deadlines = [layer.deadline, other].compactMap(\.self)
        timer.arm(deadlines.min()?.sinceStart)
    }

    /// Stops receiving and the timer.
    func close() {
        socket.close()
        timer.finish()
    }
}
