/// An issuer's or subject's name: attributes in the order in which they are signed (Core §6.5.6).
public struct DistinguishedName: Hashable, Sendable {
    /// The most attributes that a name may have (Core §6.5.6.1; the SDK has the same limit).
    public static let maximumAttributes = 5

    /// The attributes, outermost first.
    public var attributes: [Attribute]

    /// A name of these attributes.
    public init(_ attributes: [Attribute]) { self.attributes = attributes }

    /// One attribute.
    public enum Attribute: Hashable, Sendable {
        /// A text; `printable` means PrintableString in the signed form, else UTF8String (IA5String for `domainComponent`).
        case text(TextType, String, printable: Bool)
        /// One of Matter's own identifiers.
        case identifier(IdentifierType, UInt64)
    }

    /// The standard attributes; the raw value is the context tag (Core §6.5.6.1).
    public enum TextType: UInt8, Hashable, Sendable, CaseIterable {
        case commonName = 1
        case surname, serialNumber, country, locality, state, organization, organizationalUnit, title, name
        case givenName, initials, generationQualifier, qualifier, pseudonym, domainComponent
    }

    /// Matter's own attributes; the raw value is the context tag (Core §6.5.6.1).
    public enum IdentifierType: UInt8, Hashable, Sendable, CaseIterable {
        case nodeID = 17
        case firmwareSigningID, icacID, rcacID, fabricID, caseAuthenticatedTag
    }

    /// All identifiers of a type, in order.
    public func identifiers(_ type: IdentifierType) -> [UInt64] {
        attributes.compactMap { attribute in
            if case .identifier(type, let value) = attribute { value } else { nil }
        }
    }
}

// MARK: - TLV

extension DistinguishedName {
    private static let printableFlag: UInt8 = 0x80

    /// Reads a name from its LIST.
    ///
    /// - Parameter path: where the list stands, for errors.
    init(tlv: TLVValue, path: [UInt8]) throws(CertificateError) {
        guard case .list(let members) = tlv, (1...Self.maximumAttributes).contains(members.count) else {
            throw CertificateError(.wrongValue, path: path)
        }
        var attributes: [Attribute] = []
        for member in members {
            guard case .context(let tag) = member.tag else { throw CertificateError(.unexpectedMember, path: path) }
            guard let attribute = try Self.attribute(tag, member.value) else {
                throw CertificateError(.wrongValue, path: path + [tag])
            }
            attributes.append(attribute)
        }
        self.attributes = attributes
    }

    private static func attribute(_ tag: UInt8, _ value: TLVValue) throws(CertificateError) -> Attribute? {
        if let type = IdentifierType(rawValue: tag) {
            let limit: UInt64 = type == .caseAuthenticatedTag ? 0xFFFF_FFFF : .max
            guard let number = value.unsigned, number <= limit else { return nil }
            return .identifier(type, number)
        }
        let printable = tag & printableFlag != 0
        guard let type = TextType(rawValue: tag & ~printableFlag), let text = value.utf8, !text.isEmpty else {
            return nil
        }
        // IA5String has no printable variant; each string type has its own alphabet.
        if type == .domainComponent, printable || !text.utf8.allSatisfy({ $0 < 0x80 }) { return nil }
        if printable, !text.utf8.allSatisfy(isPrintable) { return nil }
        return .text(type, text, printable: printable)
    }

    /// The name as a LIST.
    var tlv: TLVValue {
        .list(
            attributes.map { attribute in
                switch attribute {
                case .text(let type, let text, let printable):
                    TLVElement(type.rawValue | (printable ? Self.printableFlag : 0), .utf8(text))
                case .identifier(let type, let value):
                    TLVElement(type.rawValue, .unsigned(value))
                }
            })
    }

    /// Whether an octet belongs to the alphabet of PrintableString (X.680 §41.4).
    public static func isPrintable(_ octet: UInt8) -> Bool {
        switch octet {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case 0x20, 0x27...0x29, 0x2B...0x2F, 0x3A, 0x3D, 0x3F: true
        default: false
        }
    }
}
