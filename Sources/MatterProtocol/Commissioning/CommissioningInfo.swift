public import MatterWire

/// What a commissioner reads of a device before it changes anything.
///
/// Every part may be missing: devices differ, and only what a later step needs is missed there.
public struct CommissioningInfo: Hashable, Sendable {
    /// BasicInformation's VendorID.
    public var vendorID: VendorID?
    /// BasicInformation's ProductID.
    public var productID: ProductID?
    /// How far an earlier commissioner came; 0 when none failed.
    public var breadcrumb: UInt64 = 0
    /// The fail-safe that the device recommends, seconds.
    public var failSafeSeconds: UInt16?
    /// How long a fail-safe may be kept by extending it, seconds.
    public var maximumFailSafeSeconds: UInt16 = 900
    /// Where the device says it is used.
    public var location: RegulatoryLocation?
    /// Where the device can be used.
    public var locationCapability: RegulatoryLocation?
    /// Features of the root endpoint's NetworkCommissioning: 1 Wi-Fi, 2 Thread, 4 Ethernet.
    public var networkFeatures: UInt32?
    /// The root endpoint has a TimeSynchronization cluster.
    public var hasTime = false
    /// The fabrics that the device is on.
    public var fabrics: [FabricDescriptor] = []
    /// How many fabrics the device takes.
    public var supportedFabrics: UInt8?

    /// Nothing known yet.
    public init() {}

    /// The paths of one read each: few in each, since devices need to serve only ``InteractionLimits/pathsPerRead``.
    static let reads: [[AttributePath]] = [
        [
            .root(.generalCommissioning, 0), .root(.generalCommissioning, 1), .root(.generalCommissioning, 2),
            .root(.generalCommissioning, 3), .root(.basicInformation, 2), .root(.basicInformation, 4),
        ],
        [
            .root(.networkCommissioning, AttributeID.featureMap.rawValue),
            .root(.timeSynchronization, AttributeID.featureMap.rawValue), .root(.operationalCredentials, 1),
            .root(.operationalCredentials, 2),
        ],
    ]

    /// Takes what a read brought.
    ///
    /// - Throws: ``TLVError`` when a value that is there has another type; the path names the member of a structure.
    mutating func add(_ result: ReadResult) throws(TLVError) {
        func number<T: FixedWidthInteger & UnsignedInteger>(
            _ cluster: ClusterID, _ attribute: UInt32, as: T.Type = T.self
        ) throws(TLVError) -> T? {
            guard let value = result[root: cluster, AttributeID(rawValue: attribute)] else { return nil }
            guard let number = value.unsigned, let narrow = T(exactly: number) else {
                throw TLVError(code: .wrongType)
            }
            return narrow
        }
        vendorID = try number(.basicInformation, 2).map(VendorID.init(rawValue:)) ?? vendorID
        productID = try number(.basicInformation, 4).map(ProductID.init(rawValue:)) ?? productID
        breadcrumb = try number(.generalCommissioning, 0) ?? breadcrumb
        location = try number(.generalCommissioning, 2).flatMap(RegulatoryLocation.init(rawValue:)) ?? location
        locationCapability =
            try number(.generalCommissioning, 3).flatMap(RegulatoryLocation.init(rawValue:)) ?? locationCapability
        if let limits = result[root: .generalCommissioning, AttributeID(rawValue: 1)] {
            failSafeSeconds = try limits.optionalInteger(0)
            maximumFailSafeSeconds = try limits.optionalInteger(1) ?? maximumFailSafeSeconds
        }
        networkFeatures = try number(.networkCommissioning, AttributeID.featureMap.rawValue) ?? networkFeatures
        hasTime = try number(.timeSynchronization, AttributeID.featureMap.rawValue, as: UInt32.self) != nil || hasTime
        supportedFabrics = try number(.operationalCredentials, 2) ?? supportedFabrics
        if let list = result[root: .operationalCredentials, AttributeID(rawValue: 1)] {
            fabrics = try Self.fabrics(list)
        }
    }

    /// Reads the Fabrics attribute.
    static func fabrics(_ list: TLVValue) throws(TLVError) -> [FabricDescriptor] {
        guard let entries = list.array else { throw TLVError(code: .wrongType) }
        var fabrics: [FabricDescriptor] = []
        for entry in entries { fabrics.append(try FabricDescriptor(value: entry)) }
        return fabrics
    }

    /// Whether the device's only network is a cable: it has no radio that a regulator cares for.
    var isWiredOnly: Bool { networkFeatures == 4 }
}

extension AttributePath {
    /// An attribute of the root endpoint.
    static func root(_ cluster: ClusterID, _ attribute: UInt32) -> AttributePath {
        AttributePath(endpoint: .root, cluster: cluster, attribute: AttributeID(rawValue: attribute))
    }
}
