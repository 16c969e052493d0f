import MatterCrypto
import MatterWire
import TestSupport
import Testing

/// Rows of `attestation-elements.json`.
struct AttestationElementsFile: Decodable, Sendable {
    struct VendorElement: Decodable, Sendable {
        var vendorId: UInt16
        var profile: UInt16
        var tag: UInt32
        var data: HexBytes
    }
    struct Row: Decodable, Sendable, CustomTestStringConvertible {
        var name: String
        var certificationDeclaration: HexBytes
        var attestationNonce: HexBytes
        var timestamp: UInt32
        var firmwareInfo: HexBytes?
        var vendorReserved: [VendorElement]
        var attestationElements: HexBytes
        var attestationChallenge: HexBytes
        var attestationSignature: HexBytes
        var dacPublicKey: HexBytes
        var testDescription: String { name }
    }
    struct BadRow: Decodable, Sendable, CustomTestStringConvertible {
        var attestationElements: HexBytes
        var reason: String
        var expect: String
        var testDescription: String { reason.isEmpty ? "empty" : reason }
    }
    var vectors: [Row]
    var invalid: [BadRow]
    static let all: AttestationElementsFile = Vectors.load(AttestationElementsFile.self, "attestation-elements.json")
}

/// Rows of `nocsr.json`.
struct NOCSRFile: Decodable, Sendable {
    struct Row: Decodable, Sendable, CustomTestStringConvertible {
        var name: String
        var csr: HexBytes
        var csrPublicKey: HexBytes
        var csrNonce: HexBytes
        var vendorReserved1: HexBytes?
        var nocsrElements: HexBytes
        var attestationChallenge: HexBytes
        var attestationSignature: HexBytes
        var dacPublicKey: HexBytes
        var testDescription: String { name }
    }
    struct BadRow: Decodable, Sendable, CustomTestStringConvertible {
        var csr: HexBytes
        var reason: String
        var testDescription: String { reason }
    }
    var vectors: [Row]
    var invalidCsr: [BadRow]
    static let all: NOCSRFile = Vectors.load(NOCSRFile.self, "nocsr.json")
}

@Suite("Attestation elements (Core §11.18.4.4)")
struct AttestationElementsTests {
    @Test(arguments: AttestationElementsFile.all.vectors)
    func `reads, writes and verifies a vector`(_ row: AttestationElementsFile.Row) throws {
        let elements = AttestationElements(
            certificationDeclaration: row.certificationDeclaration.bytes, nonce: row.attestationNonce.bytes,
            timestamp: row.timestamp, firmwareInformation: row.firmwareInfo?.bytes,
            vendorElements: row.vendorReserved.map { element in
                TLVElement(
                    .fullyQualified(vendor: element.vendorId, profile: element.profile, number: element.tag),
                    .octets(element.data.bytes))
            })
        #expect(try AttestationElements(decoding: row.attestationElements.bytes) == elements)
        #expect(elements.encoded() == row.attestationElements.bytes)
        let key = try P256PublicKey(bytes: row.dacPublicKey.bytes)
        let message = row.attestationElements.bytes + row.attestationChallenge.bytes
        #expect(try key.verify(signature: row.attestationSignature.bytes, message: message))
    }

    @Test(arguments: AttestationElementsFile.all.invalid)
    func `takes or refuses a doubtful vector`(_ row: AttestationElementsFile.BadRow) {
        if row.expect == "accept" {
            #expect(throws: Never.self) { try AttestationElements(decoding: row.attestationElements.bytes) }
        } else {
            #expect(throws: AttestationError.self) { try AttestationElements(decoding: row.attestationElements.bytes) }
        }
    }

    @Test func `members of the maker come after the known ones`() {
        let vendor = TLVElement(.fullyQualified(vendor: 0xFFF1, profile: 1, number: 1), .octets([1]))
        let known = [
            TLVElement(1, .octets([1])), TLVElement(2, .octets(.init(repeating: 0, count: 32))),
            TLVElement(3, .unsigned(0)),
        ]
        #expect(throws: Never.self) {
            try AttestationElements(decoding: TLVValue.structure(known + [vendor]).encoded())
        }
        #expect(throws: AttestationError(code: .invalid, reason: "the member with tag 1 is out of order")) {
            try AttestationElements(decoding: TLVValue.structure([vendor] + known).encoded())
        }
    }

    @Test func `more than 900 bytes are refused`() {
        let large = AttestationElements(
            certificationDeclaration: .init(repeating: 0, count: 900), nonce: .init(repeating: 0, count: 32))
        #expect(throws: AttestationError.self) { try AttestationElements(decoding: large.encoded()) }
    }
}

@Suite("NOCSR elements (Core §11.18.4.6)")
struct NOCSRElementsTests {
    @Test(arguments: NOCSRFile.all.vectors)
    func `reads, writes and verifies a vector`(_ row: NOCSRFile.Row) throws {
        let elements = NOCSRElements(
            csr: row.csr.bytes, nonce: row.csrNonce.bytes, vendorReserved: [row.vendorReserved1?.bytes, nil, nil])
        #expect(try NOCSRElements(decoding: row.nocsrElements.bytes) == elements)
        #expect(elements.encoded() == row.nocsrElements.bytes)
        #expect(try CertificateSigningRequest.publicKey(of: elements.csr).bytes == row.csrPublicKey.bytes)
        let key = try P256PublicKey(bytes: row.dacPublicKey.bytes)
        let message = row.nocsrElements.bytes + row.attestationChallenge.bytes
        #expect(try key.verify(signature: row.attestationSignature.bytes, message: message))
    }

    @Test(arguments: NOCSRFile.all.invalidCsr)
    func `a bad request within good elements is refused`(_ row: NOCSRFile.BadRow) throws {
        let elements = NOCSRElements(csr: row.csr.bytes, nonce: .init(repeating: 7, count: 32))
        let read = try NOCSRElements(decoding: elements.encoded())
        #expect(throws: CryptoError.self) { try CertificateSigningRequest.publicKey(of: read.csr) }
    }

    @Test(
        arguments: [
            ("no request", [2: 32]), ("no nonce", [1: 10]), ("a short nonce", [1: 10, 2: 31]),
        ] as [(String, [UInt8: Int])])
    func `missing and wrong members are refused`(_ name: String, _ sizes: [UInt8: Int]) {
        let members = sizes.sorted { $0.key < $1.key }.map { tag, size in
            TLVElement(tag, .octets(.init(repeating: 0, count: size)))
        }
        #expect(throws: AttestationError.self) { try NOCSRElements(decoding: TLVValue.structure(members).encoded()) }
    }

    @Test func `members out of order are refused`() {
        let members = [TLVElement(2, .octets(.init(repeating: 0, count: 32))), TLVElement(1, .octets([1]))]
        #expect(throws: AttestationError(code: .invalid, reason: "the member with tag 1 is out of order")) {
            try NOCSRElements(decoding: TLVValue.structure(members).encoded())
        }
    }

    @Test func `all three octet strings of the maker come back`() throws {
        let elements = NOCSRElements(csr: [1], nonce: .init(repeating: 0, count: 32), vendorReserved: [[3], nil, [5]])
        #expect(try NOCSRElements(decoding: elements.encoded()) == elements)
    }
}
