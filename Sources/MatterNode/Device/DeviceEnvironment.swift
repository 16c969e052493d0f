package import MatterCrypto
package import MatterProtocol
package import MatterWire
package import NetIO

/// What a device node is made of. Time and chance are injected.
package struct DeviceEnvironment: Sendable {
    package var link: any DatagramLink
    /// The port that peers are told of, host order.
    package var port: UInt16
    package var clock: DriverClock
    /// Wall-clock time, as the node's clusters show it.
    package var wallClock: @Sendable () -> EpochSeconds
    package var random: RandomSource
    package var secrets: any SecretSource
    package var advertiser: any DeviceAdvertiser
    /// Stores the node's snapshot; returns when it is durable. Its error ends the node.
    package var persist: @Sendable ([UInt8]) async throws -> Void
    /// Told of what happens, in order; must not block.
    package var observe: @Sendable (DeviceEvent) -> Void
    /// What the device does wrong at a stage.
    package var faults: FaultPlan
    /// What it does wrong all the time.
    package var defects: Set<DeviceDefect>
    /// Told of datagrams and keys; `nil` for nobody.
    package var traffic: TrafficObserver?

    package init(
        link: any DatagramLink, port: UInt16, clock: DriverClock, wallClock: @escaping @Sendable () -> EpochSeconds,
        random: RandomSource, secrets: any SecretSource, advertiser: any DeviceAdvertiser,
        persist: @escaping @Sendable ([UInt8]) async throws -> Void,
        observe: @escaping @Sendable (DeviceEvent) -> Void = { _ in }, faults: FaultPlan = FaultPlan(),
        defects: Set<DeviceDefect> = []
    ) {
        self.link = link
        self.port = port
        self.clock = clock
        self.wallClock = wallClock
        self.random = random
        self.secrets = secrets
        self.advertiser = advertiser
        self.persist = persist
        self.observe = observe
        self.faults = faults
        self.defects = defects
    }
}
