/// Identifier octets of DER, and functions that make elements (X.690).
package enum DER {
    /// BOOLEAN.
    package static let boolean: UInt8 = 0x01
    /// INTEGER.
    package static let integer: UInt8 = 0x02
    /// BIT STRING.
    package static let bitString: UInt8 = 0x03
    /// OCTET STRING.
    package static let octetString: UInt8 = 0x04
    /// OBJECT IDENTIFIER.
    package static let objectIdentifier: UInt8 = 0x06
    /// UTF8String.
    package static let utf8String: UInt8 = 0x0C
    /// PrintableString.
    package static let printableString: UInt8 = 0x13
    /// IA5String.
    package static let ia5String: UInt8 = 0x16
    /// UTCTime.
    package static let utcTime: UInt8 = 0x17
    /// GeneralizedTime.
    package static let generalizedTime: UInt8 = 0x18
    /// SEQUENCE and SEQUENCE OF.
    package static let sequence: UInt8 = 0x30
    /// SET and SET OF.
    package static let set: UInt8 = 0x31
    /// A constructed context-specific tag, `[number]`.
    package static func constructedContext(_ number: UInt8) -> UInt8 { 0xA0 | number }
    /// A primitive context-specific tag, `[number]`.
    package static func primitiveContext(_ number: UInt8) -> UInt8 { 0x80 | number }

    /// An element with this identifier octet and content.
    package static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        var bytes = [tag]
        bytes.reserveCapacity(content.count + 5)
        if content.count < 0x80 {
            bytes.append(UInt8(content.count))
        } else {
            let width = (Int.bitWidth - content.count.leadingZeroBitCount + 7) / 8
            bytes.append(0x80 | UInt8(width))
            for index in (0..<width).reversed() {
                bytes.append(UInt8(truncatingIfNeeded: content.count >> (8 * index)))
            }
        }
        return bytes + content
    }

    /// A SEQUENCE of elements that are encoded already.
    package static func sequence(_ elements: [UInt8]...) -> [UInt8] { element(sequence, Array(elements.joined())) }

    /// An INTEGER of a non-negative big-endian magnitude.
    package static func unsignedInteger(_ magnitude: some Collection<UInt8>) -> [UInt8] {
        let digits = magnitude.drop { $0 == 0 }
        let needsZero = digits.first.map { $0 >= 0x80 } ?? true
        return element(integer, (needsZero ? [0] : []) + Array(digits))
    }

    /// A BIT STRING of whole octets.
    package static func bits(_ octets: [UInt8]) -> [UInt8] { element(bitString, [0] + octets) }

    /// ecdsa-with-SHA256, 1.2.840.10045.4.3.2, as an AlgorithmIdentifier without parameters (RFC 5758 §3.2).
    package static let ecdsaWithSHA256 = sequence(ecdsaWithSHA256Identifier)
    /// The same with a NULL for parameters: against RFC 5758, but requests of devices with mbed TLS have it.
    package static let ecdsaWithSHA256AndNull = sequence(ecdsaWithSHA256Identifier, [0x05, 0x00])
    private static let ecdsaWithSHA256Identifier = element(
        objectIdentifier, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02])
    /// id-ecPublicKey with prime256v1, as an AlgorithmIdentifier.
    package static let p256Algorithm = sequence(
        element(objectIdentifier, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]),
        element(objectIdentifier, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]))

    /// A SubjectPublicKeyInfo with an uncompressed P-256 point.
    package static func subjectPublicKeyInfo(_ key: P256PublicKey) -> [UInt8] {
        sequence(p256Algorithm, bits(key.bytes))
    }
}
