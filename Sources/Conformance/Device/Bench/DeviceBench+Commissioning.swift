import MatterCrypto
import MatterNode
import MatterProtocol
import MatterWire

/// What a device answered to CSRRequest.
struct DeviceCSR: Sendable {
    let key: P256PublicKey
    let elements: NOCSRElements
    let response: SignedElementsResponse
    let nonce: [UInt8]
}

/// What was seen around CommissioningComplete of fabric A.
struct CompletionObservation: Sendable {
    /// The index that AddNOC's response named.
    var index: FabricIndex?
    /// Read over CASE right after it.
    var breadcrumb: UInt64?
    /// A PASE handshake with the passcode that was right, right after it.
    var pase: PASEOutcome?
    /// Whether the PASE session of the commissioning still answered.
    var isPASESessionOpen = false
}

extension DeviceBench {
    /// Fabric A with the device on it; commissions the device where that was not done yet.
    func commissioned() async throws -> DeviceAdministrator {
        if let main { return main }
        return try await having(.commissioning) {
            isCommissioning = true
            defer { isCommissioning = false }
            let pase = try await openPASE()
            var admin = try DeviceAdministrator("A", environment)
            admin.index = try await addFabric(admin, over: pase)
            let session = try await session(of: admin)
            var observation = CompletionObservation(index: admin.index)
            if admin.index == nil { admin.index = try await currentIndex(on: session) }
            let answer = try await invoke(.commissioningComplete, on: session)
            try answer.expect(
                "CommissioningComplete over CASE", answeredWith: 0, naming: .generalCommissioning)
            provisional.removeAll { $0.id == admin.id }
            main = admin
            observation.breadcrumb = try await breadcrumb(on: session)
            observation.isPASESessionOpen = try await answers(pase)
            observation.pase = try await attempt(PASETrial(passcode: order.payload.passcode.rawValue))
            completion = observation
            return admin
        }
    }

    /// The second administrator, which came through a window of fabric A.
    func secondAdministrator() async throws -> DeviceAdministrator {
        if let second { return second }
        _ = try await commissioned()
        return try await having(.secondAdministrator) {
            let pase = try await openPASE()
            var admin = try DeviceAdministrator("B", environment)
            admin.index = try await addFabric(admin, over: pase)
            let session = try await session(of: admin)
            if admin.index == nil { admin.index = try await currentIndex(on: session) }
            let answer = try await invoke(.commissioningComplete, on: session)
            try answer.expect(
                "CommissioningComplete of a second administrator", answeredWith: 0, naming: .generalCommissioning)
            provisional.removeAll { $0.id == admin.id }
            window = nil
            second = admin
            return admin
        }
    }

    /// The index of the fabric that a session belongs to.
    private func currentIndex(on session: ProbeSession) async throws -> FabricIndex? {
        let value = try await value(.operationalCredentials, 5, "CurrentFabricIndex", on: session)
        return value.unsigned.flatMap(UInt8.init(exactly:)).map(FabricIndex.init(rawValue:))
    }

    /// Whether a session still answers a read.
    func answers(_ session: ProbeSession) async throws -> Bool {
        guard await probe.isOpen(session) else { return false }
        let path = AttributePath(endpoint: .root, cluster: .generalCommissioning, attribute: AttributeID(rawValue: 0))
        let result = await probe.conduct(ReadTransaction([path]), on: session, allowance: .seconds(3))
        try Task.checkCancellation()
        if case .success = result { return true }
        if case .failure(let failure) = result { return failure.peerStatus != nil }
        return false
    }

    // MARK: - Steps

    func arm(_ seconds: UInt16, breadcrumb: UInt64 = 0, on session: ProbeSession) async throws {
        let answer = try await invoke(.armFailSafe(seconds: seconds, breadcrumb: breadcrumb), on: session)
        try answer.expect("ArmFailSafe with \(seconds) s", answeredWith: 0, naming: .generalCommissioning)
    }

    /// AddNOC is about to be sent for a fabric, which the device must not keep.
    func willAdd(_ admin: DeviceAdministrator) {
        provisional.append(admin)
        founded.append(admin)
    }

    /// Arms the fail-safe and takes the device as far as AddNOC.
    ///
    /// - Returns: the fabric's index on the device; `nil` when it names none.
    func addFabric(
        _ admin: DeviceAdministrator, over session: ProbeSession, failSafe: UInt16 = 60, breadcrumb: UInt64 = 0
    ) async throws -> FabricIndex? {
        try await arm(failSafe, breadcrumb: breadcrumb, on: session)
        let csr = try await csr(on: session)
        try await invoke(.addTrustedRoot(admin.credentials.rootCertificate), on: session)
            .expectSuccess("AddTrustedRootCertificate")
        let noc = try admin.noc(for: csr.key, secrets: environment.secrets)
        willAdd(admin)
        let answer = try await invoke(admin.addNOC(noc), on: session, allowance: .seconds(20))
        try answer.expect("AddNOC", answeredWith: 0, naming: .nodeOperationalCertificate)
        let index = answer.fields?[1]?.unsigned.flatMap(UInt8.init(exactly:)).map(FabricIndex.init(rawValue:))
        if let place = provisional.firstIndex(where: { $0.id == admin.id }) { provisional[place].index = index }
        return index
    }

    /// Asks for a certificate request and reads the key out of it; whether it is rightly made is for cases to judge.
    func csr(on session: ProbeSession) async throws -> DeviceCSR {
        let nonce = try environment.secrets.bytes(32)
        let answer = try await invoke(.csrRequest(nonce: nonce), on: session, allowance: .seconds(20))
        guard let fields = answer.fields else {
            throw ConformanceFailure(expected: "CSRRequest to be answered with CSRResponse", seen: answer.words())
        }
        do {
            let response = try SignedElementsResponse(fields: fields)
            let elements = try NOCSRElements(decoding: response.elements)
            let key = try CertificateSigningRequest.publicKey(of: elements.csr)
            return DeviceCSR(key: key, elements: elements, response: response, nonce: nonce)
        } catch {
            throw ConformanceFailure(
                expected: "CSRResponse to hold NOCSR elements with a certificate request", seen: "\(error)")
        }
    }
}
