@testable import MatterCrypto
import MatterWire
import TestSupport
import Testing

@Suite("Attestation decoders over damaged bytes")
struct AttestationMutationTests {
    /// Damages each input many times; what still decodes has to come back from its own encoding.
    private func damage<Value: Equatable>(
        _ inputs: [[UInt8]], seed: UInt64, decode: ([UInt8]) throws(AttestationError) -> Value,
        encode: (Value) -> [UInt8]
    ) {
        var random = SeededGenerator(seed: seed)
        for input in inputs {
            for _ in 0..<200 {
                do throws(AttestationError) {
                    let value = try decode(random.mutated(input))
                    #expect(try decode(encode(value)) == value)
                } catch {
                    #expect(!error.reason.isEmpty)
                }
            }
        }
    }

    @Test func `attestation elements`() {
        damage(
            AttestationElementsFile.all.vectors.map(\.attestationElements.bytes), seed: 1,
            decode: { bytes throws(AttestationError) in try AttestationElements(decoding: bytes) },
            encode: { $0.encoded() })
    }

    @Test func `NOCSR elements`() {
        damage(
            NOCSRFile.all.vectors.map(\.nocsrElements.bytes), seed: 2,
            decode: { bytes throws(AttestationError) in try NOCSRElements(decoding: bytes) },
            encode: { $0.encoded() })
    }

    @Test func `certification declarations`() {
        damage(
            CertificationDeclarationFile.all.vectors.map(\.cms.bytes), seed: 3,
            decode: { bytes throws(AttestationError) in try CertificationDeclaration(decoding: bytes) },
            encode: { $0.cms })
    }

    @Test func `the content of certification declarations`() {
        damage(
            CertificationDeclarationFile.all.vectors.map(\.cdContent.bytes), seed: 4,
            decode: { bytes throws(AttestationError) in try CertificationContent(decoding: bytes) },
            encode: { $0.encoded() })
    }

    @Test func `certificates`() {
        damage(
            DACChainFile.all.rows.map(\.dac.bytes), seed: 5,
            decode: { bytes throws(AttestationError) in
                let certificate = try AttestationCertificate(der: bytes)
                for role in [AttestationCertificate.Role.paa, .pai, .dac] { _ = certificate.formatViolations(as: role) }
                do throws(AttestationError) {
                    _ = try certificate.subjectIDs()
                } catch {
                    #expect(!error.reason.isEmpty)
                }
                return certificate
            },
            encode: { $0.der })
    }
}
