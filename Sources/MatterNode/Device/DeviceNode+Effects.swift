import MatterModel
import MatterProtocol
import MatterWire

extension DeviceNode {
    /// Performs effects in order.
    ///
    /// - Returns: reports to subscribers, to be performed after the answer that the effects belong to.
    func settle(_ effects: [NodeEffect]) async throws -> [InteractionServer.Action] {
        var changes: [ConcreteAttributePath] = []
        var hasEvents = false
        for effect in effects {
            switch effect {
            case .persist: try await environment.persist(node.snapshot())
            case .fabricAdded(let index), .fabricUpdated(let index):
                try learn(index)
                announce()
            case .fabricRemoved(let index):
                handshakes.fabrics.removeAll { $0.fabricIndex == index }
                announce()
                environment.observe(.fabricRemoved(index))
            case .bindPASESession(let session, let index):
                link.layer.bindPASESession(SessionHandle(rawValue: session), to: index)
            case .closeSession(let session): try await closeWhenIdle(SessionHandle(rawValue: session))
            case .closeSessions(let index):
                for session in link.layer.sessions(on: index) { try await closeWhenIdle(session) }
            case .windowOpened(let window):
                commissionableName = DeviceAdvertisement.commissionableName(environment.random.next())
                announcement = faults.announcing()
                tellFaults()
                announce()
                environment.observe(.windowOpened(kind: window.kind, discriminator: window.discriminator))
            case .windowClosed:
                announce()
                environment.observe(.windowClosed)
                try await perform(handshakes.cancelPASE())
            case .commissioningCompleted(let index):
                if let fabric = fabrics.first(where: { $0.index == index }) {
                    environment.observe(.commissioned(fabric))
                }
            case .factoryReset: environment.observe(.factoryReset)
            case .eventRecorded: hasEvents = true
            case .attributeChanged(let path):
                changes.append(path)
                if let value = value(of: path) { environment.observe(.attributeChanged(path, value)) }
            }
        }
        var reports: [InteractionServer.Action] = []
        if hasEvents { reports += interactions.eventsOccurred(now: link.now, target: &node) }
        if !changes.isEmpty { reports += interactions.attributesChanged(changes, now: link.now, target: &node) }
        return reports
    }

    private func closeWhenIdle(_ session: SessionHandle) async throws {
        try await perform(link.layer.closeSessionWhenIdle(session, notifyPeer: true, now: link.now))
    }

    /// Answers CASE for a fabric as it is now.
    private func learn(_ index: FabricIndex) throws {
        handshakes.fabrics.removeAll { $0.fabricIndex == index }
        guard let fabric = node.fabrics.first(where: { $0.index == index }) else { return }
        handshakes.fabrics.append(
            try FabricCredentials(
                fabricIndex: index, rootCertificate: fabric.rootCertificate, icac: fabric.credentials.icac,
                noc: fabric.credentials.noc, operationalKey: fabric.credentials.key,
                epochKeys: fabric.epochIPKs.reversed()))
    }

    /// Has the present state advertised.
    private func announce() {
        let services = DeviceAdvertisement(
            configuration: node.configuration, port: environment.port, window: node.listeningWindow,
            commissionableName: commissionableName, fabrics: node.fabrics
        ).services
        let announced = announcement.applied(to: services, draw: environment.random.next)
        environment.advertiser.announce(
            environment.defects.contains(.wrongDiscriminator) ? DeviceAdvertisement.misleading(announced) : announced)
    }
}

extension HandshakeServer.Commissioning {
    /// Whether a commissioner may come to a node.
    init(_ node: ServedNode) {
        if let window = node.listeningWindow {
            let stretching = PBKDFParameters(iterations: UInt32(window.pake.iterations), salt: window.pake.salt)
            self = .open(window.pake.verifier, stretching)
        } else {
            self = node.isCommissionerPresent ? .occupied : .closed
        }
    }
}
