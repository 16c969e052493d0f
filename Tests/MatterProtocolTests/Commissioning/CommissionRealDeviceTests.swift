import MatterCrypto
import MatterProtocol
import MatterWire
import TestSupport
import Testing

/// A device of a few clusters with real keys, served by a real interaction server.
private struct KeyedDevice: InteractionTarget {
    var credentials: DeviceAttestationCredentials
    var challenge: [UInt8]
    var secrets = SystemSecretSource()
    var root: [UInt8]?
    var noc: [UInt8]?
    var identity: OperationalIdentity?
    var isComplete = false
    var changesNonce = false

    mutating func read(
        _ paths: [AttributePath], fabricFiltered: Bool, versionFilters: [DataVersionFilter],
        context: InteractionContext
    ) -> [AttributeReport] {
        paths.compactMap(\.concrete).map { path in
            let value: TLVValue? =
                switch (path.cluster.rawValue, path.attribute.rawValue) {
                case (0x28, 2): .unsigned(0xFFF1)
                case (0x28, 4): .unsigned(0x8000)
                case (0x3E, 1): .array([])
                default: nil
                }
            return value.map { .data(path: path, version: .init(rawValue: 1), value: $0) }
                ?? .status(path: path, StatusIB(.unsupportedAttribute))
        }
    }

    mutating func write(_ write: AttributeWrite, context: InteractionContext) -> [AttributeWriteResult] { [] }

    mutating func invoke(
        _ path: CommandPath, fields: TLVValue, context: InteractionContext
    ) -> [(CommandPath, InvokeOutcome)] {
        do {
            return [(path, try answer(path, fields))]
        } catch {
            Issue.record(error)
            return [(path, .status(StatusIB(.failure)))]
        }
    }

    private mutating func answer(_ path: CommandPath, _ fields: TLVValue) throws -> InvokeOutcome {
        let ok = TLVValue.members((0, .unsigned(0)), (1, .utf8("")))
        func response(_ number: UInt32, _ fields: TLVValue) -> InvokeOutcome {
            .response(CommandID(rawValue: number), fields)
        }
        func signed(_ elements: [UInt8]) throws -> TLVValue {
            .members(
                (0, .octets(elements)), (1, .octets(try credentials.sign(elements, challenge: challenge))))
        }
        switch (path.cluster.rawValue, path.command.rawValue) {
        case (0x30, 0): return response(1, ok)
        case (0x30, 4):
            isComplete = true
            return response(5, ok)
        case (0x3E, 0):
            let elements = AttestationElements(
                certificationDeclaration: credentials.certificationDeclaration, nonce: try fields.octets(0),
                timestamp: 0)
            return response(1, try signed(elements.encoded()))
        case (0x3E, 2):
            let certificate = try fields.integer(0, as: UInt8.self) == 2 ? credentials.pai : credentials.dac
            return response(3, .members((0, .octets(certificate))))
        case (0x3E, 4):
            let key = try P256PrivateKey.generate(using: secrets)
            let nonce = changesNonce ? [UInt8](repeating: 0, count: 32) : try fields.octets(0)
            let elements = NOCSRElements(csr: try CertificateSigningRequest.make(key: key), nonce: nonce)
            return response(5, try signed(elements.encoded()))
        case (0x3E, 0x0B):
            root = try fields.octets(0)
            return .status(.success)
        case (0x3E, 6):
            noc = try fields.octets(0)
            identity = try OperationalChain.validate(noc: fields.octets(0), icac: nil, rcac: root ?? [])
            return response(8, .members((0, .unsigned(0)), (1, .unsigned(1))))
        default:
            return .status(StatusIB(.unsupportedCommand))
        }
    }
}

@Suite("Commissioner, transactions, server and keys together") struct CommissionRealDeviceTests {
    private let challenge = [UInt8](repeating: 8, count: 16)

    private func makeDevice() throws -> KeyedDevice {
        let credentials = try TestAttestationAuthority.issue(
            product: ProductID(rawValue: 0x8000), deviceType: .onOffLight, secrets: SystemSecretSource())
        return KeyedDevice(credentials: credentials, challenge: challenge)
    }

    private func run(
        _ device: inout KeyedDevice, trust: AttestationTrustStore
    ) throws -> [CommissionerMachine.Action] {
        let fabricID = FabricID(rawValue: 0xABCD)
        let root = try CertificateAuthority.create(
            rcacID: 1, notBefore: TestAttestationAuthority.notBefore, secrets: SystemSecretSource())
        let authority = FabricAuthority(
            root: root, fabricID: fabricID, trust: trust, notBefore: TestAttestationAuthority.notBefore,
            secrets: SystemSecretSource())
        let plan = CommissioningPlan(
            nodeID: NodeID(rawValue: 77), fabricID: fabricID, rootCertificate: root.rootCertificateBytes,
            rootPublicKey: root.signer.publicKey.bytes, ipkEpochKey: [UInt8](repeating: 1, count: 16),
            adminSubject: 1, adminVendor: VendorID(rawValue: 0xFFF1), attestationChallenge: challenge,
            wallClock: EpochSeconds(unixSeconds: 1_800_000_000))
        var machine = CommissionerMachine(plan: plan, authority: authority)
        var queue = machine.start(now: .at(0))
        var ends: [CommissionerMachine.Action] = []
        while !queue.isEmpty {
            let action = queue.removeFirst()
            var pair = DevicePair(device)
            switch action {
            case .read(let id, let paths, over: _):
                var read = ReadTransaction(paths, isFabricFiltered: false)
                let result = try #require(pair.run(start: read.start()) { read.received($0) })
                queue += machine.readCompleted(id, result, now: .at(0))
            case .invoke(let id, let command, over: _):
                var invoke = InvokeTransaction(command.path, fields: command.fields)
                let result = try #require(pair.run(start: invoke.start()) { invoke.received($0) })
                queue += machine.invokeCompleted(id, result, now: .at(0))
            case .decide(let id, _, let verdict):
                queue += machine.decided(id, proceeds: verdict.accepted, now: .at(0))
            case .journal(let id, _): queue += machine.journalled(id, now: .at(0))
            case .establishOperationalSession(let id, _):
                queue += machine.operationalSessionEstablished(id, now: .at(0))
            case .finished, .failed, .settled: ends.append(action)
            case .entered, .note, .abandon: break
            }
            device = pair.target
        }
        return ends
    }

    @Test func `a device of our own authority is commissioned under strict attestation`() throws {
        var device = try makeDevice()
        let ends = try run(&device, trust: try .standard())
        guard case .finished(let commissioned) = ends.first else {
            Issue.record("\(ends)")
            return
        }
        #expect(commissioned.verdict?.accepted == true)
        #expect(commissioned.noc == device.noc)
        #expect(device.identity?.nodeID == NodeID(rawValue: 77))
        #expect(device.identity?.fabricID == FabricID(rawValue: 0xABCD))
        #expect(device.isComplete)
    }

    @Test func `the same device is refused where nobody trusts its authority`() throws {
        var device = try makeDevice()
        let ends = try run(&device, trust: try AttestationTrustStore())
        guard case .failed(let failure) = ends.first else {
            Issue.record("\(ends)")
            return
        }
        #expect(failure.cause == .attestationRefused)
        #expect(failure.verdict?.missingAuthority != nil)
        #expect(!device.isComplete)
    }

    @Test func `a certificate request for another nonce, key or session is refused`() throws {
        var device = try makeDevice()
        device.changesNonce = true
        guard case .failed(let failure) = try run(&device, trust: try .standard()).first else {
            Issue.record("not refused")
            return
        }
        #expect(failure.stage == .csr)
        #expect(failure.message.contains("nonce"))
    }

    @Test func `the authority names what is wrong with a request`() throws {
        let secrets = SystemSecretSource()
        let device = try makeDevice()
        let key = try P256PrivateKey.generate(using: secrets)
        let root = try CertificateAuthority.create(
            rcacID: 1, notBefore: TestAttestationAuthority.notBefore, secrets: secrets)
        let authority = FabricAuthority(
            root: root, fabricID: FabricID(rawValue: 1), trust: try .standard(),
            notBefore: TestAttestationAuthority.notBefore, usedKeys: [key.publicKey], secrets: secrets)
        let nonce = try authority.nonce()
        func evidence(_ key: P256PrivateKey, challenge: [UInt8], dac: [UInt8]?) throws -> CSREvidence {
            let elements = NOCSRElements(csr: try CertificateSigningRequest.make(key: key), nonce: nonce).encoded()
            return CSREvidence(
                elements: elements, signature: try device.credentials.sign(elements, challenge: self.challenge),
                nonce: nonce, challenge: challenge, dac: dac)
        }
        func problem(_ evidence: CSREvidence) -> String? {
            do {
                _ = try authority.check(evidence)
                return nil
            } catch {
                return error.reason
            }
        }
        let fresh = try P256PrivateKey.generate(using: secrets)
        let dac = device.credentials.dac
        #expect(problem(try evidence(fresh, challenge: challenge, dac: dac)) == nil)
        #expect(problem(try evidence(fresh, challenge: [], dac: nil)) == nil)
        #expect(problem(try evidence(fresh, challenge: [1], dac: dac))?.contains("not signed") == true)
        #expect(problem(try evidence(fresh, challenge: challenge, dac: [0x30]))?.contains("does not decode") == true)
        #expect(problem(try evidence(key, challenge: challenge, dac: dac))?.contains("another node") == true)
        #expect(problem(try evidence(try #require(root.rootKey), challenge: challenge, dac: dac)) != nil)
        var bad = try evidence(fresh, challenge: challenge, dac: nil)
        bad.elements = [0x15]
        #expect(problem(bad)?.contains("do not decode") == true)
    }
}

/// One exchange between a client transaction and the device.
private struct DevicePair {
    var server = InteractionServer(random: .seeded(1))
    var target: KeyedDevice

    init(_ target: KeyedDevice) { self.target = target }

    mutating func run<Value>(
        start: [InteractionAction<Value>], _ receive: (InboundMessage) -> [InteractionAction<Value>]
    ) -> Result<Value, InteractionFailure>? {
        var actions = start
        while !actions.isEmpty {
            var next: [InteractionAction<Value>] = []
            for action in actions {
                switch action {
                case .finished(let result): return result
                case .send(let message):
                    let answers = server.received(
                        InboundMessage(message), on: ExchangeHandle(rawValue: 1), context: .operational(),
                        target: &target)
                    for case .send(let answer, on: _) in answers { next += receive(InboundMessage(answer)) }
                }
            }
            actions = next
        }
        return nil
    }
}
