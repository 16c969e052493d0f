package import NetIO

/// Announces a device's services on the network, or nowhere.
package protocol DeviceAdvertiser: Sendable {
    /// Announces exactly these services from now on. Returns at once: no commissioning waits for a daemon.
    func announce(_ services: [ServiceAdvertisement])
    /// Serves until ``close()`` or until the task is cancelled, and returns when everything is withdrawn.
    func run() async
    /// Withdraws everything and ends ``run()``.
    func close()
}

/// Announces nothing: peers must know the device's address.
package struct NoDeviceAdvertiser: DeviceAdvertiser {
    package init() {}
    package func announce(_ services: [ServiceAdvertisement]) {}
    package func run() async {}
    package func close() {}
}

/// Announces services by DNS-SD, and again when the daemon drops one.
package actor DNSServiceAdvertiser: DeviceAdvertiser {
    private let directory: DNSServiceDirectory
    private let clock: DriverClock
    private let trouble: @Sendable (ServiceAdvertisement, NetError) -> Void
    private let wishes: AsyncStream<[ServiceAdvertisement]>
    private nonisolated let continuation: AsyncStream<[ServiceAdvertisement]>.Continuation
    private var keepers: [ServiceAdvertisement: Task<Void, Never>] = [:]

    /// - Parameter trouble: told why a service can't be announced, once until that changes; must not block.
    package init(
        directory: DNSServiceDirectory, clock: DriverClock = DriverClock(),
        trouble: @escaping @Sendable (ServiceAdvertisement, NetError) -> Void
    ) {
        self.directory = directory
        self.clock = clock
        self.trouble = trouble
        // Only the newest wish counts.
        (wishes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    package nonisolated func announce(_ services: [ServiceAdvertisement]) { continuation.yield(services) }

    package nonisolated func close() { continuation.finish() }

    package func run() async {
        for await services in wishes {
            await withdraw { !services.contains($0) }
            for service in services where keepers[service] == nil {
                keepers[service] = Task { [directory, clock, trouble] in
                    await directory.advertise(service, clock: clock) { state in
                        if case .failed(let error) = state { trouble(service, error) }
                    }
                }
            }
        }
        await withdraw { _ in true }
    }

    /// Ends announcements and waits for that: a name may be announced anew right after.
    private func withdraw(_ isMeant: (ServiceAdvertisement) -> Bool) async {
        let leaving = keepers.filter { isMeant($0.key) }
        for (service, keeper) in leaving {
            keeper.cancel()
            keepers[service] = nil
        }
        for keeper in leaving.values { await keeper.value }
    }
}
