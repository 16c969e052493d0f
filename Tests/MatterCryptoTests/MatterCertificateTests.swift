import MatterCrypto
import MatterWire
import TestSupport
import Testing

@Suite("Matter certificates, TLV and DER (Core §6.5)") struct MatterCertificateTests {
    static let rows = CertificateFile.all.single + CertificateFile.all.generatedChain + CertificateFile.all.negative
    static let ecosystemRows = (EcosystemFile.all?.chains ?? []).flatMap { $0.chain.values }

    @Test(arguments: rows) func `converts`(_ vector: CertificateVector) throws { try check(vector) }

    @Test(.enabled(if: SharedData.isPresent), arguments: ecosystemRows)
    func `converts certificates of ecosystems`(_ vector: CertificateVector) throws { try check(vector) }

    private func check(_ vector: CertificateVector) throws {
        let certificate = try MatterCertificate(decoding: vector.tlv.bytes)
        #expect(certificate.serialNumber == vector.fields.serialNumber.bytes)
        #expect(certificate.notBefore.rawValue == vector.fields.notBefore)
        #expect(certificate.notAfter?.rawValue ?? 0 == vector.fields.notAfter)
        #expect(certificate.publicKey == vector.fields.publicKey.bytes)
        #expect(certificate.signature == vector.fields.signature.bytes)
        #expect(attributes(certificate.issuer) == vector.fields.issuer)
        #expect(attributes(certificate.subject) == vector.fields.subject)
        #expect(certificate.encoded() == vector.tlv.bytes)
        if let tbs = vector.tbs { #expect(try certificate.derTBS() == tbs.bytes) }
        #expect(try certificate.der() == vector.der.bytes)
        #expect(try MatterCertificate(der: vector.der.bytes) == certificate)
    }

    private func attributes(_ name: DistinguishedName) -> [CertificateVector.Attribute] {
        name.attributes.map { attribute in
            switch attribute {
            case .text(let type, let text, let printable):
                .init(tlvTag: type.rawValue | (printable ? 0x80 : 0), value: text)
            case .identifier(let type, let value):
                .init(
                    tlvTag: type.rawValue,
                    value: "0x"
                        + padded(String(value, radix: 16, uppercase: true), type == .caseAuthenticatedTag ? 8 : 16))
            }
        }
    }

    private func padded(_ digits: String, _ count: Int) -> String {
        String(repeating: "0", count: count - digits.count) + digits
    }

    @Test func `accessors read subject and extensions`() throws {
        let node = try MatterCertificate(
            decoding: CertificateFile.certificate("gen NOC B (direct, 2 CATs, no expiry)"))
        #expect(node.nodeID == NodeID(rawValue: 0xB0B0B))
        #expect(node.fabricID == FabricID(rawValue: 0xFAB0_0000_0000_001D))
        #expect(node.cats == [.init(rawValue: 0xABCD_0002), .init(rawValue: 0x0010_0001)])
        #expect(!node.isCA)
        #expect(node.keyUsage == .digitalSignature)
        #expect(node.extendedKeyUsage == [.clientAuthentication, .serverAuthentication])
        #expect(node.notAfter == nil)
        #expect(node.rcacID == nil)
        let root = try MatterCertificate(decoding: CertificateFile.certificate("CHIP_CERT_TXT_IN_DN"))
        #expect(root.isCA)
        #expect(root.pathLength == 1)
        #expect(root.rcacID == 0xFFFF_FFFE_0000_0001)
        #expect(root.subjectKeyIdentifier == root.authorityKeyIdentifier)
    }

    /// RFC 5280 §4.1.2.5: UTCTime through 2049, GeneralizedTime later, and the end of 9999 for "no end".
    @Test(
        arguments: [
            (0, "170d3030303130313030303030305a"), (5_183_999, "170d3030303232393233353935395a"),
            (1_577_923_199, "170d3439313233313233353935395a"), (1_577_923_200, "180f32303530303130313030303030305a"),
            (4_294_967_295, "180f32313336303230373036323831355a"),
        ] as [(Int64, String)]) func `times have the form of their century`(seconds: Int64, der: String) throws
    {
        var certificate = try MatterCertificate(decoding: CertificateFile.certificate("gen RCAC"))
        certificate.notBefore = EpochSeconds(rawValue: seconds)
        certificate.notAfter = nil
        let bytes = try certificate.der()
        #expect(contains(bytes, .init(hex: der + "180f39393939313233313233353935395a")))
        #expect(try MatterCertificate(der: bytes) == certificate)
    }

    private func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        bytes.indices.contains { bytes[$0...].starts(with: part) }
    }

    @Test(arguments: 0..<200) func `random certificates round trip in both forms`(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let certificate = try randomCertificate(&generator)
        #expect(try MatterCertificate(decoding: certificate.encoded()) == certificate)
        #expect(try MatterCertificate(der: certificate.der()) == certificate)
    }

    private func randomCertificate(_ generator: inout SeededGenerator) throws -> MatterCertificate {
        let key = try P256PrivateKey.generate(using: SeededSecretSource(seed: generator.next()))
        var extensions: [CertificateExtension] = [
            .basicConstraints(
                isCA: Bool.random(using: &generator),
                pathLength: Bool.random(using: &generator) ? .random(in: 0...255, using: &generator) : nil),
            .keyUsage(.init(rawValue: .random(in: 0...0x1FF, using: &generator))),
            .extendedKeyUsage(CertificateExtension.KeyPurpose.allCases.shuffled(using: &generator)),
            .subjectKeyIdentifier(generator.bytes(20)), .authorityKeyIdentifier(generator.bytes(20)),
            .future(.init(hex: "300a06032a030404030102aa")),
        ]
        extensions.shuffle(using: &generator)
        extensions.removeLast(Int.random(in: 0...5, using: &generator))
        let certificate = MatterCertificate(
            serialNumber: [0x01] + generator.bytes(.random(in: 0...19, using: &generator)),
            issuer: randomName(&generator),
            notBefore: EpochSeconds(rawValue: .random(in: 0...4_294_967_295, using: &generator)),
            notAfter: Bool.random(using: &generator)
                ? EpochSeconds(rawValue: .random(in: 1...4_294_967_295, using: &generator)) : nil,
            subject: randomName(&generator), publicKey: key.publicKey.bytes, extensions: extensions, signature: [])
        return try certificate.signed(by: key)
    }

    private func randomName(_ generator: inout SeededGenerator) -> DistinguishedName {
        let texts = DistinguishedName.TextType.allCases
        let identifiers = DistinguishedName.IdentifierType.allCases
        return DistinguishedName(
            (0..<Int.random(in: 1...3, using: &generator)).map { _ in
                if Bool.random(using: &generator), let type = texts.randomElement(using: &generator) {
                    return .text(type, "Ab 1", printable: type != .domainComponent && Bool.random(using: &generator))
                }
                let type = identifiers.randomElement(using: &generator) ?? .nodeID
                let limit: UInt64 = type == .caseAuthenticatedTag ? 0xFFFF_FFFF : .max
                return .identifier(type, .random(in: 0...limit, using: &generator))
            })
    }
}

@Suite("Damaged certificates") struct DamagedCertificateTests {
    @Test(arguments: 0..<1000) func `TLV decoding survives`(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let rows = MatterCertificateTests.rows
        let damaged = generator.mutated(rows[seed % rows.count].tlv.bytes)
        guard let certificate = try? MatterCertificate(decoding: damaged) else { return }
        // Whatever decodes says the same when written again.
        #expect(try MatterCertificate(decoding: certificate.encoded()) == certificate)
        _ = try? certificate.der()
    }

    @Test(arguments: 0..<1000) func `DER decoding survives`(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let rows = MatterCertificateTests.rows
        let damaged = generator.mutated(rows[seed % rows.count].der.bytes)
        guard let certificate = try? MatterCertificate(der: damaged) else { return }
        #expect(try certificate.der() == damaged)
        if certificate.encoded().count <= MatterCertificate.maximumCount {
            #expect(try MatterCertificate(decoding: certificate.encoded()) == certificate)
        }
    }

    @Test(arguments: 0..<300) func `a damaged chain never proves another identity`(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let root = try OperationalChain.validateRoot(CertificateFile.certificate("gen RCAC"))
        let noc = try CertificateFile.certificate("gen NOC B (direct, 2 CATs, no expiry)")
        let identity = try OperationalChain.validate(noc: noc, icac: nil, root: root)
        if let other = try? OperationalChain.validate(noc: generator.mutated(noc), icac: nil, root: root) {
            #expect(other == identity)
        }
    }

    @Test func `a certificate over 400 bytes is refused before it is read`() {
        #expect(throws: CertificateError(.tooLong(401))) {
            try MatterCertificate(decoding: .init(repeating: 0x15, count: 401))
        }
    }

    @Test func `members must be exactly 1 to 11, in order`() throws {
        let bytes = try CertificateFile.certificate("gen RCAC")
        guard case .structure(let members) = try TLVValue.decode(bytes) else { throw CertificateError(.wrongValue) }
        var swapped = members
        swapped.swapAt(1, 6)
        let more = members + [TLVElement(12, .bool(true))]
        for changed in [swapped, more, Array(members.dropLast())] {
            #expect(throws: CertificateError(.unexpectedMember)) {
                try MatterCertificate(decoding: TLVValue.structure(changed).encoded())
            }
        }
        for tag: UInt8 in [2, 7, 8] {
            var other = members
            other[Int(tag) - 1] = TLVElement(tag, .uint(2 as UInt8))
            #expect(throws: CertificateError(.unsupportedAlgorithm, path: [tag])) {
                try MatterCertificate(decoding: TLVValue.structure(other).encoded())
            }
        }
    }
}
