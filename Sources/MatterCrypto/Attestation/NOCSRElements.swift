import MatterWire

/// What a device signs with its attestation key in answer to CSRRequest (Core §11.18.4.6).
///
/// The signature covers ``encoded()`` followed by the session's 16-byte attestation challenge.
public struct NOCSRElements: Hashable, Sendable {
    /// The certificate signing request, PKCS #10 in DER.
    public var csr: [UInt8]
    /// The commissioner's nonce, 32 bytes.
    public var nonce: [UInt8]
    /// The maker's own octet strings, tags 3, 4 and 5, in that order; `nil` where absent.
    public var vendorReserved: [[UInt8]?]

    /// Bytes that the encoded elements may have at most (RESP_MAX, Core §11.18.4.6).
    public static let maximumSize = 900

    /// Makes elements from their members.
    public init(csr: [UInt8], nonce: [UInt8], vendorReserved: [[UInt8]?] = [nil, nil, nil]) {
        precondition(vendorReserved.count == 3, "three places for the maker's own octet strings")
        self.csr = csr
        self.nonce = nonce
        self.vendorReserved = vendorReserved
    }

    /// Reads elements from TLV; the members come in the order of their tags, other context tags are ignored.
    public init(decoding bytes: [UInt8]) throws(AttestationError) {
        guard bytes.count <= Self.maximumSize else {
            throw AttestationError(
                code: .tooLarge, reason: "the elements have \(bytes.count) bytes, more than \(Self.maximumSize)")
        }
        let members = try SignedElements.members(bytes, known: 1...5)
        csr = try SignedElements.octets(members[1], "the certificate signing request (tag 1)")
        nonce = try SignedElements.octets(members[2], "the nonce (tag 2)", count: 32)
        var reserved: [[UInt8]?] = []
        for tag: UInt8 in 3...5 {
            guard let value = members[tag] else {
                reserved.append(nil)
                continue
            }
            reserved.append(try SignedElements.octets(value, "the maker's own member (tag \(tag))"))
        }
        vendorReserved = reserved
    }

    /// The elements as one anonymous TLV structure.
    public func encoded() -> [UInt8] {
        TLVValue.members(
            (1, .octets(csr)), (2, .octets(nonce)), (3, vendorReserved[0].map(TLVValue.octets)),
            (4, vendorReserved[1].map(TLVValue.octets)), (5, vendorReserved[2].map(TLVValue.octets))
        ).encoded()
    }
}
