extension MatterCertificate {
    private static let algorithm: UInt64 = 1
    private static let memberTags: [UInt8] = Array(1...11)

    /// Reads the TLV form: an anonymous structure of exactly the members 1 … 11, in order.
    ///
    /// Checks the form only: which identifiers, extensions and times a certificate must have depends on its role.
    public init(decoding bytes: [UInt8]) throws(CertificateError) {
        guard bytes.count <= Self.maximumCount else { throw CertificateError(.tooLong(bytes.count)) }
        let element: TLVElement
        do {
            element = try TLVElement.decode(bytes)
        } catch {
            throw CertificateError(.notTLV(error))
        }
        guard element.tag == .anonymous, case .structure(let members) = element.value,
            members.map(\.tag) == Self.memberTags.map({ TLVTag.context($0) })
        else { throw CertificateError(.unexpectedMember) }
        let value = element.value

        let serialNumber = try Self.octets(value, 1, counts: Self.serialNumberCounts)
        for tag: UInt8 in [2, 7, 8] where value[tag]?.unsigned != Self.algorithm {
            throw CertificateError(.unsupportedAlgorithm, path: [tag])
        }
        let notAfter = try Self.time(value, 5)
        self.init(
            serialNumber: serialNumber,
            issuer: try DistinguishedName(tlv: value[3] ?? .null, path: [3]),
            notBefore: try Self.time(value, 4),
            notAfter: notAfter.rawValue == 0 ? nil : notAfter,
            subject: try DistinguishedName(tlv: value[6] ?? .null, path: [6]),
            publicKey: try Self.octets(value, 9, counts: 65...65),
            extensions: try Self.extensions(value[10] ?? .null),
            signature: try Self.octets(value, 11, counts: 64...64))
    }

    /// The TLV form, every integer in its smallest width.
    ///
    /// Times outside 32 bits, which no decoder gives, are clamped.
    public func encoded() -> [UInt8] {
        let value: TLVValue = .members(
            (1, .octets(serialNumber)),
            (2, .unsigned(Self.algorithm)),
            (3, issuer.tlv),
            (4, .uint(UInt32(clamping: notBefore.rawValue))),
            (5, .uint(UInt32(clamping: notAfter?.rawValue ?? 0))),
            (6, subject.tlv),
            (7, .unsigned(Self.algorithm)),
            (8, .unsigned(Self.algorithm)),
            (9, .octets(publicKey)),
            (10, .list(extensions.map(\.element))),
            (11, .octets(signature)))
        return value.encoded()
    }

    private static func octets(
        _ value: TLVValue, _ tag: UInt8, counts: ClosedRange<Int>
    ) throws(CertificateError) -> [UInt8] {
        guard let octets = value[tag]?.octets, counts.contains(octets.count) else {
            throw CertificateError(.wrongValue, path: [tag])
        }
        return octets
    }

    private static func time(_ value: TLVValue, _ tag: UInt8) throws(CertificateError) -> EpochSeconds {
        guard let number = value[tag]?.unsigned, let seconds = UInt32(exactly: number) else {
            throw CertificateError(.wrongValue, path: [tag])
        }
        return EpochSeconds(rawValue: Int64(seconds))
    }

    private static func extensions(_ list: TLVValue) throws(CertificateError) -> [CertificateExtension] {
        guard case .list(let members) = list else { throw CertificateError(.wrongValue, path: [10]) }
        var extensions: [CertificateExtension] = []
        for member in members {
            guard case .context(let tag) = member.tag else { throw CertificateError(.unexpectedMember, path: [10]) }
            guard let decoded = CertificateExtension(tag: tag, tlv: member.value) else {
                throw CertificateError(.wrongValue, path: [10, tag])
            }
            if case .future = decoded {
                extensions.append(decoded)
            } else if extensions.contains(where: { $0.tag == tag }) {
                throw CertificateError(.unexpectedMember, path: [10, tag])
            } else {
                extensions.append(decoded)
            }
        }
        return extensions
    }
}
