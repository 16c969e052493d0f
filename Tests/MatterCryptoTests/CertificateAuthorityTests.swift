import MatterCrypto
import MatterWire
import TestSupport
import Testing

@Suite("Certificate authority") struct CertificateAuthorityTests {
    private let fabric = FabricID(rawValue: 0xFAB)
    private let start = EpochSeconds(rawValue: 700_000_000)

    private func authority(fabricID: FabricID? = nil) throws -> CertificateAuthority {
        try .create(rcacID: 0xCACA, fabricID: fabricID, notBefore: start, secrets: SeededSecretSource(seed: 20))
    }

    @Test func `its root keeps the rules of roots`() throws {
        let authority = try authority(fabricID: fabric)
        let root = try OperationalChain.validateRoot(authority.rootCertificateBytes, at: start)
        #expect(root.publicKey == authority.signer.publicKey)
        #expect(root.certificate.rcacID == 0xCACA)
        #expect(root.certificate.fabricID == fabric)
        #expect(root.certificate.notAfter == nil)
        #expect(authority.rootCertificateBytes.count <= MatterCertificate.maximumCount)
    }

    @Test func `its certificates make good chains`() throws {
        let authority = try authority()
        let key = try P256PrivateKey.generate(using: SeededSecretSource(seed: 21))
        let tags = [0xABCD_0001, 0x0001_FFFF, 0x0002_0001].map { CASEAuthenticatedTag(rawValue: $0) }
        let certificate = try authority.issueNOC(
            publicKey: key.publicKey, nodeID: NodeID(rawValue: 42), fabricID: fabric, cats: tags, notBefore: start,
            notAfter: EpochSeconds(rawValue: 1_000_000_000), secrets: SeededSecretSource(seed: 22))
        let bytes = certificate.encoded()
        #expect(bytes.count <= MatterCertificate.maximumCount)
        let identity = try OperationalChain.validate(
            noc: bytes, icac: nil, rcac: authority.rootCertificateBytes, at: start)
        #expect(
            identity
                == OperationalIdentity(
                    nodeID: NodeID(rawValue: 42), fabricID: fabric, cats: tags, publicKey: key.publicKey))
    }

    @Test func `serial numbers differ and are positive`() throws {
        let authority = try authority()
        let secrets = SeededSecretSource(seed: 23)
        let serials = try (1...20).map { node in
            try authority.issueNOC(
                publicKey: authority.signer.publicKey, nodeID: NodeID(rawValue: UInt64(node)), fabricID: fabric,
                notBefore: start, secrets: secrets
            ).serialNumber
        }
        #expect(Set(serials).count == 20)
        #expect(serials.allSatisfy { $0[0] > 0 && $0[0] < 0x80 })
    }

    @Test func `it is restored from stored bytes`() throws {
        let authority = try authority()
        let restored = try CertificateAuthority(
            restoring: authority.rootCertificateBytes, rootKey: try #require(authority.rootKey).rawValue)
        #expect(restored.rootCertificate == authority.rootCertificate)
        #expect(restored.signer.publicKey == authority.signer.publicKey)
    }

    @Test func `it is not restored from damaged bytes or another's key`() throws {
        let authority = try authority()
        let other = try P256PrivateKey.generate(using: SeededSecretSource(seed: 24))
        var error = #expect(throws: CryptoError.self) {
            try CertificateAuthority(restoring: authority.rootCertificateBytes, rootKey: other.rawValue)
        }
        #expect(error?.code == .invalidKey)
        var damaged = authority.rootCertificateBytes
        damaged[damaged.count - 3] ^= 1
        error = #expect(throws: CryptoError.self) {
            try CertificateAuthority(restoring: damaged, rootKey: try #require(authority.rootKey).rawValue)
        }
        #expect(error?.code == .malformed)
    }

    @Test func `values that no certificate may have are refused`() throws {
        let authority = try authority(fabricID: fabric)
        let key = authority.signer.publicKey
        let secrets = SeededSecretSource(seed: 25)
        func issue(
            node: UInt64 = 1, fabric: UInt64 = 0xFAB, cats: [UInt32] = [], from: Int64 = 1, until: Int64? = nil
        ) throws {
            _ = try authority.issueNOC(
                publicKey: key, nodeID: NodeID(rawValue: node), fabricID: FabricID(rawValue: fabric),
                cats: cats.map { CASEAuthenticatedTag(rawValue: $0) }, notBefore: EpochSeconds(rawValue: from),
                notAfter: until.map { EpochSeconds(rawValue: $0) }, secrets: secrets)
        }
        try issue()
        let bad: [() throws -> Void] = [
            { try issue(node: 0) }, { try issue(node: 0xFFFF_FFFF_FFFF_0001) }, { try issue(fabric: 0) },
            { try issue(fabric: 0xBAD) }, { try issue(cats: [0x1_0000]) }, { try issue(cats: [0x1_0001, 0x1_0002]) },
            { try issue(cats: [0x1_0001, 0x2_0001, 0x3_0001, 0x4_0001]) }, { try issue(from: 0) },
            { try issue(from: -1) }, { try issue(from: 10, until: 9) }, { try issue(until: 0x1_0000_0000) },
        ]
        for attempt in bad {
            let error = #expect(throws: CryptoError.self) { try attempt() }
            #expect(error?.code == .invalidArgument)
        }
    }
}
