package import NetIO

/// One service that a device has announced.
package struct AdvertisedService: Hashable, Sendable {
    /// The instance's name.
    package var name: String
    /// `_matterc._udp` or `_matter._tcp`.
    package var type: String
    /// `_L3840`, `_CM`.
    package var subtypes: [String]
    /// Host order.
    package var port: UInt16
    package var txt: TXTRecord
}

/// Announces a device's services on the network, or nowhere.
package protocol DeviceAdvertiser: Sendable {
    /// Announces exactly these services from now on. Returns at once: no commissioning waits for a daemon.
    func announce(_ services: [AdvertisedService])
    /// Serves until ``close()`` or until the task is cancelled, and returns when everything is withdrawn.
    func run() async
    /// Withdraws everything and ends ``run()``.
    func close()
}

/// Announces nothing: peers must know the device's address.
package struct NoDeviceAdvertiser: DeviceAdvertiser {
    package init() {}
    package func announce(_ services: [AdvertisedService]) {}
    package func run() async {}
    package func close() {}
}

/// Announces services by DNS-SD, and again when the daemon drops one.
package actor DNSServiceAdvertiser: DeviceAdvertiser {
    /// The wait after a failure before the next try.
    private static let retryWait: Duration = .seconds(5)

    private let directory: DNSServiceDirectory
    private let clock: DriverClock
    private let trouble: @Sendable (AdvertisedService, NetError) -> Void
    private let wishes: AsyncStream<[AdvertisedService]>
    private nonisolated let continuation: AsyncStream<[AdvertisedService]>.Continuation
    private var keepers: [AdvertisedService: Task<Void, Never>] = [:]

    /// - Parameter trouble: told of each failure to announce; must not block.
    package init(
        directory: DNSServiceDirectory, clock: DriverClock = DriverClock(),
        trouble: @escaping @Sendable (AdvertisedService, NetError) -> Void
    ) {
        self.directory = directory
        self.clock = clock
        self.trouble = trouble
        // Only the newest wish counts.
        (wishes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    package nonisolated func announce(_ services: [AdvertisedService]) { continuation.yield(services) }

    package nonisolated func close() { continuation.finish() }

    package func run() async {
        for await services in wishes {
            await withdraw { !services.contains($0) }
            for service in services where keepers[service] == nil {
                keepers[service] = Task { [directory, clock, trouble] in
                    await Self.keep(service, directory, clock, trouble)
                }
            }
        }
        await withdraw { _ in true }
    }

    /// Ends announcements and waits for that: a name may be announced anew right after.
    private func withdraw(_ isMeant: (AdvertisedService) -> Bool) async {
        let leaving = keepers.filter { isMeant($0.key) }
        for (service, keeper) in leaving {
            keeper.cancel()
            keepers[service] = nil
        }
        for keeper in leaving.values { await keeper.value }
    }

    /// Keeps one service announced until the task is cancelled.
    private static func keep(
        _ service: AdvertisedService, _ directory: DNSServiceDirectory, _ clock: DriverClock,
        _ trouble: @Sendable (AdvertisedService, NetError) -> Void
    ) async {
        while !Task.isCancelled {
            do throws(NetError) {
                let registration = try await directory.register(
                    service.name, type: service.type, subtypes: service.subtypes, port: service.port,
                    txt: service.txt, clock: clock)
                for await loss in registration.losses { trouble(service, loss) }
                await registration.withdraw()
            } catch {
                if error.code != .cancelled { trouble(service, error) }
            }
            // Its only error is the cancellation, which ends the loop.
            try? await clock.sleep(until: clock.now + retryWait)
        }
    }
}
