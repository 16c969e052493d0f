import MatterCrypto

/// A key pair on P-256 that signs for the controller; its private key stays with the app.
///
/// One of the two signing methods must be there. Called from any thread.
public protocol MTRKeypair: NSObjectProtocol {
    /// The public key.
    func copyPublicKey() -> SecKey
    /// Signs the SHA-256 of a message; returns r then s, 64 bytes. Anything else makes the operation fail.
    func signMessageECDSA_RAW(_ message: Data) -> Data
    /// Signs the SHA-256 of a message; returns the signature in DER.
    func signMessageECDSA_DER(_ message: Data) -> Data
}

extension MTRKeypair {
    /// Not there: the other method is asked.
    public func signMessageECDSA_RAW(_ message: Data) -> Data { Data() }
    /// Not there.
    public func signMessageECDSA_DER(_ message: Data) -> Data { Data() }
}

/// A public key on P-256.
///
/// The type that Apple's Security framework has of this name, as far as ``MTRKeypair`` needs it: there is no such
/// framework on Linux, and a key of swift-crypto becomes one by `SecKey(x963Representation:)`.
public final class SecKey: Hashable, Sendable {
    let key: P256PublicKey

    /// - Parameter x963Representation: 65 bytes: 4, then x and y; anything else gives `nil`.
    public init?(x963Representation: some ContiguousBytes) {
        let bytes = x963Representation.withUnsafeBytes { [UInt8]($0) }
        do {
            key = try P256PublicKey(bytes: bytes)
        } catch {
            return nil
        }
    }

    /// The point: 65 bytes: 4, then x and y.
    public var x963Representation: Data { Data(key.bytes) }

    /// Whether two keys are the same point.
    public static func == (lhs: SecKey, rhs: SecKey) -> Bool { lhs.key == rhs.key }
    /// Hashes the point.
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

/// Signs certificates with an app's key pair.
// Sendable: the protocol lets its methods be called from any thread.
struct KeypairSigner: CertificateSigner, @unchecked Sendable {
    let publicKey: P256PublicKey
    private let keypair: any MTRKeypair

    init(_ keypair: any MTRKeypair) {
        self.keypair = keypair
        publicKey = keypair.copyPublicKey().key
    }

    func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
        let raw = [UInt8](keypair.signMessageECDSA_RAW(Data(message)))
        let signature =
            raw.isEmpty ? try ECDSASignature.raw(der: [UInt8](keypair.signMessageECDSA_DER(Data(message)))) : raw
        guard signature.count == 64, try publicKey.verify(signature: signature, message: message) else {
            throw CryptoError(.authenticationFailed, "the app's key pair does not sign with its own key")
        }
        return signature
    }
}
