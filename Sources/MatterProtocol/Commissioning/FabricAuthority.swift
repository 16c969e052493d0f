public import MatterCrypto
public import MatterWire

/// The authority of a real fabric: its root signs, and a trust store judges attestation.
public struct FabricAuthority: CommissioningAuthority {
    private let root: CertificateAuthority
    private let fabricID: FabricID
    private let verifier: AttestationVerifier
    private let notBefore: EpochSeconds
    private let usedKeys: Set<P256PublicKey>
    private let secrets: any SecretSource

    /// Makes an authority.
    ///
    /// - Parameters:
    ///   - notBefore: of the certificates: the fabric's birth or earlier, since devices without a clock refuse a
    ///     certificate that begins after their own idea of now.
    ///   - usedKeys: keys that no device may claim: the fabric's own, and those of its other nodes.
    public init(
        root: CertificateAuthority, fabricID: FabricID, trust: AttestationTrustStore, notBefore: EpochSeconds,
        usedKeys: Set<P256PublicKey> = [], secrets: any SecretSource
    ) {
        self.root = root
        self.fabricID = fabricID
        verifier = AttestationVerifier(trust: trust)
        self.notBefore = notBefore
        self.usedKeys = usedKeys.union([root.signer.publicKey])
        self.secrets = secrets
    }

    /// 32 bytes of the secret source.
    public func nonce() throws(CryptoError) -> [UInt8] { try secrets.bytes(32) }

    /// Judges by the trust store.
    public func judge(_ evidence: AttestationEvidence) -> AttestationVerdict { verifier.verify(evidence) }

    /// Checks nonce, device signature, request signature and that the key is new.
    public func check(_ request: CSREvidence) throws(CSRProblem) -> P256PublicKey {
        let elements: NOCSRElements
        do {
            elements = try NOCSRElements(decoding: request.elements)
        } catch {
            throw CSRProblem("the certificate request's elements do not decode: \(error.reason)")
        }
        guard elements.nonce == request.nonce else {
            throw CSRProblem("the certificate request answers another nonce than ours")
        }
        if let dac = request.dac { try checkSignature(request, dac: dac) }
        let key: P256PublicKey
        do {
            key = try CertificateSigningRequest.publicKey(of: elements.csr)
        } catch {
            throw CSRProblem("the certificate request is not valid: \(error.reason)")
        }
        guard !usedKeys.contains(key) else {
            throw CSRProblem("the certificate request is for a key that another node of this fabric has")
        }
        return key
    }

    /// Signs directly with the root; the certificate has no end.
    public func issue(_ key: P256PublicKey, nodeID: NodeID) throws(CryptoError) -> IssuedCertificates {
        let noc = try root.issueNOC(
            publicKey: key, nodeID: nodeID, fabricID: fabricID, notBefore: notBefore, secrets: secrets)
        return IssuedCertificates(noc: noc.encoded())
    }

    private func checkSignature(_ request: CSREvidence, dac: [UInt8]) throws(CSRProblem) {
        let certificate: AttestationCertificate
        do {
            certificate = try AttestationCertificate(der: dac)
        } catch {
            throw CSRProblem("the device attestation certificate does not decode: \(error.reason)")
        }
        guard let key = certificate.publicKey else {
            throw CSRProblem("the device attestation certificate has no P-256 key")
        }
        let isSigned: Bool
        do {
            isSigned = try key.verify(signature: request.signature, message: request.elements + request.challenge)
        } catch {
            throw CSRProblem("the certificate request's signature cannot be checked: \(error.reason)")
        }
        guard isSigned else {
            throw CSRProblem("the certificate request was not signed with the device attestation key for this session")
        }
    }
}
