public import MatterWire

/// One attestation case: a device's material without the device, in the form in which test vectors are published.
public struct AttestationCase: Sendable {
    /// What the case is called.
    public var name: String
    /// The device attestation certificate, DER.
    public var dac: [UInt8]
    /// The product attestation intermediate, DER.
    public var pai: [UInt8]
    /// The certification declaration, CMS.
    public var certificationDeclaration: [UInt8]
    /// The private key of the DAC, 32 bytes: the runner answers in the device's place.
    public var dacPrivateKey: [UInt8]
    /// BasicInformation's VendorID.
    public var vendorID: VendorID
    /// BasicInformation's ProductID; `nil` means the DAC's.
    public var productID: ProductID?

    /// Makes a case.
    public init(
        name: String, dac: [UInt8], pai: [UInt8], certificationDeclaration: [UInt8], dacPrivateKey: [UInt8],
        vendorID: VendorID = VendorID(rawValue: 0xFFF1), productID: ProductID? = nil
    ) {
        self.name = name
        self.dac = dac
        self.pai = pai
        self.certificationDeclaration = certificationDeclaration
        self.dacPrivateKey = dacPrivateKey
        self.vendorID = vendorID
        self.productID = productID
    }
}

/// Judges attestation cases: makes elements around the case's declaration, signs them with its key, verifies all of it.
public struct AttestationCaseRunner: Sendable {
    private let verifier: AttestationVerifier
    private let secrets: any SecretSource
    private let now: EpochSeconds

    /// - Parameters:
    ///   - trust: whom to trust.
    ///   - secrets: where nonces and challenges come from.
    ///   - now: wall-clock time.
    public init(trust: AttestationTrustStore, secrets: any SecretSource, now: EpochSeconds) {
        verifier = AttestationVerifier(trust: trust)
        self.secrets = secrets
        self.now = now
    }

    /// The verdict on one case.
    ///
    /// - Throws: ``CryptoError`` when the case's private key is none, or the source of secrets fails.
    public func verdict(on item: AttestationCase) throws(CryptoError) -> AttestationVerdict {
        let key = try P256PrivateKey(rawValue: item.dacPrivateKey)
        let nonce = try secrets.bytes(32)
        let challenge = try secrets.bytes(16)
        let elements = AttestationElements(
            certificationDeclaration: item.certificationDeclaration, nonce: nonce
        ).encoded()
        return verifier.verify(
            AttestationEvidence(
                dac: item.dac, pai: item.pai, elements: elements, signature: try key.sign(elements + challenge),
                challenge: challenge, nonce: nonce, vendorID: item.vendorID,
                productID: item.productID ?? Self.productID(inDAC: item.dac), now: now))
    }

    /// The DAC's product id; 0 for a DAC without one, which breaks a rule of its own.
    private static func productID(inDAC der: [UInt8]) -> ProductID {
        do throws(AttestationError) {
            return try AttestationCertificate(der: der).subjectIDs().productID ?? ProductID(rawValue: 0)
        } catch {
            return ProductID(rawValue: 0)
        }
    }
}
