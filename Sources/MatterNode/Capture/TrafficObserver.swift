import MatterCrypto
package import MatterProtocol
package import MatterWire

/// Told of what a node sends, receives and agrees on, as it happens. Calls come from any task and must not block.
package struct TrafficObserver: Sendable {
    /// A datagram, as it is on the wire.
    package var datagram: @Sendable (_ bytes: [UInt8], _ isOutbound: Bool, _ peer: PeerAddress) -> Void
    /// A session was established: these are its keys.
    package var session: @Sendable (EstablishedSession) -> Void
    /// A stage of a commissioning that this node performs begins.
    package var stage: @Sendable (CommissioningStage) -> Void

    package init(
        datagram: @escaping @Sendable (_ bytes: [UInt8], _ isOutbound: Bool, _ peer: PeerAddress) -> Void,
        session: @escaping @Sendable (EstablishedSession) -> Void,
        stage: @escaping @Sendable (CommissioningStage) -> Void
    ) {
        self.datagram = datagram
        self.session = session
        self.stage = stage
    }
}

/// A link whose datagrams are told.
struct ObservedLink: DatagramLink {
    let link: any DatagramLink
    let observer: TrafficObserver

    func receive(_ handle: @Sendable ([UInt8], PeerAddress) async -> Void) async {
        await link.receive { bytes, peer in
            observer.datagram(bytes, false, peer)
            await handle(bytes, peer)
        }
    }

    func send(_ bytes: [UInt8], to peer: PeerAddress) {
        observer.datagram(bytes, true, peer)
        link.send(bytes, to: peer)
    }

    func close() { link.close() }
}

/// Tells stages, and passes everything on.
struct ObservedCommissioning: CommissioningObserver {
    let observer: any CommissioningObserver
    let traffic: TrafficObserver

    func entered(_ stage: CommissioningStage) async {
        traffic.stage(stage)
        await observer.entered(stage)
    }

    func journal(_ entry: CommissioningJournalEntry, address: PeerAddress) async throws {
        try await observer.journal(entry, address: address)
    }

    func decide(_ evidence: AttestationEvidence, _ verdict: AttestationVerdict) async -> Bool {
        await observer.decide(evidence, verdict)
    }
}

extension ControllerEnvironment {
    /// With a link that tells the observer, where there is one.
    var observed: ControllerEnvironment {
        guard let traffic else { return self }
        var environment = self
        environment.link = ObservedLink(link: link, observer: traffic)
        return environment
    }
}

extension DeviceEnvironment {
    /// With a link that tells the observer, where there is one.
    var observed: DeviceEnvironment {
        guard let traffic else { return self }
        var environment = self
        environment.link = ObservedLink(link: link, observer: traffic)
        return environment
    }
}
