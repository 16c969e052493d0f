/// The name of a certificate's subject or issuer (RFC 5280 §4.1.2.4), as attributes in their order.
public struct AttestationName: Sendable {
    /// One attribute of the name.
    struct Attribute: Hashable, Sendable {
        /// The content of the attribute type's object identifier.
        let identifier: [UInt8]
        /// The DER tag of the value.
        let tag: UInt8
        /// The content of the value.
        let value: [UInt8]
        /// The place of the relative name that the attribute belongs to.
        let place: Int
    }

    let attributes: [Attribute]

    /// Attributes that a name may have at most.
    static let maximumAttributes = 32

    init(reading fields: inout DERReader) throws(CryptoError) {
        var names = try fields.contents(DER.sequence)
        var attributes: [Attribute] = []
        var place = 0
        while !names.isAtEnd {
            var set = try names.contents(DER.set)
            guard !set.isAtEnd else { throw CryptoError(.malformed, "an empty relative name") }
            while !set.isAtEnd {
                var pair = try set.contents(DER.sequence)
                let identifier = Array(try pair.element(DER.objectIdentifier).content)
                let value = try pair.element()
                try pair.end()
                guard attributes.count < Self.maximumAttributes else {
                    throw CryptoError(.malformed, "a name with more than \(Self.maximumAttributes) attributes")
                }
                attributes.append(
                    Attribute(
                        identifier: identifier, tag: value.tag, value: Array(value.content), place: place))
            }
            place += 1
        }
        self.attributes = attributes
    }

    /// The values of the common names, for messages; bytes that are no UTF-8 are replaced.
    public var commonNames: [String] {
        attributes.filter { $0.identifier == ObjectIdentifier.commonName }
            .map { String(decoding: $0.value, as: UTF8.self) }
    }
}

extension AttestationName: Hashable {
    /// Whether both are the same name: case, runs of blanks and the string type do not matter (RFC 5280 §7.1).
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.comparable == rhs.comparable }
    /// Hashes what equality compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(comparable) }

    private var comparable: [[UInt8]] {
        attributes.map { attribute in
            [UInt8(truncatingIfNeeded: attribute.place)] + attribute.identifier + [0] + Self.folded(attribute)
        }
    }

    private static func folded(_ attribute: Attribute) -> [UInt8] {
        guard attribute.tag == DER.utf8String || attribute.tag == DER.printableString else {
            return [attribute.tag] + attribute.value
        }
        let words = attribute.value.split(separator: UInt8(ascii: " ")).map { word in
            word.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        }
        return Array(words.joined(separator: [UInt8(ascii: " ")]))
    }
}
