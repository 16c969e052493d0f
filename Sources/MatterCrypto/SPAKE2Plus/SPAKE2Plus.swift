/// What both sides of SPAKE2+ have after the shares are exchanged.
///
/// Nothing in it may be used before ``confirms(_:)`` was true for the peer's confirmation.
public struct SPAKE2PlusResult: Sendable {
    /// The confirmation to send: cA of a prover, cB of a verifier. 32 bytes.
    public let confirmation: [UInt8]
    /// The confirmation that the peer must send. 32 bytes.
    public let peerConfirmation: [UInt8]
    /// Ke, from which the session keys are made. 16 bytes.
    public let sharedKey: [UInt8]

    /// Whether the peer's confirmation proves that it knows the same passcode; compares in constant time.
    public func confirms(_ received: [UInt8]) -> Bool { ConstantTime.equal(received, peerConfirmation) }
}

extension SPAKE2PlusResult: CustomStringConvertible {
    /// The type's name alone, so that no log holds the secret.
    public var description: String { "SPAKE2PlusResult" }
}

/// The parts of SPAKE2+ on P-256 with SHA-256, HKDF and HMAC that both roles share (draft-bar-cfrg-spake2plus-02, Core §3.10).
///
/// The final RFC 9383 derives the confirmation keys differently; Matter keeps to the draft.
enum SPAKE2Plus {
    /// The constant M of P-256, uncompressed.
    static let m: [UInt8] = [
        0x04, 0x88, 0x6E, 0x2F, 0x97, 0xAC, 0xE4, 0x6E, 0x55, 0xBA, 0x9D, 0xD7, 0x24, 0x25, 0x79, 0xF2, 0x99, 0x3B,
        0x64, 0xE1, 0x6E, 0xF3, 0xDC, 0xAB, 0x95, 0xAF, 0xD4, 0x97, 0x33, 0x3D, 0x8F, 0xA1, 0x2F, 0x5F, 0xF3, 0x55,
        0x16, 0x3E, 0x43, 0xCE, 0x22, 0x4E, 0x0B, 0x0E, 0x65, 0xFF, 0x02, 0xAC, 0x8E, 0x5C, 0x7B, 0xE0, 0x94, 0x19,
        0xC7, 0x85, 0xE0, 0xCA, 0x54, 0x7D, 0x55, 0xA1, 0x2E, 0x2D, 0x20,
    ]
    /// The constant N of P-256, uncompressed.
    static let n: [UInt8] = [
        0x04, 0xD8, 0xBB, 0xD6, 0xC6, 0x39, 0xC6, 0x29, 0x37, 0xB0, 0x4D, 0x99, 0x7F, 0x38, 0xC3, 0x77, 0x07, 0x19,
        0xC6, 0x29, 0xD7, 0x01, 0x4D, 0x49, 0xA2, 0x4B, 0x4F, 0x98, 0xBA, 0xA1, 0x29, 0x2B, 0x49, 0x07, 0xD6, 0x0A,
        0xA6, 0xBF, 0xAD, 0xE4, 0x50, 0x08, 0xA6, 0x36, 0x33, 0x7F, 0x51, 0x68, 0xC6, 0x4D, 0x9B, 0xD3, 0x60, 0x34,
        0x80, 0x8C, 0xD5, 0x64, 0x49, 0x0B, 0x1E, 0x65, 0x6E, 0xDB, 0xE7,
    ]

    /// Names that the draft puts into the transcript; Matter leaves both empty, and empty names still count.
    struct Identities: Sendable {
        var prover: [UInt8] = []
        var verifier: [UInt8] = []
    }

    /// scalar · G + w0 · blind, where `blind` is M for the prover and N for the verifier.
    static func share(scalar: [UInt8], w0: [UInt8], blind: [UInt8]) throws(CryptoError) -> [UInt8] {
        let ephemeral = try P256Curve.multiplyGenerator(BigNumber(bytes: scalar))
        let mask = try CurvePoint.decode(blind).multiplied(by: BigNumber(bytes: w0))
        return try ephemeral.adding(mask).bytes()
    }

    /// The peer's share without its blinding: share − w0 · blind.
    static func unblind(_ share: [UInt8], w0: [UInt8], blind: [UInt8]) throws(CryptoError) -> CurvePoint {
        let mask = try CurvePoint.decode(blind).multiplied(by: BigNumber(bytes: w0))
        return try CurvePoint.decode(share).subtracting(mask)
    }

    struct Secrets {
        let proverConfirmation: [UInt8]
        let verifierConfirmation: [UInt8]
        let sharedKey: [UInt8]
    }

    /// Hashes the transcript and makes the confirmations of both sides and the shared key.
    static func secrets(
        context: [UInt8], identities: Identities, x: [UInt8], y: [UInt8], z: [UInt8], v: [UInt8], w0: [UInt8]
    ) throws(CryptoError) -> Secrets {
        var transcript: [UInt8] = []
        for part in [context, identities.prover, identities.verifier, m, n, x, y, z, v, w0] {
            for shift in stride(from: 0, to: 64, by: 8) {
                transcript.append(UInt8(truncatingIfNeeded: part.count >> shift))
            }
            transcript += part
        }
        var keys = try Hash.sha256(transcript)
        var confirmationKeys = try KeyDerivation.hkdf(
            ikm: Array(keys[..<16]), salt: [], info: "ConfirmationKeys", count: 32)
        defer {
            transcript.wipe()
            keys.wipe()
            confirmationKeys.wipe()
        }
        return Secrets(
            proverConfirmation: try HMAC.sha256(key: Array(confirmationKeys[..<16]), message: y),
            verifierConfirmation: try HMAC.sha256(key: Array(confirmationKeys[16...]), message: x),
            sharedKey: Array(keys[16...]))
    }
}
