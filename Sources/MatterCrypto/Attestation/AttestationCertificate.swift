public import MatterWire

/// An X.509 certificate of the device attestation chain: PAA, PAI or DAC (Core §6.2.2), as read, not yet judged.
///
/// Reading refuses what is no X.509 certificate at all; what Matter asks of each role is checked by
/// ``formatViolations(as:)``, so that one verdict can name every fault.
public struct AttestationCertificate: Hashable, Sendable {
    /// A place in the attestation chain.
    public enum Role: Hashable, Sendable {
        /// Product Attestation Authority: the root.
        case paa
        /// Product Attestation Intermediate.
        case pai
        /// Device Attestation Certificate.
        case dac
    }

    /// One extension, unopened.
    struct Extension: Hashable, Sendable {
        let identifier: [UInt8]
        let isCritical: Bool
        /// The content of the extension's OCTET STRING.
        let value: [UInt8]
    }

    /// What the basic constraints extension says.
    struct BasicConstraints: Hashable, Sendable {
        let isCA: Bool
        let pathLength: Int?
    }

    /// The whole certificate.
    public let der: [UInt8]
    /// 3 for X.509 v3, the only version that Matter takes.
    public let version: Int
    /// The serial number, big-endian without leading zeros.
    public let serialNumber: [UInt8]
    /// Whom the certificate names.
    public let subject: AttestationName
    /// Who signed it.
    public let issuer: AttestationName
    /// First second of validity.
    public let notBefore: EpochSeconds
    /// Last second of validity.
    public let notAfter: EpochSeconds
    /// The certified key; `nil` when it is not an uncompressed point of P-256.
    public let publicKey: P256PublicKey?
    /// Whether the signature is ECDSA with SHA-256, and both places that say so agree.
    let isSignedWithECDSAAndSHA256: Bool
    /// The extensions in their order.
    let extensions: [Extension]
    /// The signed part, whole.
    let signedPart: [UInt8]
    /// The content of the signature's bit string.
    let signature: [UInt8]

    /// Bytes that a DAC or a PAI may have at most (Core §6.1.3).
    public static let maximumSize = 600
    /// Bytes of a PAA that are looked at: authorities are loaded by the user, and some are larger.
    public static let maximumAuthoritySize = 4096

    /// What ``notAfter`` is in a certificate without an end: 9999-12-31T23:59:59Z (RFC 5280 §4.1.2.5).
    public static let neverExpires = EpochSeconds(unixSeconds: 253_402_300_799)

    /// Whether `issuer` signed this certificate with ECDSA and SHA-256.
    ///
    /// Names, roles and validity are not looked at.
    public func isSigned(by issuer: AttestationCertificate) throws(CryptoError) -> Bool {
        guard isSignedWithECDSAAndSHA256, let key = issuer.publicKey else { return false }
        return try key.verify(derSignature: signature, message: signedPart)
    }

    /// Whether the certificate is valid at `time`; both ends belong to the validity.
    public func isValid(at time: EpochSeconds) -> Bool { notBefore <= time && time <= notAfter }
}

// MARK: - Extensions

extension AttestationCertificate {
    /// The subject key identifier; `nil` when absent or malformed.
    public var subjectKeyID: [UInt8]? {
        guard let value = only(ObjectIdentifier.subjectKeyIdentifier)?.value else { return nil }
        return Self.read(value) { reader throws(CryptoError) in Array(try reader.element(DER.octetString).content) }
    }

    /// The authority key identifier's key identifier; `nil` when absent or malformed.
    public var authorityKeyID: [UInt8]? {
        guard let value = only(ObjectIdentifier.authorityKeyIdentifier)?.value else { return nil }
        return Self.read(value) { reader throws(CryptoError) in
            var fields = try reader.contents(DER.sequence)
            let keyID = Array(try fields.element(DER.primitiveContext(0)).content)
            // The issuer's name and serial number may follow; Matter has no use for them.
            while !fields.isAtEnd { _ = try fields.element() }
            return keyID
        }
    }

    /// What the basic constraints say; `nil` when absent or malformed.
    var basicConstraints: BasicConstraints? {
        guard let value = only(ObjectIdentifier.basicConstraints)?.value else { return nil }
        return Self.read(value) { reader throws(CryptoError) in
            var fields = try reader.contents(DER.sequence)
            var isCA = false
            if fields.nextTag == DER.boolean { isCA = try fields.boolean() }
            var pathLength: Int?
            if !fields.isAtEnd {
                let digits = try fields.unsignedInteger()
                guard digits.count == 1, let digit = digits.first else {
                    throw CryptoError(.malformed, "path length")
                }
                pathLength = Int(digit)
            }
            try fields.end()
            return BasicConstraints(isCA: isCA, pathLength: pathLength)
        }
    }

    /// The key usage bits, bit 0 (digitalSignature) first; `nil` when absent or malformed.
    var keyUsage: Set<Int>? {
        guard let value = only(ObjectIdentifier.keyUsage)?.value else { return nil }
        return Self.read(value) { reader throws(CryptoError) in
            let content = try reader.element(DER.bitString).content
            guard let unused = content.first, unused < 8, content.count > 1 || unused == 0 else {
                throw CryptoError(.malformed, "DER: bit string")
            }
            var bits: Set<Int> = []
            for (index, byte) in content.dropFirst().enumerated() {
                for bit in 0..<8 where byte & (0x80 >> UInt8(bit)) != 0 { bits.insert(8 * index + bit) }
            }
            return bits
        }
    }

    /// The extension with this identifier when there is exactly one.
    func only(_ identifier: [UInt8]) -> Extension? {
        let found = extensions.filter { $0.identifier == identifier }
        return found.count == 1 ? found[0] : nil
    }

    /// Reads all of `value`; `nil` when it is malformed, which the format rules then report.
    private static func read<Value>(
        _ value: [UInt8], _ body: (inout DERReader) throws(CryptoError) -> Value
    ) -> Value? {
        do throws(CryptoError) {
            var reader = DERReader(value[...])
            let result = try body(&reader)
            try reader.end()
            return result
        } catch {
            return nil
        }
    }
}

extension DERReader {
    /// Reads a BOOLEAN in either of its two DER forms.
    mutating func boolean() throws(CryptoError) -> Bool {
        switch Array(try element(DER.boolean).content) {
        case [0x00]: return false
        case [0xFF]: return true
        default: throw CryptoError(.malformed, "DER: a boolean that is neither 00 nor FF")
        }
    }
}

/// The contents of the object identifiers that attestation uses.
enum ObjectIdentifier {
    /// pkcs7-signedData, 1.2.840.113549.1.7.2
    static let signedData: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
    /// pkcs7-data, 1.2.840.113549.1.7.1
    static let data: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01]
    /// 2.16.840.1.101.3.4.2.1
    static let sha256: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01]
    /// 2.5.4.3
    static let commonName: [UInt8] = [0x55, 0x04, 0x03]
    /// 1.3.6.1.4.1.37244.2.1, the vendor id in a subject (Core §6.1.1)
    static let vendorID: [UInt8] = [0x2B, 0x06, 0x01, 0x04, 0x01, 0x82, 0xA2, 0x7C, 0x02, 0x01]
    /// 1.3.6.1.4.1.37244.2.2, the product id in a subject (Core §6.1.1)
    static let productID: [UInt8] = [0x2B, 0x06, 0x01, 0x04, 0x01, 0x82, 0xA2, 0x7C, 0x02, 0x02]
    /// 2.5.29.14
    static let subjectKeyIdentifier: [UInt8] = [0x55, 0x1D, 0x0E]
    /// 2.5.29.15
    static let keyUsage: [UInt8] = [0x55, 0x1D, 0x0F]
    /// 2.5.29.19
    static let basicConstraints: [UInt8] = [0x55, 0x1D, 0x13]
    /// 2.5.29.35
    static let authorityKeyIdentifier: [UInt8] = [0x55, 0x1D, 0x23]
    /// Extensions that Matter allows or that add no condition of their own: they may be critical (Core §6.2.2.3–5).
    static let understoodExtensions: [[UInt8]] = [
        subjectKeyIdentifier, keyUsage, basicConstraints, authorityKeyIdentifier,
        [0x55, 0x1D, 0x25],  // extended key usage, 2.5.29.37
    ]
}
