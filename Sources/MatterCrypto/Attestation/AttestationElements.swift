public import MatterWire

/// What a device signs with its attestation key in answer to AttestationRequest (Core §11.18.4.4).
///
/// The signature covers ``encoded()`` followed by the session's 16-byte attestation challenge.
public struct AttestationElements: Hashable, Sendable {
    /// The certification declaration: a CMS message, see ``CertificationDeclaration``.
    public var certificationDeclaration: [UInt8]
    /// The commissioner's nonce, 32 bytes.
    public var nonce: [UInt8]
    /// Seconds since 2000-01-01T00:00:00Z; 0 when the device has no clock.
    public var timestamp: UInt32
    /// What the device says of its firmware; opaque here.
    public var firmwareInformation: [UInt8]?
    /// The maker's own members, with fully qualified tags, in their order.
    public var vendorElements: [TLVElement]

    /// Bytes that the encoded elements may have at most (RESP_MAX, Core §11.18.4.4).
    public static let maximumSize = 900

    /// Makes elements from their members.
    public init(
        certificationDeclaration: [UInt8], nonce: [UInt8], timestamp: UInt32 = 0,
        firmwareInformation: [UInt8]? = nil, vendorElements: [TLVElement] = []
    ) {
        self.certificationDeclaration = certificationDeclaration
        self.nonce = nonce
        self.timestamp = timestamp
        self.firmwareInformation = firmwareInformation
        self.vendorElements = vendorElements
    }

    /// Reads elements from TLV.
    ///
    /// The members 1, 2, 3 and, where present, 4 come in that order, and the maker's own after them; other context
    /// tags are ignored, as current controllers do.
    public init(decoding bytes: [UInt8]) throws(AttestationError) {
        guard bytes.count <= Self.maximumSize else {
            throw AttestationError(
                code: .tooLarge, reason: "the elements have \(bytes.count) bytes, more than \(Self.maximumSize)")
        }
        let members = try SignedElements.members(bytes, known: 1...4)
        certificationDeclaration = try SignedElements.octets(members[1], "the certification declaration (tag 1)")
        nonce = try SignedElements.octets(members[2], "the nonce (tag 2)", count: 32)
        guard let time = members[3] else {
            throw AttestationError(code: .missing, reason: "the timestamp (tag 3) is missing")
        }
        guard let time = time.unsigned.flatMap(UInt32.init(exactly:)) else {
            throw AttestationError(code: .invalid, reason: "the timestamp (tag 3) is no 32-bit unsigned integer")
        }
        timestamp = time
        firmwareInformation = try members[4].map { value throws(AttestationError) in
            try SignedElements.octets(value, "the firmware information (tag 4)")
        }
        vendorElements = members.vendor
    }

    /// The elements as one anonymous TLV structure.
    public func encoded() -> [UInt8] {
        var members = [
            TLVElement(1, .octets(certificationDeclaration)), TLVElement(2, .octets(nonce)),
            TLVElement(3, .uint(timestamp)),
        ]
        if let firmwareInformation { members.append(TLVElement(4, .octets(firmwareInformation))) }
        return TLVValue.structure(members + vendorElements).encoded()
    }
}

/// The rules that attestation elements and NOCSR elements share.
enum SignedElements {
    /// The members of such a structure: known context tags by number, the maker's own in order.
    struct Members {
        var known: [UInt8: TLVValue] = [:]
        var vendor: [TLVElement] = []
        subscript(tag: UInt8) -> TLVValue? { known[tag] }
    }

    /// Reads one anonymous structure and checks the order of its members.
    static func members(_ bytes: [UInt8], known: ClosedRange<UInt8>) throws(AttestationError) -> Members {
        let element: TLVElement
        do throws(TLVError) {
            element = try TLVElement.decode(bytes)
        } catch {
            let place = error.offset.map { " at byte \($0)" } ?? ""
            throw AttestationError(
                code: .malformed, reason: "the elements are no well-formed TLV (\(error.code)\(place))")
        }
        guard element.tag == .anonymous, case .structure(let list) = element.value else {
            throw AttestationError(code: .malformed, reason: "the elements are no anonymous TLV structure")
        }
        var members = Members()
        var last: UInt8 = 0
        for member in list {
            switch member.tag {
            case .context(let tag) where known.contains(tag):
                guard tag > last, members.vendor.isEmpty else {
                    throw AttestationError(code: .invalid, reason: "the member with tag \(tag) is out of order")
                }
                last = tag
                members.known[tag] = member.value
            case .fullyQualified:
                members.vendor.append(member)
            case .context, .anonymous, .commonProfile, .implicitProfile:
                continue
            }
        }
        return members
    }

    /// The octet string in `value`, of exactly `count` bytes where that is given.
    static func octets(_ value: TLVValue?, _ name: String, count: Int? = nil) throws(AttestationError) -> [UInt8] {
        guard let value else { throw AttestationError(code: .missing, reason: "\(name) is missing") }
        guard let octets = value.octets else {
            throw AttestationError(code: .invalid, reason: "\(name) is no octet string")
        }
        if let count, octets.count != count {
            throw AttestationError(code: .invalid, reason: "\(name) has \(octets.count) bytes, not \(count)")
        }
        return octets
    }
}
