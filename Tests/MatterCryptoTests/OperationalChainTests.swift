import MatterCrypto
import MatterWire
import TestSupport
import Testing

@Suite("Operational chains (Core §6.5)") struct OperationalChainTests {
    private static let fabric = FabricID(rawValue: 0xFAB0_0000_0000_001D)

    // MARK: Good chains

    @Test(.enabled(if: SharedData.isPresent), arguments: EcosystemFile.all?.chains ?? [])
    func `accepts ecosystems`(_ vector: EcosystemFile.Chain) throws {
        let identity = try OperationalChain.validate(
            noc: #require(vector.chain["NOC"]).tlv.bytes, icac: vector.chain["ICAC"]?.tlv.bytes,
            rcac: #require(vector.chain["ROOT"]).tlv.bytes)
        #expect([identity.nodeID.rawValue] == vector.nodeId.map(number))
        #expect([identity.fabricID.rawValue] == vector.fabricId.map(number))
        #expect(identity.cats.map { UInt64($0.rawValue) } == vector.cats.map(number))
    }

    @Test func `accepts a chain with and one without an ICAC`() throws {
        let root = try CertificateFile.certificate("gen RCAC")
        let viaICAC = try OperationalChain.validate(
            noc: CertificateFile.certificate("gen NOC A (via ICAC)"),
            icac: CertificateFile.certificate("gen ICAC"), rcac: root)
        #expect(viaICAC.nodeID == NodeID(rawValue: 0xDEDE_DEDE_0001_0001))
        #expect(viaICAC.fabricID == Self.fabric)
        let direct = try OperationalChain.validate(
            noc: CertificateFile.certificate("gen NOC B (direct, 2 CATs, no expiry)"), icac: nil, rcac: root)
        #expect(direct.cats.count == 2)
        let scalar = try #require(CertificateFile.all.keys["nodeB"]).bytes
        #expect(try direct.publicKey == P256PrivateKey(rawValue: scalar).publicKey)
    }

    @Test func `accepts public chains`() throws {
        _ = try OperationalChain.validate(
            noc: CertificateFile.certificate("NOC1_SUCCESS"), icac: CertificateFile.certificate("ICAC1_SUCCESS"),
            rcac: CertificateFile.certificate("RCA1_SUCCESS"))
        _ = try OperationalChain.validate(
            noc: CertificateFile.certificate("NOC_NOT_AFTER_ZERO"), icac: nil,
            rcac: CertificateFile.certificate("RCA_FOR_NOC_NOT_AFTER_ZERO"))
        for name in ["CHIP_CERT_TXT_IN_DN", "UNORDERED_EXTENSIONS_CHIP", "gen fabric id RCAC"] {
            guard (CertificateFile.all.single + CertificateFile.all.generatedChain).contains(where: { $0.name == name })
            else { continue }
            _ = try OperationalChain.validateRoot(CertificateFile.certificate(name))
        }
    }

    // MARK: Bad chains

    @Test(
        arguments: [
            ("NOC1_CORRUPT_CERT", .signature), ("NOC1_AUTH_KEY_FAIL", .issuerKey),
        ] as [(String, OperationalChainError.Rule)])
    func `refuses public bad certificates`(name: String, rule: OperationalChainError.Rule) throws {
        let error = #expect(throws: OperationalChainError.self) {
            try OperationalChain.validate(
                noc: CertificateFile.certificate(name), icac: CertificateFile.certificate("ICAC1_SUCCESS"),
                rcac: CertificateFile.certificate("RCA1_SUCCESS"))
        }
        #expect(error?.rule == rule)
        #expect(error?.role == .node)
    }

    static let contentRules: [String: OperationalChainError.Rule] = [
        "RCAC isCA false": .basicConstraints, "RCAC without keyCertSign": .keyUsage,
        "RCAC not self-issued": .issuerName, "RCAC signed by other key": .signature, "RCAC AKI != SKI": .issuerKey,
        "RCAC with node id": .subjectIdentifiers, "RCAC without key usage": .keyUsage,
        "RCAC without SKI": .keyIdentifiers, "RCAC without AKI": .keyIdentifiers,
        "NOC no fabric id": .subjectIdentifiers, "NOC two node ids": .subjectIdentifiers,
        "NOC node id 0": .nodeIDRange, "NOC node id group range": .nodeIDRange, "NOC fabric id 0": .fabricIDNotZero,
        "NOC four CATs": .wellFormed, "NOC CAT version 0": .tags, "NOC duplicate CAT identifier": .tags,
        "NOC isCA true": .basicConstraints, "NOC key usage keyCertSign": .keyUsage,
        "NOC EKU only serverAuth": .extendedKeyUsage, "NOC wrong fabric": .fabricMatches,
    ]

    /// The rows that the vector file describes in words only are made here.
    @Test(arguments: contentRules.keys.sorted()) func `names the broken rule`(_ name: String) throws {
        let row = CertificateFile.all.negativeContent.first { $0.name == name }
        let error = #expect(throws: OperationalChainError.self) {
            if name.hasPrefix("RCAC") {
                _ = try OperationalChain.validateRoot(#require(row?.tlv).bytes)
            } else {
                _ = try OperationalChain.validate(
                    noc: row?.tlv?.bytes ?? Self.badNode(name), icac: CertificateFile.certificate("gen ICAC"),
                    rcac: CertificateFile.certificate("gen RCAC"))
            }
        }
        #expect(error?.rule == Self.contentRules[name])
    }

    @Test func `every row of bad content is named`() {
        #expect(Set(CertificateFile.all.negativeContent.map(\.name)) == Set(Self.contentRules.keys))
    }

    private static func badNode(_ name: String) throws -> [UInt8] {
        var node = try MatterCertificate(decoding: CertificateFile.certificate("gen NOC A (via ICAC)"))
        let tags: [UInt32]
        switch name {
        case "NOC node id 0":
            node.subject.attributes[0] = .identifier(.nodeID, 0)
            tags = []
        case "NOC node id group range":
            node.subject.attributes[0] = .identifier(.nodeID, 0xFFFF_FFFF_FFFF_0001)
            tags = []
        case "NOC fabric id 0":
            node.subject.attributes[1] = .identifier(.fabricID, 0)
            tags = []
        case "NOC four CATs": tags = [0x1_0001, 0x2_0001, 0x3_0001, 0x4_0001]
        case "NOC CAT version 0": tags = [0x1_0000]
        default: throw CertificateError(.unexpectedMember)
        }
        node.subject.attributes += tags.map { .identifier(.caseAuthenticatedTag, UInt64($0)) }
        let key = try P256PrivateKey(rawValue: #require(CertificateFile.all.keys["icac"]).bytes)
        return try node.signed(by: key).encoded()
    }

    // MARK: Chains made here

    private struct Made {
        var root = MatterCertificate.template(.root)
        var intermediate = MatterCertificate.template(.intermediate)
        var node = MatterCertificate.template(.node)
        var resign = true

        func validate(at time: EpochSeconds? = nil) throws -> OperationalIdentity {
            let keys = try TestKeys()
            let root = resign ? try self.root.signed(by: keys.root) : self.root
            let intermediate = resign ? try self.intermediate.signed(by: keys.root) : self.intermediate
            let node = resign ? try self.node.signed(by: keys.intermediate) : self.node
            return try OperationalChain.validate(
                noc: node.encoded(), icac: intermediate.encoded(), rcac: root.encoded(), at: time)
        }
    }

    @Test func `the template is a good chain`() throws {
        #expect(try Made().validate().nodeID == NodeID(rawValue: 0x1234))
    }

    @Test(arguments: [
        "ICAC pathLen", "RCAC no point", "NOC no point", "ICAC issuer name", "ICAC is no CA", "ICAC with node id",
        "ICAC usage", "NOC issuer name", "NOC with ICAC id", "NOC without basic constraints", "NOC without EKU",
        "critical", "future not DER", "RCAC fabric", "ICAC fabric zero", "ICAC AKI",
    ]) func `names the rule that a made chain breaks`(_ fault: String) throws {
        var chain = Made()
        var expected: (OperationalChainError.Role, OperationalChainError.Rule)
        switch fault {
        case "ICAC pathLen":
            chain.root.replace(.basicConstraints(isCA: true, pathLength: 0))
            expected = (.root, .pathLength)
        case "RCAC no point":
            chain.root.publicKey[64] ^= 1
            expected = (.root, .publicKey)
        case "NOC no point":
            chain.node.publicKey[64] ^= 1
            expected = (.node, .publicKey)
        case "ICAC issuer name":
            chain.intermediate.issuer = DistinguishedName([.identifier(.rcacID, 99)])
            expected = (.intermediate, .issuerName)
        case "ICAC is no CA":
            chain.intermediate.replace(.basicConstraints(isCA: false, pathLength: nil))
            expected = (.intermediate, .basicConstraints)
        case "ICAC with node id":
            chain.intermediate.subject.attributes.append(.identifier(.nodeID, 5))
            expected = (.intermediate, .subjectIdentifiers)
        case "ICAC usage":
            chain.intermediate.replace(.keyUsage(.digitalSignature))
            expected = (.intermediate, .keyUsage)
        case "NOC issuer name":
            chain.node.issuer = chain.root.subject
            expected = (.node, .issuerName)
        case "NOC with ICAC id":
            chain.node.subject.attributes.append(.identifier(.icacID, 5))
            expected = (.node, .subjectIdentifiers)
        case "NOC without basic constraints":
            chain.node.extensions.removeFirst()
            expected = (.node, .basicConstraints)
        case "NOC without EKU":
            chain.node.extensions.remove(at: 2)
            expected = (.node, .extendedKeyUsage)
        case "critical":
            chain.node.extensions.append(.future(.init(hex: "300d06032a03040101ff0403010203")))
            expected = (.node, .knownExtensions)
        case "future not DER":
            chain.node.extensions.append(.future([0x30, 0x05]))
            chain.node.signature = .init(repeating: 1, count: 64)
            chain.resign = false
            chain.root = try chain.root.signed(by: TestKeys().root)
            chain.intermediate = try chain.intermediate.signed(by: TestKeys().root)
            expected = (.node, .knownExtensions)
        case "RCAC fabric":
            chain.root.subject.attributes.append(.identifier(.fabricID, 77))
            chain.root.issuer = chain.root.subject
            chain.intermediate.issuer = chain.root.subject
            expected = (.root, .fabricMatches)
        case "ICAC fabric zero":
            chain.intermediate.subject.attributes.append(.identifier(.fabricID, 0))
            expected = (.intermediate, .fabricIDNotZero)
        default:
            chain.intermediate.replace(.authorityKeyIdentifier(.init(repeating: 9, count: 20)))
            expected = (.intermediate, .issuerKey)
        }
        let error = #expect(throws: OperationalChainError.self) { try chain.validate() }
        #expect(error?.role == expected.0)
        #expect(error?.rule == expected.1)
    }

    @Test(
        arguments: [
            (999, .begun), (1000, nil), (2000, nil), (2001, .notExpired),
        ] as [(Int64, OperationalChainError.Rule?)])
    func `keeps to the validity when there is a clock`(now: Int64, rule: OperationalChainError.Rule?) throws {
        var chain = Made()
        chain.node.notBefore = EpochSeconds(rawValue: 1000)
        chain.node.notAfter = EpochSeconds(rawValue: 2000)
        let time = EpochSeconds(rawValue: now)
        _ = try chain.validate(at: nil)
        if let rule {
            let error = #expect(throws: OperationalChainError.self) { try chain.validate(at: time) }
            #expect(error?.rule == rule)
            #expect(error?.role == .node)
        } else {
            _ = try chain.validate(at: time)
        }
    }

    @Test func `an error says which certificate breaks which rule`() {
        #expect(
            OperationalChainError(.node, .fabricIDNotZero).description
                == "NOC breaks the rule: the fabric id is not zero")
        #expect(OperationalChainError(.root, .begun, "x").description.hasSuffix("valid already (x)"))
    }
}

// MARK: - Templates

private struct TestKeys {
    let root, intermediate, node: P256PrivateKey
    init() throws(CryptoError) {
        root = try .generate(using: SeededSecretSource(seed: 10))
        intermediate = try .generate(using: SeededSecretSource(seed: 11))
        node = try .generate(using: SeededSecretSource(seed: 12))
    }
}

extension MatterCertificate {
    fileprivate static func template(_ role: OperationalChainError.Role) -> MatterCertificate {
        guard let keys = try? TestKeys() else { fatalError("no keys") }
        let names: [OperationalChainError.Role: DistinguishedName] = [
            .root: .init([.identifier(.rcacID, 1)]), .intermediate: .init([.identifier(.icacID, 2)]),
            .node: .init([.identifier(.nodeID, 0x1234), .identifier(.fabricID, 0xFAB)]),
        ]
        let identifiers = [keys.root, keys.intermediate, keys.node].map { key in
            (try? key.publicKey.keyIdentifier()) ?? []
        }
        let (index, key, issuer): (Int, P256PrivateKey, OperationalChainError.Role) =
            switch role {
            case .root: (0, keys.root, .root)
            case .intermediate: (1, keys.intermediate, .root)
            case .node: (2, keys.node, .intermediate)
            }
        let usages: [CertificateExtension] =
            role == .node
            ? [
                .basicConstraints(isCA: false, pathLength: nil), .keyUsage(.digitalSignature),
                .extendedKeyUsage([.clientAuthentication, .serverAuthentication]),
            ] : [.basicConstraints(isCA: true, pathLength: nil), .keyUsage([.keyCertSign, .cRLSign])]
        return MatterCertificate(
            serialNumber: [UInt8(index + 1)], issuer: names[issuer] ?? .init([]), notBefore: .init(rawValue: 1),
            notAfter: nil, subject: names[role] ?? .init([]), publicKey: key.publicKey.bytes,
            extensions: usages + [
                .subjectKeyIdentifier(identifiers[index]), .authorityKeyIdentifier(identifiers[max(0, index - 1)]),
            ], signature: [])
    }

    /// Replaces the extension of the same kind.
    fileprivate mutating func replace(_ new: CertificateExtension) {
        func kind(_ element: CertificateExtension) -> Int {
            switch element {
            case .basicConstraints: 1
            case .keyUsage: 2
            case .extendedKeyUsage: 3
            case .subjectKeyIdentifier: 4
            case .authorityKeyIdentifier: 5
            case .future: 6
            }
        }
        extensions = extensions.map { kind($0) == kind(new) ? new : $0 }
    }
}
