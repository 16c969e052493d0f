/// The two forms of a P-256 signature: raw (r then s, 64 bytes), as Matter's own structures carry it, and DER, as X.509 does.
public enum ECDSASignature {
    /// Bytes of the raw form.
    public static let rawCount = 64

    /// Returns the DER form of 64 raw bytes.
    public static func der(raw: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard raw.count == rawCount else {
            throw CryptoError(.malformed, "a raw signature is 64 bytes, not \(raw.count)")
        }
        return DER.sequence(DER.unsignedInteger(raw[..<32]), DER.unsignedInteger(raw[32...]))
    }

    /// Returns the 64 raw bytes of a strict DER signature.
    ///
    /// - Throws: `malformed` for other encodings, negative or too long integers, and trailing bytes.
    public static func raw(der: [UInt8]) throws(CryptoError) -> [UInt8] {
        var outer = DERReader(der[...])
        var inner = try outer.contents(DER.sequence)
        try outer.end()
        let r = try inner.unsignedInteger()
        let s = try inner.unsignedInteger()
        try inner.end()
        guard r.count <= 32, s.count <= 32 else { throw CryptoError(.malformed, "signature integer over 32 bytes") }
        return padded(r) + padded(s)
    }

    private static func padded(_ magnitude: ArraySlice<UInt8>) -> [UInt8] {
        [UInt8](repeating: 0, count: 32 - magnitude.count) + magnitude
    }
}
