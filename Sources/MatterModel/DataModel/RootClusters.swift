import MatterWire

/// The clusters of the root endpoint as data: ids, types, access and conformance of Matter 1.4.1.
///
/// Features that this package does not serve (managed access restrictions, terms and conditions) are left out.
/// BasicInformation is that of 1.4.2: controllers of that level want its ConfigurationVersion.
extension ClusterDefinition {
    static let rootClusters: [ClusterDefinition] = [
        descriptor, accessControl, basicInformation, generalCommissioning, networkCommissioning, generalDiagnostics,
        administratorCommissioning, operationalCredentials, groupKeyManagement,
    ]

    static let descriptor = ClusterDefinition(
        .descriptor, "Descriptor", revision: 2,
        attributes: [
            .init(0x0000, "deviceTypeList", .list(.structure, max: 254)),
            .init(0x0001, "serverList", .list(.uint32, max: 254)),
            .init(0x0002, "clientList", .list(.uint32, max: 254)),
            .init(0x0003, "partsList", .list(.uint16, max: 254)),
            .init(0x0004, "tagList", .list(.structure, max: 254), .feature(1)),
        ])

    static let accessControl = ClusterDefinition(
        .accessControl, "AccessControl", revision: 2,
        attributes: [
            .init(
                0x0000, "acl", .list(.structure, max: 254), read: .administer, write: .administer,
                qualities: [.fabricScoped, .fabricSensitive]),
            .init(0x0002, "subjectsPerAccessControlEntry", .uint16),
            .init(0x0003, "targetsPerAccessControlEntry", .uint16),
            .init(0x0004, "accessControlEntriesPerFabric", .uint16),
        ])

    static let basicInformation = ClusterDefinition(
        .basicInformation, "BasicInformation", revision: 5,
        attributes: [
            .init(0x0000, "dataModelRevision", .uint16),
            .init(0x0001, "vendorName", .string(max: 32)),
            .init(0x0002, "vendorID", .uint16),
            .init(0x0003, "productName", .string(max: 32)),
            .init(0x0004, "productID", .uint16),
            .init(0x0005, "nodeLabel", .string(max: 32), write: .manage, qualities: [.nonVolatile]),
            .init(0x0006, "location", .string(2...2), write: .administer, qualities: [.nonVolatile]),
            .init(0x0007, "hardwareVersion", .uint16),
            .init(0x0008, "hardwareVersionString", .string(max: 64)),
            .init(0x0009, "softwareVersion", .uint32),
            .init(0x000A, "softwareVersionString", .string(max: 64)),
            .init(0x000B, "manufacturingDate", .string(max: 16), .optional),
            .init(0x000C, "partNumber", .string(max: 32), .optional),
            .init(0x000D, "productURL", .string(max: 256), .optional),
            .init(0x000E, "productLabel", .string(max: 64), .optional),
            .init(0x000F, "serialNumber", .string(max: 32), .optional),
            .init(0x0010, "localConfigDisabled", .bool, .optional, write: .manage, qualities: [.nonVolatile]),
            .init(0x0011, "reachable", .bool, .optional),
            .init(0x0012, "uniqueID", .string(max: 32)),
            .init(0x0013, "capabilityMinima", .structure),
            .init(0x0014, "productAppearance", .structure, .optional),
            .init(0x0015, "specificationVersion", .uint32),
            .init(0x0016, "maxPathsPerInvoke", .uint16),
            .init(0x0018, "configurationVersion", .unsigned(1...0xFFFF_FFFF)),
        ],
        events: [.init(0x00, "StartUp", .critical)])

    static let generalCommissioning = ClusterDefinition(
        .generalCommissioning, "GeneralCommissioning", revision: 2,
        attributes: [
            .init(0x0000, "breadcrumb", .uint64, write: .administer),
            .init(0x0001, "basicCommissioningInfo", .structure),
            .init(0x0002, "regulatoryConfig", .unsigned(0...2)),
            .init(0x0003, "locationCapability", .unsigned(0...2)),
            .init(0x0004, "supportsConcurrentConnection", .bool),
        ],
        commands: [
            .init(0x00, "ArmFailSafe", response: 0x01, invoke: .administer),
            .init(0x02, "SetRegulatoryConfig", response: 0x03, invoke: .administer),
            .init(0x04, "CommissioningComplete", response: 0x05, invoke: .administer, fabricScoped: true),
        ])

    static let networkCommissioning = ClusterDefinition(
        .networkCommissioning, "NetworkCommissioning", revision: 2,
        attributes: [
            .init(0x0000, "maxNetworks", .uint8, read: .administer),
            .init(0x0001, "networks", .list(.structure, max: 254), read: .administer),
            .init(0x0002, "scanMaxTimeSeconds", .uint8, .feature(3)),
            .init(0x0003, "connectMaxTimeSeconds", .uint8, .feature(3)),
            .init(0x0004, "interfaceEnabled", .bool, write: .administer, qualities: [.nonVolatile]),
            .init(0x0005, "lastNetworkingStatus", .unsigned(0...12), read: .administer, qualities: [.nullable]),
            .init(0x0006, "lastNetworkID", .octets(max: 32), read: .administer, qualities: [.nullable]),
            .init(0x0007, "lastConnectErrorValue", .int32, read: .administer, qualities: [.nullable]),
            .init(0x0008, "supportedWiFiBands", .list(.unsigned(0...5), max: 254), .feature(1)),
            .init(0x0009, "supportedThreadFeatures", .uint8, .feature(2)),
            .init(0x000A, "threadVersion", .uint16, .feature(2)),
        ],
        commands: [
            .init(0x00, "ScanNetworks", response: 0x01, .feature(3), invoke: .administer),
            .init(0x02, "AddOrUpdateWiFiNetwork", response: 0x05, .feature(1), invoke: .administer),
            .init(0x03, "AddOrUpdateThreadNetwork", response: 0x05, .feature(2), invoke: .administer),
            .init(0x04, "RemoveNetwork", response: 0x05, .feature(3), invoke: .administer),
            .init(0x06, "ConnectNetwork", response: 0x07, .feature(3), invoke: .administer),
            .init(0x08, "ReorderNetwork", response: 0x05, .feature(3), invoke: .administer),
        ])

    static let generalDiagnostics = ClusterDefinition(
        .generalDiagnostics, "GeneralDiagnostics", revision: 2,
        attributes: [
            .init(0x0000, "networkInterfaces", .list(.structure, max: 254)),
            .init(0x0001, "rebootCount", .uint16, qualities: [.nonVolatile]),
            .init(0x0002, "upTime", .uint64, qualities: [.changesOmitted]),
            .init(0x0003, "totalOperationalHours", .uint32, .optional, qualities: [.nonVolatile, .changesOmitted]),
            .init(0x0004, "bootReason", .unsigned(0...6), .optional),
            .init(0x0005, "activeHardwareFaults", .list(.unsigned(0...10), max: 254), .optional),
            .init(0x0006, "activeRadioFaults", .list(.unsigned(0...6), max: 254), .optional),
            .init(0x0007, "activeNetworkFaults", .list(.unsigned(0...3), max: 254), .optional),
            .init(0x0008, "testEventTriggersEnabled", .bool),
        ],
        commands: [
            .init(0x00, "TestEventTrigger", invoke: .manage),
            .init(0x01, "TimeSnapshot", response: 0x02),
        ],
        events: [.init(0x03, "BootReason", .critical)])

    static let administratorCommissioning = ClusterDefinition(
        .administratorCommissioning, "AdministratorCommissioning", revision: 1,
        attributes: [
            .init(0x0000, "windowStatus", .unsigned(0...2)),
            .init(0x0001, "adminFabricIndex", .uint8, qualities: [.nullable]),
            .init(0x0002, "adminVendorId", .uint16, qualities: [.nullable]),
        ],
        commands: [
            .init(0x00, "OpenCommissioningWindow", invoke: .administer, timed: true),
            .init(0x01, "OpenBasicCommissioningWindow", .feature(1), invoke: .administer, timed: true),
            .init(0x02, "RevokeCommissioning", invoke: .administer, timed: true),
        ])

    static let operationalCredentials = ClusterDefinition(
        .operationalCredentials, "OperationalCredentials", revision: 1,
        attributes: [
            .init(
                0x0000, "NOCs", .list(.structure, max: 254), read: .administer,
                qualities: [.nonVolatile, .changesOmitted, .fabricScoped]),
            .init(0x0001, "fabrics", .list(.structure, max: 254), qualities: [.nonVolatile, .fabricScoped]),
            .init(0x0002, "supportedFabrics", .uint8),
            .init(0x0003, "commissionedFabrics", .uint8, qualities: [.nonVolatile]),
            .init(
                0x0004, "trustedRootCertificates", .list(.octets(max: 400), max: 254),
                qualities: [.nonVolatile, .changesOmitted]),
            .init(0x0005, "currentFabricIndex", .uint8),
        ],
        commands: [
            .init(0x00, "AttestationRequest", response: 0x01, invoke: .administer),
            .init(0x02, "CertificateChainRequest", response: 0x03, invoke: .administer),
            .init(0x04, "CSRRequest", response: 0x05, invoke: .administer),
            .init(0x06, "AddNOC", response: 0x08, invoke: .administer),
            .init(0x07, "UpdateNOC", response: 0x08, invoke: .administer, fabricScoped: true),
            .init(0x09, "UpdateFabricLabel", response: 0x08, invoke: .administer, fabricScoped: true),
            .init(0x0A, "RemoveFabric", response: 0x08, invoke: .administer),
            .init(0x0B, "AddTrustedRootCertificate", invoke: .administer),
        ])

    static let groupKeyManagement = ClusterDefinition(
        .groupKeyManagement, "GroupKeyManagement", revision: 1,
        attributes: [
            .init(
                0x0000, "groupKeyMap", .list(.structure, max: 254), write: .manage,
                qualities: [.nonVolatile, .fabricScoped]),
            .init(0x0001, "groupTable", .list(.structure, max: 254), qualities: [.fabricScoped]),
            .init(0x0002, "maxGroupsPerFabric", .uint16),
            .init(0x0003, "maxGroupKeysPerFabric", .uint16),
        ],
        commands: [
            .init(0x00, "KeySetWrite", invoke: .administer, fabricScoped: true),
            .init(0x01, "KeySetRead", response: 0x02, invoke: .administer, fabricScoped: true),
            .init(0x03, "KeySetRemove", invoke: .administer, fabricScoped: true),
            .init(0x04, "KeySetReadAllIndices", response: 0x05, invoke: .administer, fabricScoped: true),
        ])
}
