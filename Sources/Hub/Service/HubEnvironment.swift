package import MatterCrypto
package import MatterWire
package import NetIO

/// Time, chance and limits of a hub, injected.
package struct HubEnvironment: Sendable {
    package var clock: DriverClock
    package var wallClock: @Sendable () -> EpochSeconds
    package var random: RandomSource
    package var secrets: any SecretSource
    package var sessionLimits: SessionLimits
    /// How long `session.cancel` waits for a running commission to say what it left behind.
    package var cancelPatience: Duration
    /// Between tries to clean a node that cannot be reached.
    package var settleInterval: Duration
    /// Tries before such a node is only retried on request.
    package var settleAttempts: Int
    /// What goes wrong on purpose.
    package var faults: HubFaults

    package init(
        clock: DriverClock, wallClock: @escaping @Sendable () -> EpochSeconds, random: RandomSource,
        secrets: any SecretSource, sessionLimits: SessionLimits = .init(),
        cancelPatience: Duration = .milliseconds(800),
        settleInterval: Duration = .seconds(60), settleAttempts: Int = 5,
        faults: HubFaults = HubFaults()
    ) {
        self.clock = clock
        self.wallClock = wallClock
        self.random = random
        self.secrets = secrets
        self.sessionLimits = sessionLimits
        self.cancelPatience = cancelPatience
        self.settleInterval = settleInterval
        self.settleAttempts = settleAttempts
        self.faults = faults
    }

    var now: MonotonicInstant { MonotonicInstant(sinceStart: clock.now) }
}
