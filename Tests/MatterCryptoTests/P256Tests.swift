import MatterCrypto
import TestSupport
import Testing

@Suite("P-256 (Core §3.5)") struct P256Tests {
    struct File: Decodable {
        let vectors: [Signature]
        let rawDerConversion: [Conversion]
        static let all = Vectors.load(File.self, "ecdsa.json")
    }
    struct Signature: Decodable, Sendable, CustomTestStringConvertible {
        let privateKey: HexBytes?
        let publicKey, message, signatureRaw: HexBytes
        let signatureDer: HexBytes?
        let expect, source: String
        var testDescription: String { "\(expect), \(source), \(signatureRaw.description.prefix(8))" }
    }
    struct Conversion: Decodable, Sendable { let raw, der: HexBytes }

    @Test(arguments: File.all.vectors) func `verifies`(_ vector: Signature) throws {
        let key = try P256PublicKey(bytes: vector.publicKey.bytes)
        let valid = try key.verify(signature: vector.signatureRaw.bytes, message: vector.message.bytes)
        #expect(valid == (vector.expect == "valid"))
        if let scalar = vector.privateKey {
            #expect(try P256PrivateKey(rawValue: scalar.bytes).publicKey == key)
        }
        if let der = vector.signatureDer {
            #expect(try ECDSASignature.der(raw: vector.signatureRaw.bytes) == der.bytes)
            #expect(try ECDSASignature.raw(der: der.bytes) == vector.signatureRaw.bytes)
            #expect(try key.verify(derSignature: der.bytes, message: vector.message.bytes))
        }
    }

    @Test(arguments: File.all.rawDerConversion) func `converts signatures`(_ vector: Conversion) throws {
        #expect(try ECDSASignature.der(raw: vector.raw.bytes) == vector.der.bytes)
        #expect(try ECDSASignature.raw(der: vector.der.bytes) == vector.raw.bytes)
    }

    @Test(arguments: [
        "", "30", "3000", "3006020101020101" + "00", "30060201ff020101", "3007020200010201" + "01",
        "3006020101020100" + "00", "308106020101020101", "300602010103020101", "30050201010200",
    ]) func `refuses signatures that are not strict DER`(_ hex: String) {
        #expect(throws: CryptoError.self) { try ECDSASignature.raw(der: .init(hex: hex)) }
    }

    @Test func `signs what it verifies`() throws {
        let key = try P256PrivateKey.generate(using: SeededSecretSource(seed: 1))
        for length in [0, 1, 63, 64, 400] {
            let message = [UInt8](repeating: 0xA5, count: length)
            let signature = try key.sign(message)
            #expect(signature.count == 64)
            #expect(try key.publicKey.verify(signature: signature, message: message))
            #expect(try !key.publicKey.verify(signature: signature, message: message + [0]))
            #expect(try !key.publicKey.verify(signature: Array(signature.dropLast()), message: message))
        }
        #expect(try P256PrivateKey(rawValue: key.rawValue).publicKey == key.publicKey)
    }

    /// RFC 5903 §8.1.
    @Test func `agrees on the RFC's shared secret`() throws {
        let ours = try P256PrivateKey(
            rawValue: .init(hex: "c88f01f510d9ac3f70a292daa2316de544e9aab8afe84049c62a9c57862d1433"))
        let theirs = try P256PrivateKey(
            rawValue: .init(hex: "c6ef9c5d78ae012a011164acb397ce2088685d8f06bf9be0b283ab46476bee53"))
        let secret = "d6840f6b42f6edafd13116e0e12565202fef8e9ece7dce03812464d04b9442de"
        #expect(try ours.sharedSecret(with: theirs.publicKey).hex == secret)
        #expect(try theirs.sharedSecret(with: P256PublicKey(bytes: ours.publicKey.bytes)).hex == secret)
    }

    @Test func `refuses what is no public key`() throws {
        let good = try P256PrivateKey.generate(using: SeededSecretSource(seed: 2)).publicKey.bytes
        var offCurve = good
        offCurve[64] ^= 1
        var compressed = Array(good.prefix(33))
        compressed[0] = 0x02
        for bytes in [
            [], [0], offCurve, compressed, good + [0], [0x05] + good.dropFirst(), .init(repeating: 4, count: 65),
        ] {
            let error = #expect(throws: CryptoError.self) { try P256PublicKey(bytes: bytes) }
            #expect(error?.code == .invalidKey)
        }
    }

    @Test(arguments: [
        "00", "0000000000000000000000000000000000000000000000000000000000000000",
        "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
        "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    ]) func `refuses what is no private key`(_ hex: String) {
        let error = #expect(throws: CryptoError.self) { try P256PrivateKey(rawValue: .init(hex: hex)) }
        #expect(error?.code == .invalidKey)
    }

    @Test func `the largest private key works`() throws {
        let key = try P256PrivateKey(
            rawValue: .init(hex: "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632550"))
        #expect(try key.publicKey.verify(signature: key.sign([1]), message: [1]))
    }
}

@Suite("Certificate requests (RFC 2986)") struct CertificateSigningRequestTests {
    struct File: Decodable {
        let vectors: [Good]
        let invalidCsr: [Bad]
        static let all = Vectors.load(File.self, "csr.json")
    }
    struct Good: Decodable, Sendable { let name: String, csr: HexBytes, csrPublicKey: HexBytes }
    struct Bad: Decodable, Sendable { let reason: String, csr: HexBytes }

    @Test(arguments: File.all.vectors) func `takes the key of`(_ vector: Good) throws {
        #expect(try CertificateSigningRequest.publicKey(of: vector.csr.bytes).bytes == vector.csrPublicKey.bytes)
    }

    @Test(arguments: File.all.invalidCsr) func `refuses`(_ vector: Bad) {
        #expect(throws: CryptoError.self) { try CertificateSigningRequest.publicKey(of: vector.csr.bytes) }
    }

    @Test func `reads what it makes`() throws {
        let key = try P256PrivateKey.generate(using: SeededSecretSource(seed: 3))
        let request = try CertificateSigningRequest.make(key: key)
        #expect(request.count <= 255)
        #expect(try CertificateSigningRequest.publicKey(of: request) == key.publicKey)
    }

    @Test(arguments: 0..<300) func `survives damage, and never gives another key`(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let key = try P256PrivateKey.generate(using: SeededSecretSource(seed: 4))
        let damaged = generator.mutated(try CertificateSigningRequest.make(key: key))
        do {
            #expect(try CertificateSigningRequest.publicKey(of: damaged) == key.publicKey)
        } catch {
            #expect(error.code != .library)
        }
    }
}
