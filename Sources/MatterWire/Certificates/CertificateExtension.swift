/// One extension of a certificate (Core §6.5.11).
public enum CertificateExtension: Hashable, Sendable {
    /// Whether the subject may issue certificates, and how many CAs may follow it in a chain.
    case basicConstraints(isCA: Bool, pathLength: UInt8?)
    /// What the key may be used for.
    case keyUsage(KeyUsage)
    /// The purposes of the key, in order.
    case extendedKeyUsage([KeyPurpose])
    /// The identifier of the subject's key: 20 bytes.
    case subjectKeyIdentifier([UInt8])
    /// The identifier of the issuer's key: 20 bytes.
    case authorityKeyIdentifier([UInt8])
    /// A whole X.509 Extension in DER that the TLV form has no member for.
    case future([UInt8])

    /// Key usages; the raw value is the TLV form (Core §6.5.11.2).
    public struct KeyUsage: OptionSet, Hashable, Sendable {
        /// The TLV form; bit 0 is the first bit of the BIT STRING in DER.
        public let rawValue: UInt16
        /// A set of usages.
        public init(rawValue: UInt16) { self.rawValue = rawValue }
        /// Signatures other than those on certificates and revocation lists.
        public static let digitalSignature = KeyUsage(rawValue: 0x01)
        /// Signatures on certificates.
        public static let keyCertSign = KeyUsage(rawValue: 0x20)
        /// Signatures on revocation lists.
        public static let cRLSign = KeyUsage(rawValue: 0x40)
        /// Every bit that has a meaning.
        public static let known = KeyUsage(rawValue: 0x1FF)
    }

    /// Purposes of a key; the raw value is the TLV form (Core §6.5.11.3).
    public enum KeyPurpose: UInt8, Hashable, Sendable, CaseIterable {
        case serverAuthentication = 1
        case clientAuthentication, codeSigning, emailProtection, timeStamping, ocspSigning
    }

    /// Bytes of a key identifier.
    public static let keyIdentifierCount = 20
}

// MARK: - TLV

extension CertificateExtension {
    /// The context tag of the extension's member.
    var tag: UInt8 {
        switch self {
        case .basicConstraints: 1
        case .keyUsage: 2
        case .extendedKeyUsage: 3
        case .subjectKeyIdentifier: 4
        case .authorityKeyIdentifier: 5
        case .future: 6
        }
    }

    /// Reads the member `tag` of the list of extensions; `nil` when its value is wrong or the tag unknown.
    init?(tag: UInt8, tlv: TLVValue) {
        switch tag {
        case 1:
            guard case .structure(let members) = tlv, let isCA = tlv[1]?.bool else { return nil }
            var pathLength: UInt8?
            if let value = tlv[2] {
                guard let number = value.unsigned, let narrow = UInt8(exactly: number) else { return nil }
                pathLength = narrow
            }
            guard members.count == (pathLength == nil ? 1 : 2) else { return nil }
            self = .basicConstraints(isCA: isCA, pathLength: pathLength)
        case 2:
            guard let number = tlv.unsigned, number & ~UInt64(KeyUsage.known.rawValue) == 0 else { return nil }
            self = .keyUsage(KeyUsage(rawValue: UInt16(number)))
        case 3:
            guard case .array(let values) = tlv, !values.isEmpty else { return nil }
            var purposes: [KeyPurpose] = []
            for value in values {
                guard let number = value.unsigned, let narrow = UInt8(exactly: number),
                    let purpose = KeyPurpose(rawValue: narrow)
                else { return nil }
                purposes.append(purpose)
            }
            self = .extendedKeyUsage(purposes)
        case 4, 5:
            guard let identifier = tlv.octets, identifier.count == Self.keyIdentifierCount else { return nil }
            self = tag == 4 ? .subjectKeyIdentifier(identifier) : .authorityKeyIdentifier(identifier)
        case 6:
            guard let der = tlv.octets, !der.isEmpty else { return nil }
            self = .future(der)
        default:
            return nil
        }
    }

    /// The member of the list of extensions.
    var element: TLVElement {
        let value: TLVValue =
            switch self {
            case .basicConstraints(let isCA, let pathLength):
                .members((1, .bool(isCA)), (2, pathLength.map { .uint($0) }))
            case .keyUsage(let usage): .uint(usage.rawValue)
            case .extendedKeyUsage(let purposes): .array(purposes.map { .uint($0.rawValue) })
            case .subjectKeyIdentifier(let identifier), .authorityKeyIdentifier(let identifier): .octets(identifier)
            case .future(let der): .octets(der)
            }
        return TLVElement(tag, value)
    }
}
