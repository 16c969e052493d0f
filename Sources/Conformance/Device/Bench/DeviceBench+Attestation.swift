import MatterCrypto
import MatterNode
import MatterProtocol
import MatterWire

/// What a device showed of its attestation, with the judgement of it.
struct DeviceAttestation: Sendable {
    let dac: [UInt8]
    let verdict: AttestationVerdict
}

extension DeviceBench {
    /// The device's attestation material, asked for once.
    func attested() async throws -> DeviceAttestation {
        if let attestation { return attestation }
        let session = try await openPASE()
        let pai = try await certificate(.paiRequest, "CertificateChainRequest for the PAI", on: session)
        let dac = try await certificate(.dacRequest, "CertificateChainRequest for the DAC", on: session)
        let nonce = try environment.secrets.bytes(32)
        let answer = try await invoke(.attestationRequest(nonce: nonce), on: session)
        guard let fields = answer.fields else {
            throw ConformanceFailure(
                expected: "AttestationRequest to be answered with AttestationResponse", seen: answer.words())
        }
        let response: SignedElementsResponse
        do {
            response = try SignedElementsResponse(fields: fields)
        } catch {
            throw ConformanceFailure(
                expected: "AttestationResponse with elements and a signature of 64 bytes", seen: "\(error)")
        }
        let vendor = try await value(.basicInformation, 2, "VendorID", on: session).unsigned
        let product = try await value(.basicInformation, 4, "ProductID", on: session).unsigned
        let evidence = AttestationEvidence(
            dac: dac, pai: pai, elements: response.elements, signature: response.signature,
            challenge: session.established.attestationChallenge, nonce: nonce,
            vendorID: VendorID(rawValue: UInt16(clamping: vendor ?? 0)),
            productID: ProductID(rawValue: UInt16(clamping: product ?? 0)), now: environment.wallClock())
        let result = DeviceAttestation(dac: dac, verdict: AttestationVerifier(trust: order.trust).verify(evidence))
        attestation = result
        return result
    }

    private func certificate(
        _ command: ClusterCommand, _ what: String, on session: ProbeSession
    ) async throws -> [UInt8] {
        let answer = try await invoke(command, on: session)
        guard let certificate = answer.fields?[0]?.octets else {
            throw ConformanceFailure(expected: "\(what) to be answered with a certificate", seen: answer.words())
        }
        return certificate
    }

    /// Holds the device to some of the rules.
    func expectKept(_ rules: AttestationRule...) async throws {
        let verdict = try await attested().verdict
        let results = rules.compactMap { verdict[$0] }
        let broken = results.filter { $0.outcome == .failed }
        try expect(
            broken.isEmpty, "the rules \(rules.map(\.rawValue).joined(separator: ", ")) to be kept",
            seen: broken.map { "\($0.rule.rawValue): \($0.detail)" }.joined(separator: "; "))
        let unchecked = results.filter { $0.outcome == .notChecked }
        if let first = unchecked.first, unchecked.count == results.count {
            throw ConformanceSkip("\(first.rule.rawValue): \(first.detail)")
        }
    }
}
