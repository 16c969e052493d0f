public import MatterWire

/// The network interface that the node says it has.
public struct NetworkInterfaceDescription: Hashable, Sendable {
    /// The interface's name, at most 32 bytes.
    public var name: String
    /// 6 or 8 bytes.
    public var hardwareAddress: [UInt8]
    /// Addresses of 4 bytes, at most 4 are shown.
    public var ipv4: [[UInt8]]
    /// Addresses of 16 bytes, at most 8 are shown.
    public var ipv6: [[UInt8]]

    /// Makes a description.
    public init(name: String, hardwareAddress: [UInt8], ipv4: [[UInt8]] = [], ipv6: [[UInt8]] = []) {
        self.name = name
        self.hardwareAddress = hardwareAddress
        self.ipv4 = ipv4
        self.ipv6 = ipv6
    }
}

/// What a virtual node is: all that does not change while it lives.
public struct NodeConfiguration: Sendable {
    /// Must equal the vendor in the attestation credentials.
    public var vendorID: VendorID
    /// At most 32 bytes.
    public var vendorName: String
    /// Must be one that the certification declaration names.
    public var productID: ProductID
    /// At most 32 bytes.
    public var productName: String
    /// At most 32 bytes.
    public var serialNumber: String
    /// At most 32 bytes; different for every node, and not the serial number.
    public var uniqueID: String
    /// The hardware's version.
    public var hardwareVersion: UInt16 = 1
    /// 1 … 64 bytes.
    public var hardwareVersionString = "1"
    /// The software's version.
    public var softwareVersion: UInt32 = 1
    /// 1 … 64 bytes.
    public var softwareVersionString = "1"
    /// The printed discriminator, 12 bits.
    public var discriminator: UInt16
    /// The verifier of the printed passcode.
    public var pake: PAKEParameters
    /// The interface of the diagnostics and network clusters.
    public var network: NetworkInterfaceDescription
    /// The endpoints besides 0.
    public var endpoints: [EndpointComposition]
    /// How many fabrics fit, 5 … 254.
    public var supportedFabrics: UInt8 = 16
    /// Longest time from the first ArmFailSafe to the end, in seconds.
    public var maximumFailSafe: UInt16 = 900

    /// Describes a node.
    public init(
        vendorID: VendorID, vendorName: String, productID: ProductID, productName: String, serialNumber: String,
        uniqueID: String, discriminator: UInt16, pake: PAKEParameters, network: NetworkInterfaceDescription,
        endpoints: [EndpointComposition]
    ) {
        self.vendorID = vendorID
        self.vendorName = vendorName
        self.productID = productID
        self.productName = productName
        self.serialNumber = serialNumber
        self.uniqueID = uniqueID
        self.discriminator = discriminator
        self.pake = pake
        self.network = network
        self.endpoints = endpoints
    }
}

extension NodeConfiguration {
    /// Fail-safe that a commissioner should ask for, in seconds; also what PASE arms by itself.
    static let recommendedFailSafe: UInt16 = 60

    /// Endpoint 0 (Core §9.2, root node device type) as the tables describe it.
    var root: EndpointComposition {
        EndpointComposition(
            .root, deviceTypes: [DeviceTypeEntry(.rootNode, revision: 3)],
            clusters: [
                basicInformation,
                ClusterComposition(
                    .accessControl,
                    values: [
                        0x0002: .uint(UInt16(AccessControlEntry.maximumSubjects)),
                        0x0003: .uint(UInt16(AccessControlEntry.maximumTargets)),
                        0x0004: .uint(UInt16(AccessControlEntry.maximumEntries)),
                    ]),
                generalCommissioning, networkCommissioning, generalDiagnostics,
                ClusterComposition(.administratorCommissioning, features: 1),
                ClusterComposition(.operationalCredentials, values: [0x0002: .uint(supportedFabrics)]),
                ClusterComposition(
                    .groupKeyManagement,
                    values: [
                        0x0002: .uint(UInt16(GroupMembership.maximumGroups)),
                        0x0003: .uint(UInt16(GroupKeySet.maximumSets)),
                    ]),
            ])
    }

    /// Data model revision 18 and specification 1.4.1, as the tables are. The configuration never changes: version 1.
    private var basicInformation: ClusterComposition {
        ClusterComposition(
            .basicInformation, optionalAttributes: [0x000F, 0x0011],
            values: [
                0x0000: .uint(18 as UInt16), 0x0001: .utf8(vendorName), 0x0002: .uint(vendorID.rawValue),
                0x0003: .utf8(productName), 0x0004: .uint(productID.rawValue), 0x0005: .utf8(""),
                0x0006: .utf8("XX"), 0x0007: .uint(hardwareVersion), 0x0008: .utf8(hardwareVersionString),
                0x0009: .uint(softwareVersion), 0x000A: .utf8(softwareVersionString), 0x000F: .utf8(serialNumber),
                0x0011: .bool(true), 0x0012: .utf8(uniqueID),
                0x0013: .members((0, .uint(3 as UInt16)), (1, .uint(3 as UInt16))),
                0x0015: .uint(0x0104_0100 as UInt32), 0x0016: .uint(1 as UInt16), 0x0018: .uint(1 as UInt32),
            ])
    }

    private var generalCommissioning: ClusterComposition {
        ClusterComposition(
            .generalCommissioning,
            values: [
                0x0000: .uint(0 as UInt64),
                0x0001: .members((0, .uint(Self.recommendedFailSafe)), (1, .uint(maximumFailSafe))),
                0x0002: .uint(2 as UInt8), 0x0003: .uint(2 as UInt8), 0x0004: .bool(true),
            ])
    }

    private var networkCommissioning: ClusterComposition {
        ClusterComposition(
            .networkCommissioning, features: 4,
            values: [
                0x0000: .uint(1 as UInt8),
                0x0001: .array([
                    .members((0, .octets(Array(network.name.utf8.prefix(32)))), (1, .bool(true)))
                ]),
                0x0004: .bool(true), 0x0005: .null, 0x0006: .null, 0x0007: .null,
            ])
    }

    private var generalDiagnostics: ClusterComposition {
        let interface = TLVValue.members(
            (0, .utf8(network.name)), (1, .bool(true)), (2, .null), (3, .null), (4, .octets(network.hardwareAddress)),
            (5, .array(network.ipv4.prefix(4).map { .octets($0) })),
            (6, .array(network.ipv6.prefix(8).map { .octets($0) })), (7, .uint(2 as UInt8)))
        return ClusterComposition(
            .generalDiagnostics, optionalAttributes: [0x0004],
            values: [
                0x0000: .array([interface]), 0x0001: .uint(0 as UInt16), 0x0004: .uint(1 as UInt8),
                0x0008: .bool(false),
            ])
    }
}
