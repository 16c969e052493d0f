import MatterProtocol
import MatterWire

/// What a commissioner reads before it changes anything.
extension DeviceSuite {
    static let informationCases: [DeviceCase] = [
        DeviceCase(
            "info.basic", "Basic Information has its mandatory attributes, and names what the code names",
            ["info.basic"],
            meaning:
                "A commissioner shows these to its user and compares vendor and product with the code and with attestation. Compare the device's attribute list with the cluster's."
        ) { bench in
            let session = try await bench.openPASE()
            let result = try await bench.read(.basicInformation, BasicInformationForm.attributes, on: session)
            let faults = BasicInformationForm.faults(in: result)
            try expect(faults.isEmpty, "every mandatory attribute, in its form", seen: faults.joined(separator: "; "))
            if let vendor = bench.order.payload.statedVendorID {
                let told = result[root: .basicInformation, AttributeID(rawValue: 2)]?.unsigned
                try expect(
                    told == UInt64(vendor.rawValue), "VendorID \(vendor.rawValue), as in the code",
                    seen: told.map { String($0) } ?? "nothing")
            }
            if let product = bench.order.payload.statedProductID {
                let told = result[root: .basicInformation, AttributeID(rawValue: 4)]?.unsigned
                try expect(
                    told == UInt64(product.rawValue), "ProductID \(product.rawValue), as in the code",
                    seen: told.map { String($0) } ?? "nothing")
            }
        },
        DeviceCase(
            "info.general-commissioning", "General Commissioning has its mandatory attributes, in range",
            ["info.commissioning"],
            meaning:
                "Commissioners take the fail-safe's length and the regulatory setting from here. Compare with Core §11.10.6."
        ) { bench in
            let session = try await bench.openPASE()
            let result = try await bench.read(.generalCommissioning, [0, 1, 2, 3, 4], on: session)
            func value(_ attribute: UInt32) -> TLVValue? {
                result[root: .generalCommissioning, AttributeID(rawValue: attribute)]
            }
            try expect(value(0)?.unsigned != nil, "Breadcrumb, a number", seen: value(0).described)
            let (expiry, most) = (value(1)?[0]?.unsigned, value(1)?[1]?.unsigned)
            guard let expiry, let most else {
                throw ConformanceFailure(
                    expected:
                        "BasicCommissioningInfo with FailSafeExpiryLengthSeconds and MaxCumulativeFailsafeSeconds",
                    seen: value(1).described)
            }
            try expect(
                (1...65_535).contains(expiry) && (expiry...65_535).contains(most),
                "a fail-safe of at least 1 s and a cumulative limit not below it", seen: "\(expiry) s and \(most) s")
            try expect(
                value(2)?.unsigned.map { $0 <= 2 } ?? false, "RegulatoryConfig, 0 to 2", seen: value(2).described)
            try expect(
                value(3)?.unsigned.map { $0 <= 2 } ?? false, "LocationCapability, 0 to 2", seen: value(3).described)
            try expect(
                value(4)?.bool != nil, "SupportsConcurrentConnection, true or false", seen: value(4).described)
        },
        DeviceCase(
            "info.credentials", "Operational Credentials has its mandatory attributes, and they agree",
            ["info.credentials"],
            meaning:
                "Commissioners look here whether there is room and whether they are in already. Over PASE, CurrentFabricIndex is 0."
        ) { bench in
            let session = try await bench.openPASE()
            let result = try await bench.read(.operationalCredentials, [0, 1, 2, 3, 4, 5], on: session)
            func value(_ attribute: UInt32) -> TLVValue? {
                result[root: .operationalCredentials, AttributeID(rawValue: attribute)]
            }
            for (attribute, name) in [(0, "NOCs"), (1, "Fabrics"), (4, "TrustedRootCertificates")] as [(UInt32, String)]
            {
                try expect(value(attribute)?.array != nil, "\(name), a list", seen: value(attribute).described)
            }
            try expect(
                value(2)?.unsigned.map { (5...254).contains($0) } ?? false, "SupportedFabrics, 5 to 254",
                seen: value(2).described)
            let count = UInt64(value(1)?.array?.count ?? 0)
            try expect(
                value(3)?.unsigned == count, "CommissionedFabrics to be \(count), the number of entries in Fabrics",
                seen: value(3).described)
            try expect(value(5)?.unsigned == 0, "CurrentFabricIndex 0 over PASE", seen: value(5).described)
        },
        DeviceCase(
            "info.missing-paths", "What is not there is answered with the status that says so", ["info.paths"],
            meaning:
                "Controllers tell by this status whether an optional part is missing or the device is broken. Look at the order of checks: endpoint, cluster, attribute, command."
        ) { bench in
            let session = try await bench.openPASE()
            let wanted: [(ConcreteAttributePath, InteractionStatus)] = [
                (.init(.init(rawValue: 0xFFF0), .basicInformation, 0), .unsupportedEndpoint),
                (.init(.root, ClusterID(rawValue: 0xFFF1_FC77), 0), .unsupportedCluster),
                (.init(.root, .basicInformation, 0x0ABC), .unsupportedAttribute),
            ]
            for (path, status) in wanted {
                let asked = AttributePath(endpoint: path.endpoint, cluster: path.cluster, attribute: path.attribute)
                let seen = try await bench.read([asked], on: session).status(of: path)
                try expect(
                    seen?.status == status, "a read of what is not there to be answered with \(status)",
                    seen: seen?.words ?? "no status")
            }
            let command = ClusterCommand("a command that is not there", .generalCommissioning, 0x77)
            try await bench.invoke(command, on: session)
                .expect("an unknown command", refusedWith: .unsupportedCommand)
        },
    ]
}

extension Optional<TLVValue> {
    /// The value as it came, for a failure.
    var described: String {
        switch self {
        case nil: "nothing"
        case .unsigned(let number)?: "\(number)"
        case .signed(let number)?: "\(number)"
        case .utf8(let text)?: "“\(text)”"
        case .octets(let bytes)?: "\(bytes.count) bytes"
        case .array(let values)?: "a list of \(values.count)"
        case .structure?: "a structure"
        case let value?: "\(value)"
        }
    }
}

extension ConcreteAttributePath {
    init(_ endpoint: EndpointID, _ cluster: ClusterID, _ attribute: UInt32) {
        self.init(endpoint: endpoint, cluster: cluster, attribute: AttributeID(rawValue: attribute))
    }
}

/// The mandatory attributes of Basic Information (Core §11.1.5).
enum BasicInformationForm {
    private enum Form {
        case number(UInt64), text(Int), structure
    }

    private static let forms: [(attribute: UInt32, name: String, form: Form)] = [
        (0x00, "DataModelRevision", .number(0xFFFF)), (0x01, "VendorName", .text(32)),
        (0x02, "VendorID", .number(0xFFFF)),
        (0x03, "ProductName", .text(32)), (0x04, "ProductID", .number(0xFFFF)), (0x05, "NodeLabel", .text(32)),
        (0x06, "Location", .text(2)), (0x07, "HardwareVersion", .number(0xFFFF)),
        (0x08, "HardwareVersionString", .text(64)), (0x09, "SoftwareVersion", .number(0xFFFF_FFFF)),
        (0x0A, "SoftwareVersionString", .text(64)), (0x13, "CapabilityMinima", .structure),
    ]

    static var attributes: [UInt32] { forms.map(\.attribute) }

    /// What is wrong, a sentence each.
    static func faults(in result: ReadResult) -> [String] {
        forms.compactMap { attribute, name, form in
            let value = result[root: .basicInformation, AttributeID(rawValue: attribute)]
            switch (form, value) {
            case (.number(let most), .unsigned(let number)?) where number <= most: return nil
            case (.text(let most), .utf8(let text)?) where text.utf8.count <= most: return nil
            case (.structure, .structure?): return nil
            case (_, nil): return "\(name) is missing"
            default: return "\(name) is \(value.described)"
            }
        }
    }
}
