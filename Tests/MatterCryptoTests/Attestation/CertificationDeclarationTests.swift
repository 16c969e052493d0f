@testable import MatterCrypto
import MatterWire
import TestSupport
import Testing

/// Rows of `certification-declaration.json`.
struct CertificationDeclarationFile: Decodable, Sendable {
    struct Key: Decodable, Sendable, CustomTestStringConvertible {
        var keyId: HexBytes
        var publicKey: HexBytes
        var kind: String
        var testDescription: String { "\(kind) \(keyId)" }
    }
    struct Fields: Decodable, Sendable {
        var formatVersion: UInt64
        var vendorId: UInt16
        var productIdArray: [UInt16]
        var deviceTypeId: UInt32
        var certificateId: String
        var securityLevel: UInt8
        var securityInformation: UInt16
        var versionNumber: UInt16
        var certificationType: UInt8
        var dacOriginVendorId: UInt16?
        var dacOriginProductId: UInt16?
        var authorizedPaaList: [HexBytes]?

        var content: CertificationContent {
            var origin: CertificationContent.Origin?
            if let vendor = dacOriginVendorId, let product = dacOriginProductId {
                origin = .init(vendorID: VendorID(rawValue: vendor), productID: ProductID(rawValue: product))
            }
            return CertificationContent(
                vendorID: VendorID(rawValue: vendorId), productIDs: productIdArray.map(ProductID.init),
                deviceType: DeviceTypeID(rawValue: deviceTypeId), certificateID: certificateId,
                securityLevel: securityLevel, securityInformation: securityInformation, versionNumber: versionNumber,
                kind: .init(rawValue: certificationType), origin: origin,
                authorizedPAAs: authorizedPaaList.map { $0.map(\.bytes) })
        }
    }
    struct Row: Decodable, Sendable, CustomTestStringConvertible {
        var name: String
        var cms: HexBytes
        var cdContent: HexBytes
        var fields: Fields
        var signerKeyId: HexBytes
        var signerPublicKey: HexBytes
        var signatureRaw: HexBytes
        var testDescription: String { name }
    }
    struct BadRow: Decodable, Sendable, CustomTestStringConvertible {
        var cms: HexBytes
        var reason: String
        var testDescription: String { reason }
    }
    var cdKeys: [Key]
    var testCdSigningPrivateKey: HexBytes
    var vectors: [Row]
    var mustFail: [BadRow]
    static let all: CertificationDeclarationFile = Vectors.load(
        CertificationDeclarationFile.self, "certification-declaration.json")
}

@Suite("Certification declaration (Core §6.3)")
struct CertificationDeclarationTests {
    private let file = CertificationDeclarationFile.all

    @Test(arguments: CertificationDeclarationFile.all.vectors)
    func `reads, verifies and writes a vector`(_ row: CertificationDeclarationFile.Row) throws {
        let declaration = try CertificationDeclaration(decoding: row.cms.bytes)
        #expect(declaration.signerKeyID == row.signerKeyId.bytes)
        #expect(declaration.content == row.cdContent.bytes)
        #expect(try ECDSASignature.raw(der: declaration.signature) == row.signatureRaw.bytes)
        #expect(try declaration.isSigned(by: P256PublicKey(bytes: row.signerPublicKey.bytes)))
        let content = try CertificationContent(decoding: declaration.content)
        #expect(content == row.fields.content)
        #expect(content.encoded() == row.cdContent.bytes)
    }

    @Test(arguments: CertificationDeclarationFile.all.mustFail)
    func `refuses a bad vector`(_ row: CertificationDeclarationFile.BadRow) throws {
        var trust = try AttestationTrustStore()
        try trust.trustPublicTestMaterial()
        func isTrusted() throws -> Bool {
            let declaration = try CertificationDeclaration(decoding: row.cms.bytes)
            guard let signer = trust.signer(keyID: declaration.signerKeyID) else { return false }
            return try declaration.isSigned(by: signer.publicKey)
        }
        switch row.reason {
        case "signature altered", "content altered", "signer key id unknown": #expect(try !isTrusted())
        default: #expect(throws: AttestationError.self) { try isTrusted() }
        }
    }

    @Test(arguments: CertificationDeclarationFile.all.cdKeys)
    func `the built-in signers are those of the alliance`(_ key: CertificationDeclarationFile.Key) throws {
        let store = try AttestationTrustStore()
        var withTestMaterial = store
        try withTestMaterial.trustPublicTestMaterial()
        let signer = withTestMaterial.signer(keyID: key.keyId.bytes)
        #expect(signer?.publicKey.bytes == key.publicKey.bytes)
        #expect(signer?.scope == (key.kind == "test" ? .test : .official))
        #expect((store.signer(keyID: key.keyId.bytes) == nil) == (key.kind == "test"))
    }

    @Test func `what we sign reads back and verifies`() throws {
        let key = try P256PrivateKey(rawValue: file.testCdSigningPrivateKey.bytes)
        for row in file.vectors {
            let made = try CertificationDeclaration.make(row.fields.content, key: key)
            let read = try CertificationDeclaration(decoding: made.cms)
            #expect(read == made)
            #expect(try read.isSigned(by: key.publicKey))
            #expect(try CertificationContent(decoding: read.content) == row.fields.content)
        }
    }

    @Test func `a signer's certificate has to come from the alliance's root`() throws {
        var store = try AttestationTrustStore()
        let stranger = try AttestationForge().makePAI()
        #expect(throws: AttestationError.self) { try store.add(signerCertificate: stranger) }
        let root = try AttestationCertificate(der: [UInt8](constantHex: DeclarationKeys.rootCertificate))
        #expect(try root.isSigned(by: root))
        // The root signed itself, so it passes as the issuer of a signer: the only such certificate at hand here.
        try store.add(signerCertificate: root.der)
        #expect(try store.signer(keyID: #require(root.subjectKeyID))?.scope == .official)
    }
}
