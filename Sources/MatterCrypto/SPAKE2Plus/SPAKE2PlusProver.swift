/// The side that knows the passcode: the commissioner (Core §3.10).
public struct SPAKE2PlusProver: Sendable {
    private let w0: SecretBytes
    private let w1: SecretBytes
    private let x: SecretBytes
    /// pA, to send in Pake1. 65 bytes.
    public let share: [UInt8]

    /// Stretches the passcode and draws the ephemeral scalar. Costs `3 · iterations` hashes.
    ///
    /// - Parameters:
    ///   - salt: 16 … 32 bytes, from the device.
    ///   - iterations: 1000 … 100,000, from the device.
    /// - Throws: `invalidArgument` when the device's parameters are outside these ranges.
    public init(
        passcode: UInt32, salt: [UInt8], iterations: Int, secrets: any SecretSource
    ) throws(CryptoError) {
        try self.init(passcode: passcode, salt: salt, iterations: iterations, isStrict: true, secrets: secrets)
    }

    /// The same, also for parameters that PASE does not allow: to examine devices that break the rule.
    package init(
        passcode: UInt32, salt: [UInt8], iterations: Int, isStrict: Bool, secrets: any SecretSource
    ) throws(CryptoError) {
        var scalars = try PAKEScalars(passcode: passcode, salt: salt, iterations: iterations, isStrict: isStrict)
        var x = try P256Curve.randomScalar(using: secrets)
        defer {
            scalars.wipe()
            x.wipe()
        }
        try self.init(w0: scalars.w0, w1: scalars.w1, x: x)
    }

    /// Takes all scalars, 32 bytes big-endian each; for test vectors.
    package init(w0: [UInt8], w1: [UInt8], x: [UInt8]) throws(CryptoError) {
        self.w0 = SecretBytes(w0)
        self.w1 = SecretBytes(w1)
        self.x = SecretBytes(x)
        share = try SPAKE2Plus.share(scalar: x, w0: w0, blind: SPAKE2Plus.m)
    }

    /// Computes the confirmations and the shared key from the device's share.
    ///
    /// - Parameters:
    ///   - context: the SHA-256 over the fixed prefix and both PBKDF messages, 32 bytes.
    ///   - peerShare: pB from Pake2.
    /// - Throws: `invalidKey` when pB is not a point of the curve, or makes a degenerate secret.
    public func finish(context: [UInt8], peerShare: [UInt8]) throws(CryptoError) -> SPAKE2PlusResult {
        try finish(context: context, peerShare: peerShare, identities: .init())
    }

    func finish(
        context: [UInt8], peerShare: [UInt8], identities: SPAKE2Plus.Identities
    ) throws(CryptoError) -> SPAKE2PlusResult {
        let w0 = w0.copy
        let unblinded = try SPAKE2Plus.unblind(peerShare, w0: w0, blind: SPAKE2Plus.n)
        let z = try unblinded.multiplied(by: BigNumber(bytes: x.copy)).bytes()
        let v = try unblinded.multiplied(by: BigNumber(bytes: w1.copy)).bytes()
        let secrets = try SPAKE2Plus.secrets(
            context: context, identities: identities, x: share, y: peerShare, z: z, v: v, w0: w0)
        return SPAKE2PlusResult(
            confirmation: secrets.proverConfirmation, peerConfirmation: secrets.verifierConfirmation,
            sharedKey: secrets.sharedKey)
    }
}
