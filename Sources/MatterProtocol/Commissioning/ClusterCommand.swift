public import MatterWire

/// A command to the root endpoint with its fields: what a commissioner or administrator sends.
public struct ClusterCommand: Hashable, Sendable {
    /// The command's name, for messages and transcripts.
    public var name: String
    /// Where it goes.
    public var path: CommandPath
    /// A structure.
    public var fields: TLVValue
    /// The response command; `nil` when success is a status.
    public var response: CommandID?
    /// It needs a timed interaction.
    public var isTimed: Bool

    /// Makes a command to the root endpoint.
    ///
    /// - Parameter response: the response command's number; `nil` when success is a status.
    public init(
        _ name: String, _ cluster: ClusterID, _ command: UInt32, _ fields: TLVValue = .structure([]),
        response: UInt32? = nil, isTimed: Bool = false
    ) {
        self.name = name
        path = CommandPath(endpoint: .root, cluster: cluster, command: CommandID(rawValue: command))
        self.fields = fields
        self.response = response.map(CommandID.init(rawValue:))
        self.isTimed = isTimed
    }

    // MARK: - General Commissioning (0x30)

    /// Arms, extends or (with 0 seconds) ends the fail-safe.
    public static func armFailSafe(seconds: UInt16, breadcrumb: UInt64) -> ClusterCommand {
        .init(
            "ArmFailSafe", .generalCommissioning, 0x00, .members((0, .uint(seconds)), (1, .uint(breadcrumb))),
            response: 0x01)
    }

    /// Tells the device where it is used.
    ///
    /// - Parameter country: two letters, "XX" when unknown.
    public static func setRegulatoryConfig(
        _ location: RegulatoryLocation, country: String, breadcrumb: UInt64
    ) -> ClusterCommand {
        .init(
            "SetRegulatoryConfig", .generalCommissioning, 0x02,
            .members((0, .uint(location.rawValue)), (1, .utf8(country)), (2, .uint(breadcrumb))), response: 0x03)
    }

    /// Ends commissioning well; only over CASE.
    public static let commissioningComplete = ClusterCommand(
        "CommissioningComplete", .generalCommissioning, 0x04, response: 0x05)

    // MARK: - Time Synchronization (0x38)

    /// Sets the device's clock to whole seconds.
    public static func setUTCTime(_ time: EpochSeconds) -> ClusterCommand {
        let microseconds = UInt64(clamping: time.rawValue) &* 1_000_000
        return .init(
            "SetUTCTime", .timeSynchronization, 0x00, .members((0, .uint(microseconds)), (1, .uint(2 as UInt8))))
    }

    // MARK: - Operational Credentials (0x3E)

    /// Asks the device to sign our nonce with its attestation key.
    public static func attestationRequest(nonce: [UInt8]) -> ClusterCommand {
        .init(
            "AttestationRequest", .operationalCredentials, 0x00, .members((0, .octets(nonce))), response: 0x01)
    }

    /// Asks for the product attestation intermediate.
    public static let paiRequest = certificateChainRequest(2)
    /// Asks for the device attestation certificate.
    public static let dacRequest = certificateChainRequest(1)

    private static func certificateChainRequest(_ type: UInt8) -> ClusterCommand {
        .init(
            "CertificateChainRequest", .operationalCredentials, 0x02, .members((0, .uint(type))), response: 0x03)
    }

    /// Asks for a key and a certificate request for it.
    public static func csrRequest(nonce: [UInt8]) -> ClusterCommand {
        .init("CSRRequest", .operationalCredentials, 0x04, .members((0, .octets(nonce))), response: 0x05)
    }

    /// Gives the device its certificate and so adds a fabric.
    ///
    /// - Parameters:
    ///   - ipk: the epoch key, 16 bytes, not the operational key that CASE derives from it.
    ///   - adminSubject: who administers: a node id or a tag's subject.
    public static func addNOC(
        noc: [UInt8], icac: [UInt8]?, ipk: [UInt8], adminSubject: UInt64, adminVendor: VendorID
    ) -> ClusterCommand {
        .init(
            "AddNOC", .operationalCredentials, 0x06,
            .members(
                (0, .octets(noc)), (1, icac.map(TLVValue.octets)), (2, .octets(ipk)), (3, .uint(adminSubject)),
                (4, .uint(adminVendor.rawValue))), response: 0x08)
    }

    /// Names the accessing fabric.
    ///
    /// - Parameter label: at most 32 bytes.
    public static func updateFabricLabel(_ label: String) -> ClusterCommand {
        .init("UpdateFabricLabel", .operationalCredentials, 0x09, .members((0, .utf8(label))), response: 0x08)
    }

    /// Removes a fabric and everything of it.
    public static func removeFabric(_ index: FabricIndex) -> ClusterCommand {
        .init(
            "RemoveFabric", .operationalCredentials, 0x0A, .members((0, .uint(index.rawValue))), response: 0x08)
    }

    /// Gives the device a root to trust.
    public static func addTrustedRoot(_ certificate: [UInt8]) -> ClusterCommand {
        .init(
            "AddTrustedRootCertificate", .operationalCredentials, 0x0B, .members((0, .octets(certificate))))
    }

    // MARK: - Administrator Commissioning (0x3C)

    /// Opens a commissioning window with a passcode of our own.
    ///
    /// - Parameters:
    ///   - seconds: 180 … 900.
    ///   - verifier: 97 bytes.
    ///   - salt: 16 … 32 bytes.
    public static func openCommissioningWindow(
        seconds: UInt16, verifier: [UInt8], discriminator: UInt16, iterations: UInt32, salt: [UInt8]
    ) -> ClusterCommand {
        .init(
            "OpenCommissioningWindow", .administratorCommissioning, 0x00,
            .members(
                (0, .uint(seconds)), (1, .octets(verifier)), (2, .uint(discriminator)), (3, .uint(iterations)),
                (4, .octets(salt))), isTimed: true)
    }

    /// Closes the commissioning window.
    public static let revokeCommissioning = ClusterCommand(
        "RevokeCommissioning", .administratorCommissioning, 0x02, isTimed: true)
}

/// Where a device is used, for its radios (General Commissioning, RegulatoryLocationTypeEnum).
public enum RegulatoryLocation: UInt8, Hashable, Sendable {
    /// Inside only.
    case indoor = 0
    /// Outside only.
    case outdoor = 1
    /// Both.
    case indoorOutdoor = 2
}
