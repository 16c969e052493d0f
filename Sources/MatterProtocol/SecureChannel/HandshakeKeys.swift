import MatterCrypto

/// The three keys that every handshake ends in (Core §4.14.1.3, §4.14.2.6).
struct SessionKeys: Hashable, Sendable {
    let initiatorToResponder: [UInt8]
    let responderToInitiator: [UInt8]
    let attestationChallenge: [UInt8]

    /// - Parameter salt: empty in PASE.
    init(secret: [UInt8], salt: [UInt8], info: String = "SessionKeys") throws(CryptoError) {
        let keys = try KeyDerivation.hkdf(ikm: secret, salt: salt, info: info, count: 48)
        initiatorToResponder = Array(keys[..<16])
        responderToInitiator = Array(keys[16..<32])
        attestationChallenge = Array(keys[32...])
    }
}

/// What both sides of PASE derive (Core §4.14.1.2).
enum PASETranscript {
    /// The SHA-256 over the fixed prefix and the payloads of both PBKDF messages, exactly as they were sent.
    static func context(request: [UInt8], response: [UInt8]) throws(CryptoError) -> [UInt8] {
        try Hash.sha256(Array("CHIP PAKE V1 Commissioning".utf8) + request + response)
    }
}

/// What both sides of CASE derive (Core §4.14.2.6). All messages are raw payloads.
enum CASEKeys {
    static let sigma2Nonce = Array("NCASE_Sigma2N".utf8)
    static let sigma3Nonce = Array("NCASE_Sigma3N".utf8)

    /// S2K, 16 bytes.
    static func sigma2(
        secret: [UInt8], ipk: [UInt8], responderRandom: [UInt8], responderKey: [UInt8], sigma1: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        let salt = ipk + responderRandom + responderKey + (try Hash.sha256(sigma1))
        return try KeyDerivation.hkdf(ikm: secret, salt: salt, info: "Sigma2", count: 16)
    }

    /// S3K, 16 bytes.
    static func sigma3(
        secret: [UInt8], ipk: [UInt8], sigma1: [UInt8], sigma2: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        let salt = ipk + (try Hash.sha256(sigma1 + sigma2))
        return try KeyDerivation.hkdf(ikm: secret, salt: salt, info: "Sigma3", count: 16)
    }

    /// The session's keys.
    static func session(
        secret: [UInt8], ipk: [UInt8], sigma1: [UInt8], sigma2: [UInt8], sigma3: [UInt8]
    ) throws(CryptoError) -> SessionKeys {
        try SessionKeys(secret: secret, salt: ipk + (try Hash.sha256(sigma1 + sigma2 + sigma3)))
    }
}
