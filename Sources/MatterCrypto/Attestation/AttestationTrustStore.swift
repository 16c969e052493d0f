/// Whom attestation trusts: product attestation authorities and the signers of certification declarations.
///
/// A new store trusts the alliance's declaration keys and no authority. Trust in our own test authority and in the
/// public test material is added by name, never by default.
public struct AttestationTrustStore: Sendable {
    /// A key that may sign certification declarations.
    public struct DeclarationSigner: Hashable, Sendable {
        /// Which declarations the key may sign.
        public enum Scope: Hashable, Sendable {
            /// Those of every type: a key of the alliance.
            case official
            /// Those for development and test only: the alliance's published test key.
            case test
            /// As `test`, and only for devices of the authority with this key identifier.
            case testUnder(authorityKeyID: [UInt8])
        }
        /// The key.
        public let publicKey: P256PublicKey
        /// Which declarations it may sign.
        public let scope: Scope
        /// Makes a signer from its parts.
        public init(publicKey: P256PublicKey, scope: Scope) {
            self.publicKey = publicKey
            self.scope = scope
        }
    }

    /// A certificate that is no longer good, by its issuer's key identifier and its serial number (Core §6.2.4).
    public struct Revocation: Hashable, Sendable {
        /// The key identifier of the certificate's issuer, 20 bytes.
        public let issuerKeyID: [UInt8]
        /// The serial number, big-endian without leading zeros.
        public let serialNumber: [UInt8]
        /// Makes a revocation from its parts.
        public init(issuerKeyID: [UInt8], serialNumber: [UInt8]) {
            self.issuerKeyID = issuerKeyID
            self.serialNumber = serialNumber
        }
    }

    private var authorities: [[UInt8]: AttestationCertificate] = [:]
    private var signers: [[UInt8]: DeclarationSigner] = [:]
    /// Certificates that are refused although their chain is good; empty unless the caller loads a list.
    public var revocations: Set<Revocation> = []

    /// A store that trusts the alliance's declaration keys 001–005 and no authority.
    public init() throws(CryptoError) {
        for hex in DeclarationKeys.official { try add(signer: [UInt8](constantHex: hex), scope: .official) }
    }

    /// What a hub trusts when the user says nothing: the alliance's declaration keys and our own test authority.
    ///
    /// Devices of our own authority carry declarations signed with the alliance's published test key. That key is
    /// trusted for them and for no others: an unknown device gains nothing by it.
    public static func standard() throws(CryptoError) -> AttestationTrustStore {
        var store = try AttestationTrustStore()
        try store.trustOwnTestAuthority()
        return store
    }

    // MARK: - Authorities

    /// Trusts an authority; one with the same key identifier is replaced.
    ///
    /// - Parameter der: a PAA certificate.
    /// - Returns: its subject key identifier, 20 bytes.
    /// - Throws: ``AttestationError`` when the bytes are no certificate, break the format rules of a PAA or are not self-signed.
    @discardableResult
    public mutating func add(authority der: [UInt8]) throws(AttestationError) -> [UInt8] {
        let certificate = try AttestationCertificate(der: der)
        let violations = certificate.authorityViolations()
        guard violations.isEmpty, let keyID = certificate.subjectKeyID else {
            throw AttestationError(code: .invalid, reason: violations.joined(separator: "; "))
        }
        authorities[keyID] = certificate
        return keyID
    }

    /// The trusted authority with this key identifier.
    public func authority(keyID: [UInt8]) -> AttestationCertificate? { authorities[keyID] }
    /// The key identifiers of all trusted authorities, in no order.
    public var authorityKeyIDs: [[UInt8]] { Array(authorities.keys) }

    // MARK: - Declaration signers

    /// Trusts a key for certification declarations; its key identifier names it.
    ///
    /// - Parameter publicKey: 65 bytes, uncompressed.
    public mutating func add(signer publicKey: [UInt8], scope: DeclarationSigner.Scope) throws(CryptoError) {
        let key = try P256PublicKey(bytes: publicKey)
        signers[try key.keyIdentifier()] = DeclarationSigner(publicKey: key, scope: scope)
    }

    /// Trusts a declaration signer whose certificate the alliance's declaration root signed.
    ///
    /// - Parameter der: an X.509 certificate issued by "Matter Certification and Testing CA".
    /// - Throws: ``AttestationError`` when it is no certificate, or not signed by that root.
    public mutating func add(signerCertificate der: [UInt8]) throws(AttestationError) {
        let certificate = try AttestationCertificate(der: der)
        let root = try AttestationCertificate(der: [UInt8](constantHex: DeclarationKeys.rootCertificate))
        do throws(CryptoError) {
            guard let key = certificate.publicKey, try certificate.isSigned(by: root) else {
                throw CryptoError(.authenticationFailed, "not signed by the alliance's root for declaration signers")
            }
            try add(signer: key.bytes, scope: .official)
        } catch {
            throw AttestationError(code: .invalid, reason: error.reason)
        }
    }

    /// The trusted signer with this key identifier.
    public func signer(keyID: [UInt8]) -> DeclarationSigner? { signers[keyID] }

    // MARK: - Test material

    /// Trusts our own test authority, and the alliance's test key for declarations of its devices.
    public mutating func trustOwnTestAuthority() throws(CryptoError) {
        let certificate = [UInt8](constantHex: TestAttestationAuthority.certificateHex)
        let keyID: [UInt8]
        do throws(AttestationError) {
            keyID = try add(authority: certificate)
        } catch {
            throw CryptoError(.malformed, "our own authority: \(error.reason)")
        }
        let test = [UInt8](constantHex: DeclarationKeys.test)
        let name = try P256PublicKey(bytes: test).keyIdentifier()
        if signers[name] == nil { try add(signer: test, scope: .testUnder(authorityKeyID: keyID)) }
    }

    /// Trusts the public test material of the CHIP SDK: its test authorities, and the alliance's test key for
    /// declarations. Anyone can make devices that this accepts.
    public mutating func trustPublicTestMaterial() throws(CryptoError) {
        for hex in PublicTestMaterial.authorities.map(\.certificate) {
            do throws(AttestationError) {
                try add(authority: [UInt8](constantHex: hex))
            } catch {
                throw CryptoError(.malformed, "a public test authority: \(error.reason)")
            }
        }
        try add(signer: [UInt8](constantHex: DeclarationKeys.test), scope: .test)
    }
}

extension [UInt8] {
    /// The bytes of a constant in this package's source, two hexadecimal digits each.
    init(constantHex hex: String) {
        let digits = hex.utf8.map { digit -> UInt8 in
            switch digit {
            case 0x30...0x39: return digit - 0x30
            case 0x61...0x66: return digit - 0x61 + 10
            default: preconditionFailure("a constant with a character that is no lower-case hexadecimal digit")
            }
        }
        precondition(digits.count.isMultiple(of: 2), "a constant with half a byte")
        self = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
