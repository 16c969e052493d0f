@testable import MatterCrypto
import MatterWire
import TestSupport
import Testing

@Suite("Our own test authority")
struct TestAttestationAuthorityTests {
    @Test func `the certificate is the one that the template makes`() throws {
        let key = try P256PrivateKey(rawValue: [UInt8](constantHex: TestAttestationAuthority.privateKeyHex))
        let template = try TestAttestationAuthority.template(.paa, key: key.publicKey, issuerKey: key.publicKey)
        let certificate = try AttestationCertificate(der: TestAttestationAuthority.certificate)
        #expect(certificate.signedPart == template.signedPart)
        #expect(certificate.authorityViolations().isEmpty)
        #expect(try certificate.subjectIDs().vendorID == VendorID(rawValue: 0xFFF1))
        #expect(try certificate.subjectIDs().productID == nil)
    }

    @Test func `an issued device is accepted by default`() throws {
        let secrets = SeededSecretSource(seed: 3)
        let product = ProductID(rawValue: 0x8042)
        let device = try TestAttestationAuthority.issue(
            product: product, deviceType: DeviceTypeID(rawValue: 0x0100), secrets: secrets)
        let nonce = try secrets.bytes(32)
        let challenge = try secrets.bytes(16)
        let elements = AttestationElements(
            certificationDeclaration: device.certificationDeclaration, nonce: nonce
        ).encoded()
        let evidence = AttestationEvidence(
            dac: device.dac, pai: device.pai, elements: elements,
            signature: try device.sign(elements, challenge: challenge), challenge: challenge, nonce: nonce,
            vendorID: TestAttestationAuthority.vendorID, productID: product, now: AttestationCertificateTests.now)
        let verdict = try AttestationVerifier(trust: .standard()).verify(evidence)
        #expect(verdict.accepted, "\(verdict.explanation)")
        #expect(device.dac.count <= AttestationCertificate.maximumSize)
    }

    @Test func `every device has keys and serial numbers of its own`() throws {
        let secrets = SeededSecretSource(seed: 4)
        let product = ProductID(rawValue: 1)
        let devices = try (0..<3).map { _ in
            try TestAttestationAuthority.issue(
                product: product, deviceType: DeviceTypeID(rawValue: 0x0100), secrets: secrets)
        }
        #expect(Set(devices.map(\.dacKey.publicKey)).count == 3)
        #expect(Set(try devices.map { try AttestationCertificate(der: $0.dac).serialNumber }).count == 3)
        #expect(Set(try devices.map { try AttestationCertificate(der: $0.pai).serialNumber }).count == 3)
    }
}
