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
    /// Sends nothing any more.
    package var isMute = false

    package init(
        link: any DatagramLink, clock: DriverClock, random: RandomSource, limits: MessageLayer.Limits = .init()
    ) {
        self.link = link
        self.clock = clock
        layer = MessageLayer(random: random, limits: limits)
        timer = DeadlineTimer(clock: clock)
    }

    /// Now, on the clock that the layer's deadlines use.
    package var now: MonotonicInstant { MonotonicInstant(sinceStart: clock.now) }

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
