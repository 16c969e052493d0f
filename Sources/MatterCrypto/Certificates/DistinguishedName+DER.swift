import MatterWire

extension DistinguishedName {
    /// 1.3.6.1.4.1.37244.1, the arc of Matter's own attributes (Core §6.5.6.1).
    private static let matterArc: [UInt8] = [0x2B, 0x06, 0x01, 0x04, 0x01, 0x82, 0xA2, 0x7C, 0x01]
    /// 2.5.4, the arc of X.520's attributes.
    private static let standardArc: [UInt8] = [0x55, 0x04]
    /// 0.9.2342.19200300.100.1.25 (RFC 4519).
    private static let domainComponent: [UInt8] = [0x09, 0x92, 0x26, 0x89, 0x93, 0xF2, 0x2C, 0x64, 0x01, 0x19]

    /// The Name in DER: one RDN for each attribute, in order.
    var der: [UInt8] {
        DER.element(DER.sequence, attributes.flatMap { DER.element(DER.set, Self.der($0)) })
    }

    private static func der(_ attribute: Attribute) -> [UInt8] {
        switch attribute {
        case .text(let type, let text, let printable):
            let tag = type == .domainComponent ? DER.ia5String : printable ? DER.printableString : DER.utf8String
            return DER.sequence(
                DER.element(DER.objectIdentifier, objectIdentifier(type)), DER.element(tag, Array(text.utf8)))
        case .identifier(let type, let value):
            let digits = String(value, radix: 16, uppercase: true)
            let padding = String(repeating: "0", count: max(0, digitCount(type) - digits.utf8.count))
            return DER.sequence(
                DER.element(DER.objectIdentifier, matterArc + [number(type)]),
                DER.element(DER.utf8String, Array((padding + digits).utf8)))
        }
    }

    /// The last arc of a Matter attribute: 1 for the node id up to 6 for a CASE authenticated tag.
    private static func number(_ type: IdentifierType) -> UInt8 {
        type.rawValue - IdentifierType.nodeID.rawValue + 1
    }

    private static func digitCount(_ type: IdentifierType) -> Int { type == .caseAuthenticatedTag ? 8 : 16 }

    private static func objectIdentifier(_ type: TextType) -> [UInt8] {
        switch type {
        case .commonName: standardArc + [3]
        case .surname: standardArc + [4]
        case .serialNumber: standardArc + [5]
        case .country: standardArc + [6]
        case .locality: standardArc + [7]
        case .state: standardArc + [8]
        case .organization: standardArc + [10]
        case .organizationalUnit: standardArc + [11]
        case .title: standardArc + [12]
        case .name: standardArc + [41]
        case .givenName: standardArc + [42]
        case .initials: standardArc + [43]
        case .generationQualifier: standardArc + [44]
        case .qualifier: standardArc + [46]
        case .pseudonym: standardArc + [65]
        case .domainComponent: domainComponent
        }
    }

    /// Reads a Name whose RDNs have one attribute each.
    ///
    /// - Throws: `malformed` for attributes that the TLV form has no tag for.
    init(der reader: inout DERReader) throws(CryptoError) {
        var names = try reader.contents(DER.sequence)
        var attributes: [Attribute] = []
        while !names.isAtEnd {
            var set = try names.contents(DER.set)
            var pair = try set.contents(DER.sequence)
            try set.end()
            let identifier = Array(try pair.element(DER.objectIdentifier).content)
            let value = try pair.element()
            try pair.end()
            guard let attribute = Self.attribute(identifier, value) else {
                throw CryptoError(.malformed, "a name attribute that a Matter certificate cannot have")
            }
            attributes.append(attribute)
        }
        guard (1...Self.maximumAttributes).contains(attributes.count) else {
            throw CryptoError(.malformed, "a name of \(attributes.count) attributes")
        }
        self.init(attributes)
    }

    private static func attribute(_ identifier: [UInt8], _ value: DERReader.Element) -> Attribute? {
        guard let text = String(validating: value.content, as: UTF8.self), !text.isEmpty else { return nil }
        if identifier.dropLast() == matterArc[...] {
            guard let last = identifier.last, value.tag == DER.utf8String,
                let type = IdentifierType.allCases.first(where: { number($0) == last }),
                text.utf8.count == digitCount(type), text.utf8.allSatisfy(isUpperHex),
                let number = UInt64(text, radix: 16)
            else { return nil }
            return .identifier(type, number)
        }
        guard let type = TextType.allCases.first(where: { objectIdentifier($0) == identifier }) else { return nil }
        switch (value.tag, type) {
        case (DER.ia5String, .domainComponent):
            return text.utf8.allSatisfy { $0 < 0x80 } ? .text(type, text, printable: false) : nil
        case (_, .domainComponent):
            return nil
        case (DER.printableString, _):
            return text.utf8.allSatisfy(isPrintable) ? .text(type, text, printable: true) : nil
        case (DER.utf8String, _):
            return .text(type, text, printable: false)
        default:
            return nil
        }
    }

    private static func isUpperHex(_ octet: UInt8) -> Bool {
        (0x30...0x39).contains(octet) || (0x41...0x46).contains(octet)
    }
}
