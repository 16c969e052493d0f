/// What a device keeps in place of its passcode: w0 and the point L = w1 · G (Core §3.10).
///
/// Still a secret: whoever has it can play the device, though not the commissioner.
public struct PAKEVerifier: Hashable, Sendable {
    /// Bytes of the serialized form.
    public static let serializedCount = 97
    /// The salt lengths that PASE allows, in bytes (Core §3.9).
    public static let saltCounts = 16...32
    /// The PBKDF2 iterations that PASE allows (Core §3.9).
    public static let iterationCounts = 1000...100_000

    /// The first scalar: 32 bytes, big-endian, leading zeros kept.
    public let w0: [UInt8]
    /// The point w1 · G: 65 bytes, uncompressed.
    public let l: [UInt8]

    /// Takes w0 (32 bytes) followed by L (65 bytes).
    ///
    /// - Throws: `malformed` for another length, `invalidKey` when w0 is out of range or L is not on the curve.
    public init(serialized: [UInt8]) throws(CryptoError) {
        guard serialized.count == Self.serializedCount else {
            throw CryptoError(.malformed, "a PAKE verifier is 97 bytes, not \(serialized.count)")
        }
        w0 = Array(serialized[..<32])
        l = Array(serialized[32...])
        guard P256Curve.isScalar(w0) else { throw CryptoError(.invalidKey, "w0 is out of range") }
        _ = try CurvePoint.decode(l)
    }

    private init(w0: [UInt8], l: [UInt8]) {
        self.w0 = w0
        self.l = l
    }

    /// w0 followed by L, 97 bytes, as OpenCommissioningWindow carries it.
    public var serialized: [UInt8] { w0 + l }

    /// Computes the verifier of a passcode. Costs `3 · iterations` hashes (tens of milliseconds at the upper limit).
    ///
    /// - Parameters:
    ///   - salt: 16 … 32 bytes.
    ///   - iterations: 1000 … 100,000.
    public static func compute(
        passcode: UInt32, salt: [UInt8], iterations: Int
    ) throws(CryptoError) -> PAKEVerifier {
        try compute(passcode: passcode, salt: salt, iterations: iterations, isStrict: true)
    }

    /// The same, also for parameters that PASE does not allow: to play devices that break the rule.
    package static func compute(
        passcode: UInt32, salt: [UInt8], iterations: Int, isStrict: Bool
    ) throws(CryptoError) -> PAKEVerifier {
        var scalars = try PAKEScalars(passcode: passcode, salt: salt, iterations: iterations, isStrict: isStrict)
        defer { scalars.wipe() }
        return PAKEVerifier(
            w0: scalars.w0, l: try P256Curve.multiplyGenerator(BigNumber(bytes: scalars.w1)).bytes())
    }
}

extension PAKEVerifier: CustomStringConvertible {
    /// The type's name alone, so that no log holds the secret.
    public var description: String { "PAKEVerifier" }
}

/// The two scalars that a passcode stands for (Core §3.10).
struct PAKEScalars {
    private(set) var w0: [UInt8]
    private(set) var w1: [UInt8]

    init(passcode: UInt32, salt: [UInt8], iterations: Int, isStrict: Bool = true) throws(CryptoError) {
        guard
            !isStrict
                || PAKEVerifier.saltCounts.contains(salt.count) && PAKEVerifier.iterationCounts.contains(iterations)
        else {
            throw CryptoError(
                .invalidArgument, "PASE does not allow a salt of \(salt.count) bytes with \(iterations) iterations")
        }
        let password = (0..<4).map { UInt8(truncatingIfNeeded: passcode >> (8 * UInt32($0))) }
        var stretched = try KeyDerivation.pbkdf2(
            password: password, salt: salt, iterations: iterations, count: 80)
        defer { stretched.wipe() }
        w0 = try P256Curve.reduce(Array(stretched[..<40]))
        w1 = try P256Curve.reduce(Array(stretched[40...]))
        guard P256Curve.isScalar(w0), P256Curve.isScalar(w1) else {
            throw CryptoError(.invalidKey, "the passcode gives a zero scalar")
        }
    }

    mutating func wipe() {
        w0.wipe()
        w1.wipe()
    }
}
