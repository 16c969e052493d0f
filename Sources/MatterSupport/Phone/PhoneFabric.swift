import Foundation
import MatterCrypto
package import MatterNode
import MatterProtocol
package import MatterWire
import NetIO

/// The phone's own Matter administrator: a fabric with its own root, kept in a folder, over real UDP.
///
/// Takes its folder and a port at the first use and keeps them until it is released; another process that wants the same
/// phone waits meanwhile. Devices that could not be left clean are tried again in the background of every use.
package actor PhoneFabric: SetupPhone {
    private let settings: PhoneSettings
    private let makeEnvironment: @Sendable (PhoneSettings) throws -> ControllerEnvironment
    private var opening: Task<OpenPhone, any Error>?

    /// Takes nothing yet.
    ///
    /// - Parameter environment: what the controller runs on; called at the first use.
    package init(
        _ settings: PhoneSettings,
        environment: @escaping @Sendable (PhoneSettings) throws -> ControllerEnvironment = PhoneFabric.system
    ) {
        self.settings = settings
        makeEnvironment = environment
    }

    deinit { opening?.cancel() }

    /// UDP on any free port, DNS-SD when wanted, this machine's clock and randomness.
    package static func system(_ settings: PhoneSettings) throws -> ControllerEnvironment {
        ControllerEnvironment(
            link: try UDPSocket(port: 0), clock: DriverClock(),
            wallClock: { EpochSeconds(unixSeconds: Int64(Date().timeIntervalSince1970)) },
            random: RandomSource { UInt64.random(in: .min ... .max) }, secrets: SystemSecretSource(),
            discovery: settings.usesMulticast ? DNSServiceNodeDiscovery(directory: DNSServiceDirectory()) : nil)
    }

    // MARK: - SetupPhone

    package func examine(_ payload: String, address: String?) async throws -> PhoneExamination {
        let search = try search(payload, address)
        let phone = try await open()
        switch await phone.node.examine(search) {
        case .examined(let found):
            if settings.attestation == .strict, let verdict = found.verdict, !verdict.accepted {
                throw PhoneFailure(
                    .attestationRefused,
                    "the device could not prove that it is genuine: \(verdict.explanation)",
                    stage: CommissioningStage.attestation.rawValue, deviceState: .untouched)
            }
            let (credential, missing) = Self.credential(found.attestation)
            return PhoneExamination(
                credential: credential, credentialMissing: found.attestationMissing ?? missing,
                networks: NetworkNeeds(found.network))
        case .failed(let failure): throw try Self.uncancelled(PhoneFailure(failure))
        case .notFound(let failure): throw try Self.uncancelled(PhoneFailure(failure))
        }
    }

    package func commission(
        _ payload: String, address: String?, progress: @Sendable (String) -> Void
    ) async throws -> PhoneDevice {
        let search = try search(payload, address)
        let phone = try await open()
        await phone.pauseCleaning()
        defer { phone.startCleaning() }
        let state = phone.ledger.state
        let id = NodeID.drawn(using: phone.random) { state.nodes[$0] != nil || $0 == state.fabric.nodeID }
        let order = CommissioningOrder(
            payload: search.payload, nodeID: id, address: search.address,
            attestationPolicy: settings.attestation == .strict ? .strict : .warn, knownNodes: state.members,
            searchTime: search.searchTime, timeLimit: search.timeLimit)
        let (stages, stage) = AsyncStream<String>.makeStream(bufferingPolicy: .unbounded)
        let observer = PhoneObserver(ledger: phone.ledger) { stage.yield($0.rawValue) }
        let running = Task {
            defer { stage.finish() }
            return await phone.node.commission(order, observer: observer)
        }
        let outcome = await withTaskCancellationHandler {
            for await name in stages { progress(name) }
            return await running.value
        } onCancel: {
            running.cancel()
        }
        switch outcome {
        case .commissioned(let report): return try await joined(report, phone)
        case .failed(let failure):
            await settle(id, after: failure, phone)
            throw try Self.uncancelled(PhoneFailure(failure))
        case .notFound(let failure): throw try Self.uncancelled(PhoneFailure(failure))
        }
    }

    package func openWindow(on device: PhoneDevice) async throws -> String {
        let phone = try await open()
        let payload: OnboardingPayload
        do {
            payload = try await phone.node.openWindow(on: device.nodeID, timeout: settings.windowTime)
        } catch let failure as NodeRequestFailure {
            throw try Self.uncancelled(PhoneFailure(failure, "no commissioning window could be opened on it"))
        }
        guard let text = payload.qrCode else {
            preconditionFailure("a window's payload has everything a QR code needs")
        }
        return text
    }

    package func remove(_ device: PhoneDevice) async {
        // Whoever was cancelled must still leave the device as it was: a task of its own.
        await Task { await self.takeOff(device.nodeID) }.value
    }

    /// The devices on the phone's fabric, and those that have to leave it yet.
    package func standing() async throws -> (members: Set<NodeID>, leftovers: Set<NodeID>) {
        let state = try await open().ledger.state
        return (state.members, state.leftovers)
    }

    // MARK: - Steps

    private func open() async throws -> OpenPhone {
        let task: Task<OpenPhone, any Error>
        if let opening {
            task = opening
        } else {
            task = Task { [settings, makeEnvironment] in try await OpenPhone.open(settings, makeEnvironment) }
            opening = task
        }
        do {
            return try await task.value
        } catch {
            if opening == task { opening = nil }
            if let failure = error as? PhoneFailure { throw failure }
            if error is CancellationError { throw error }
            throw PhoneFailure(.state, "the phone's own state cannot be used: \(error)")
        }
    }

    private func search(_ text: String, _ address: String?) throws(PhoneFailure) -> DeviceSearch {
        let payload: OnboardingPayload
        do throws(OnboardingPayloadError) {
            payload = try ParsedOnboardingPayload(text, blanks: .ignored).validated()
        } catch {
            throw PhoneFailure(.invalidCode, "“\(text)” is no onboarding code: \(error.message)")
        }
        var place: PeerAddress?
        if let address {
            place = PeerAddress(text: address)
            guard place != nil else {
                throw PhoneFailure(.invalidCode, "“\(address)” is no address: it must be numeric, as 192.0.2.1:5540")
            }
        }
        return DeviceSearch(
            payload: payload, address: place, searchTime: settings.searchTime, timeLimit: settings.timeLimit)
    }

    /// Keeps a device that has joined; takes it off again when nobody wants it any more or it cannot be remembered.
    private func joined(_ report: CommissionedNodeReport, _ phone: OpenPhone) async throws -> PhoneDevice {
        let id = report.device.nodeID
        let place = report.address.text
        do {
            try await phone.ledger.update { $0.nodes[id] = PhoneState.Node(standing: .member, address: place) }
            try Task.checkCancellation()
        } catch {
            await Task { await self.takeOff(id) }.value
            if error is CancellationError { throw error }
            throw PhoneFailure(.state, "the device cannot be remembered: \(error)")
        }
        return PhoneDevice(
            nodeID: id, credential: Self.credential(report.device.attestation).credential ?? .none,
            networks: NetworkNeeds(report.description.network))
    }

    /// After a failure: forgets the device when it is clean, for which it gets a little time, else keeps it for later.
    private func settle(_ id: NodeID, after failure: CommissioningFailure, _ phone: OpenPhone) async {
        var rest = failure.deviceState
        if rest == .cleaning {
            let node = phone.node
            rest = await phone.within(.seconds(3)) { await node.settled(id) } ?? .cleaning
        }
        let isClean = rest == .clean || rest == .untouched
        // A row that cannot be written stays as it was: it is tried like an orphan.
        try? await phone.ledger.update { state in
            if isClean { state.nodes[id] = nil } else { state.nodes[id]?.standing = .orphan }
        }
    }

    private func takeOff(_ id: NodeID) async {
        do {
            await (try open()).takeOff(id)
        } catch {
            // Without the phone's state there is nothing that could be taken off, nor a place to remember it.
        }
    }

    /// - Throws: `CancellationError` instead when the caller was cancelled.
    private static func uncancelled(_ failure: PhoneFailure) throws -> PhoneFailure {
        try Task.checkCancellation()
        return failure
    }

    private static func credential(
        _ evidence: AttestationEvidence?
    ) -> (credential: MatterAddDeviceExtensionRequestHandler.DeviceCredential?, missing: String?) {
        guard let evidence else { return (nil, "the device showed no attestation") }
        do throws(AttestationError) {
            let elements = try AttestationElements(decoding: evidence.elements)
            return (
                MatterAddDeviceExtensionRequestHandler.DeviceCredential(
                    certificationDeclaration: Data(elements.certificationDeclaration),
                    deviceAttestationCertificate: Data(evidence.dac),
                    productAttestationIntermediateCertificate: Data(evidence.pai)), nil
            )
        } catch {
            return (nil, "the device's attestation does not decode: \(error.reason)")
        }
    }
}

extension MatterAddDeviceExtensionRequestHandler.DeviceCredential {
    /// Of a device whose attestation does not decode: what is missing is empty.
    fileprivate static let none = Self(
        certificationDeclaration: Data(), deviceAttestationCertificate: Data(),
        productAttestationIntermediateCertificate: Data())
}

extension NetworkNeeds {
    /// A device with Ethernet, or one that is on a network, needs none.
    init(_ facts: NetworkFacts) {
        self = []
        guard !facts.isConnected, facts.features & 4 == 0 else { return }
        if facts.features & 1 != 0 { insert(.wifi) }
        if facts.features & 2 != 0 { insert(.thread) }
    }
}

/// Follows one commissioning: tells the stages, and writes down what a crash must not lose.
private struct PhoneObserver: CommissioningObserver {
    let ledger: PhoneLedger
    let stage: @Sendable (CommissioningStage) -> Void

    func entered(_ stage: CommissioningStage) async { self.stage(stage) }

    func journal(_ entry: CommissioningJournalEntry, address: PeerAddress) async throws {
        let place = address.text
        try await ledger.update { state in
            state.nodes[entry.nodeID] = PhoneState.Node(standing: .journalled, address: place)
        }
    }
}
