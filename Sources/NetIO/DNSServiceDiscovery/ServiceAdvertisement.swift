/// What is to be announced of one service.
package struct ServiceAdvertisement: Hashable, Sendable {
    /// The instance's name, 1 ... 63 bytes of UTF-8.
    package var name: String
    /// `_matter-hub._tcp`.
    package var type: String
    package var subtypes: [String]
    /// Host order.
    package var port: UInt16
    package var txt: TXTRecord
    /// Whether a taken name gets " (2)" and so on; else it is a failure.
    package var mayRename: Bool

    package init(
        name: String, type: String, subtypes: [String] = [], port: UInt16, txt: TXTRecord, mayRename: Bool = false
    ) {
        self.name = name
        self.type = type
        self.subtypes = subtypes
        self.port = port
        self.txt = txt
        self.mayRename = mayRename
    }
}

/// How an advertisement stands.
package enum AdvertisementState: Hashable, Sendable {
    /// On the link under this name.
    case announced(name: String)
    /// Not on the link, and why; it is tried again.
    case failed(NetError)
}

extension DNSServiceDirectory {
    /// Announces a service until the task is cancelled, and withdraws it then: a missing or restarted daemon and a taken name
    /// are tried again.
    ///
    /// - Parameters:
    ///   - retryDelay: the pause after a failure.
    ///   - changed: called with each new state; the same failure in a row is reported once.
    package func advertise(
        _ service: ServiceAdvertisement, clock: DriverClock, retryDelay: Duration = .seconds(5),
        changed: (AdvertisementState) async -> Void
    ) async {
        var last: AdvertisementState?
        while !Task.isCancelled {
            do throws(NetError) {
                let registration = try await register(service, clock)
                last = .announced(name: registration.name)
                await changed(.announced(name: registration.name))
                let loss = await registration.losses.first { _ in true }
                await registration.withdraw()
                if let loss { throw loss }
            } catch {
                if Task.isCancelled { return }
                if last != .failed(error) { await changed(.failed(error)) }
                last = .failed(error)
                do { try await clock.sleep(until: clock.now + retryDelay) } catch { return }
            }
        }
    }

    private func register(
        _ service: ServiceAdvertisement, _ clock: DriverClock
    ) async throws(NetError) -> DNSServiceRegistration {
        if service.mayRename {
            return try await registerRenaming(
                service.name, type: service.type, subtypes: service.subtypes, port: service.port, txt: service.txt,
                clock: clock)
        }
        return try await register(
            service.name, type: service.type, subtypes: service.subtypes, port: service.port, txt: service.txt,
            clock: clock)
    }
}
