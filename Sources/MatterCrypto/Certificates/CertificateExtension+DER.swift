import MatterWire

extension CertificateExtension {
    // The last arc of 2.5.29.
    private static let subjectKeyIdentifierArc: UInt8 = 14
    private static let keyUsageArc: UInt8 = 15
    private static let basicConstraintsArc: UInt8 = 19
    private static let authorityKeyIdentifierArc: UInt8 = 35
    private static let extendedKeyUsageArc: UInt8 = 37
    private static let extensionArc: [UInt8] = [0x55, 0x1D]
    /// 1.3.6.1.5.5.7.3, the arc of key purposes.
    private static let purposeArc: [UInt8] = [0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03]
    private static let booleanTrue: [UInt8] = [DER.boolean, 1, 0xFF]

    /// The Extension in DER (RFC 5280 §4.2); a future extension is taken as it is.
    ///
    /// - Throws: `malformed` when a future extension is not one DER SEQUENCE.
    func der() throws(CryptoError) -> [UInt8] {
        switch self {
        case .basicConstraints(let isCA, let pathLength):
            return Self.der(
                Self.basicConstraintsArc, critical: true,
                DER.sequence(isCA ? Self.booleanTrue : [], pathLength.map { DER.unsignedInteger([$0]) } ?? []))
        case .keyUsage(let usage):
            return Self.der(Self.keyUsageArc, critical: true, Self.bits(usage))
        case .extendedKeyUsage(let purposes):
            let identifiers = purposes.flatMap {
                DER.element(DER.objectIdentifier, Self.purposeArc + [Self.number($0)])
            }
            return Self.der(Self.extendedKeyUsageArc, critical: true, DER.element(DER.sequence, identifiers))
        case .subjectKeyIdentifier(let identifier):
            return Self.der(
                Self.subjectKeyIdentifierArc, critical: false, DER.element(DER.octetString, identifier))
        case .authorityKeyIdentifier(let identifier):
            return Self.der(
                Self.authorityKeyIdentifierArc, critical: false,
                DER.sequence(DER.element(DER.primitiveContext(0), identifier)))
        case .future(let der):
            var reader = DERReader(der[...])
            _ = try reader.element(DER.sequence)
            try reader.end()
            return der
        }
    }

    /// Whether this is an extension that must be understood and is not.
    var isUnknownCritical: Bool {
        guard case .future(let der) = self else { return false }
        var outer = DERReader(der[...])
        // What cannot be read cannot be understood either.
        guard var fields = try? outer.contents(DER.sequence), (try? fields.element(DER.objectIdentifier)) != nil else {
            return true
        }
        return fields.nextTag == DER.boolean
    }

    /// Reads one Extension; what has no member of its own becomes `future`.
    init(der reader: inout DERReader) throws(CryptoError) {
        let whole = try reader.element(DER.sequence)
        var fields = DERReader(whole.content)
        let identifier = Array(try fields.element(DER.objectIdentifier).content)
        if fields.nextTag == DER.boolean { _ = try fields.element() }
        var value = try fields.contents(DER.octetString)
        try fields.end()
        guard identifier.count == 3, identifier.starts(with: Self.extensionArc),
            let known = try Self.known(identifier[2], &value)
        else {
            self = .future(Array(whole.encoded))
            return
        }
        try value.end()
        self = known
    }

    private static func known(
        _ arc: UInt8, _ value: inout DERReader
    ) throws(CryptoError) -> CertificateExtension? {
        switch arc {
        case basicConstraintsArc:
            var fields = try value.contents(DER.sequence)
            let isCA = fields.nextTag == DER.boolean
            if isCA { _ = try fields.element() }
            var pathLength: UInt8?
            if !fields.isAtEnd {
                let digits = try fields.unsignedInteger()
                guard digits.count == 1 else { throw CryptoError(.malformed, "path length over 255") }
                pathLength = digits.first
            }
            try fields.end()
            return .basicConstraints(isCA: isCA, pathLength: pathLength)
        case keyUsageArc:
            return .keyUsage(try usage(value.element(DER.bitString).content))
        case extendedKeyUsageArc:
            var fields = try value.contents(DER.sequence)
            var purposes: [KeyPurpose] = []
            while !fields.isAtEnd {
                let identifier = Array(try fields.element(DER.objectIdentifier).content)
                guard let purpose = KeyPurpose.allCases.first(where: { purposeArc + [number($0)] == identifier })
                else { throw CryptoError(.malformed, "unknown key purpose") }
                purposes.append(purpose)
            }
            guard !purposes.isEmpty else { throw CryptoError(.malformed, "no key purpose") }
            return .extendedKeyUsage(purposes)
        case subjectKeyIdentifierArc:
            return .subjectKeyIdentifier(try keyIdentifier(value.element(DER.octetString)))
        case authorityKeyIdentifierArc:
            var fields = try value.contents(DER.sequence)
            let identifier = try keyIdentifier(fields.element(DER.primitiveContext(0)))
            try fields.end()
            return .authorityKeyIdentifier(identifier)
        default:
            return nil
        }
    }

    private static func keyIdentifier(_ element: DERReader.Element) throws(CryptoError) -> [UInt8] {
        guard element.content.count == keyIdentifierCount else {
            throw CryptoError(.malformed, "a key identifier of \(element.content.count) bytes")
        }
        return Array(element.content)
    }

    private static func der(_ arc: UInt8, critical: Bool, _ value: [UInt8]) -> [UInt8] {
        DER.sequence(
            DER.element(DER.objectIdentifier, extensionArc + [arc]), critical ? booleanTrue : [],
            DER.element(DER.octetString, value))
    }

    /// The last arc of a key purpose.
    private static func number(_ purpose: KeyPurpose) -> UInt8 {
        switch purpose {
        case .serverAuthentication: 1
        case .clientAuthentication: 2
        case .codeSigning: 3
        case .emailProtection: 4
        case .timeStamping: 8
        case .ocspSigning: 9
        }
    }

    /// A named BIT STRING: bit 0 is the most significant of the first octet, and trailing zero bits are left out.
    private static func bits(_ usage: KeyUsage) -> [UInt8] {
        let reversed = (0..<16).reduce(UInt16(0)) { $0 | (usage.rawValue >> $1 & 1) << (15 - $1) }
        guard reversed != 0 else { return DER.element(DER.bitString, [0]) }
        let octets = [UInt8(reversed >> 8), UInt8(reversed & 0xFF)]
        let used = octets[1] == 0 ? Array(octets.prefix(1)) : octets
        return DER.element(DER.bitString, [UInt8(used[used.count - 1].trailingZeroBitCount)] + used)
    }

    private static func usage(_ content: ArraySlice<UInt8>) throws(CryptoError) -> KeyUsage {
        let octets = content.dropFirst()
        guard let unused = content.first, unused < 8, octets.count <= 2 else {
            throw CryptoError(.malformed, "DER: key usage of another form")
        }
        var usage: UInt16 = 0
        for (index, octet) in octets.enumerated() {
            for bit in 0..<8 where octet & (0x80 >> bit) != 0 { usage |= 1 << UInt16(8 * index + bit) }
        }
        guard usage & ~KeyUsage.known.rawValue == 0 else { throw CryptoError(.malformed, "unknown key usage") }
        return KeyUsage(rawValue: usage)
    }
}
