package import MatterProtocol
package import MatterWire
package import NetIO

/// A message layer on a link, with the one timer that the layer needs.
///
/// Belongs to one actor, which calls ``perform(_:)`` with what the layer wants done and handles the rest itself.
package final class MessageLink {
    package var layer: MessageLayer
    package let link: any DatagramLink
    package let timer: DeadlineTimer
    private let clock: DriverClock
    private let traffic: TrafficObserver?
    /// Sends nothing any more.
    package var isMute = false

    /// - Parameter traffic: told of sessions; datagrams it hears from the link.
    package init(
        link: any DatagramLink, clock: DriverClock, random: RandomSource, limits: MessageLayer.Limits = .init(),
        traffic: TrafficObserver? = nil
    ) {
        self.link = link
        self.clock = clock
        self.traffic = traffic
        layer = MessageLayer(random: random, limits: limits)
        timer = DeadlineTimer(clock: clock)
    }

    /// Now, on the clock that the layer's deadlines use.
    package var now: MonotonicInstant { MonotonicInstant(sinceStart: clock.now) }

    /// Takes over the keys of a handshake; see `MessageLayer`.
    func addSession(
        _ established: EstablishedSession, peer: PeerAddress
    ) throws(MessageLayerError) -> (session: SessionHandle, actions: [MessageLayer.Action]) {
        let added = try layer.addSession(established, peer: peer, now: now)
        traffic?.session(established)
        return added
    }

    /// Sends what is to be sent.
    ///
    /// - Returns: the other actions, in order.
    package func perform(_ actions: [MessageLayer.Action]) -> [MessageLayer.Action] {
        actions.filter { action in
            guard case .transmit(let datagram, let peer) = action else { return true }
            if !isMute { link.send(datagram, to: peer) }
            return false
        }
    }

    /// Sets the timer to the earlier of the layer's deadline and `other`.
    package func armTimer(other: MonotonicInstant? = nil) {
        let deadlines = [layer.deadline, other].compactMap(\.self)
        timer.arm(deadlines.min()?.sinceStart)
    }

    /// Stops receiving and the timer.
    package func close() {
        link.close()
        timer.finish()
    }
}
