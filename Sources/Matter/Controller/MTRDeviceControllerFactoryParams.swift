/// What a controller factory works with.
public final class MTRDeviceControllerFactoryParams: NSObject {
    /// Where fabrics are kept.
    public let storage: any MTRStorage
    /// Product attestation authorities that are trusted besides our own test authority, DER.
    public var productAttestationAuthorityCertificates: [Data]?
    /// Certificates of signers of certification declarations that are trusted besides the alliance's, DER.
    public var certificationDeclarationCertificates: [Data]?
    /// The UDP port of the first controller; `nil` for any.
    public var port: NSNumber?

    /// Makes parameters with everything else left to the machine.
    public init(storage: any MTRStorage) { self.storage = storage }
}
