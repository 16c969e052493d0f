/// The side that has a verifier in place of the passcode: the device (Core §3.10).
public struct SPAKE2PlusVerifier: Sendable {
    private let verifier: PAKEVerifier
    private let y: SecretBytes
    /// pB, to send in Pake2. 65 bytes.
    public let share: [UInt8]

    /// Draws the ephemeral scalar.
    public init(verifier: PAKEVerifier, secrets: any SecretSource) throws(CryptoError) {
        var y = try P256Curve.randomScalar(using: secrets)
        defer { y.wipe() }
        try self.init(verifier: verifier, y: y)
    }

    /// Takes the ephemeral scalar, 32 bytes big-endian; for test vectors.
    package init(verifier: PAKEVerifier, y: [UInt8]) throws(CryptoError) {
        self.verifier = verifier
        self.y = SecretBytes(y)
        share = try SPAKE2Plus.share(scalar: y, w0: verifier.w0, blind: SPAKE2Plus.n)
    }

    /// Computes the confirmations and the shared key from the commissioner's share.
    ///
    /// - Parameters:
    ///   - context: the SHA-256 over the fixed prefix and both PBKDF messages, 32 bytes.
    ///   - peerShare: pA from Pake1.
    /// - Throws: `invalidKey` when pA is not a point of the curve, or makes a degenerate secret.
    public func finish(context: [UInt8], peerShare: [UInt8]) throws(CryptoError) -> SPAKE2PlusResult {
        try finish(context: context, peerShare: peerShare, identities: .init())
    }

    func finish(
        context: [UInt8], peerShare: [UInt8], identities: SPAKE2Plus.Identities
    ) throws(CryptoError) -> SPAKE2PlusResult {
        let scalar = y.copy
        let unblinded = try SPAKE2Plus.unblind(peerShare, w0: verifier.w0, blind: SPAKE2Plus.m)
        let z = try unblinded.multiplied(by: BigNumber(bytes: scalar)).bytes()
        let v = try CurvePoint.decode(verifier.l).multiplied(by: BigNumber(bytes: scalar)).bytes()
        let secrets = try SPAKE2Plus.secrets(
            context: context, identities: identities, x: peerShare, y: share, z: z, v: v, w0: verifier.w0)
        return SPAKE2PlusResult(
            confirmation: secrets.verifierConfirmation, peerConfirmation: secrets.proverConfirmation,
            sharedKey: secrets.sharedKey)
    }
}
