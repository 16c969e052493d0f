public import MatterWire

/// ArmFailSafeResponse, SetRegulatoryConfigResponse and CommissioningCompleteResponse.
public struct GeneralCommissioningResponse: Hashable, Sendable {
    /// CommissioningErrorEnum; unknown values are kept.
    public struct ErrorCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The number on the wire.
        public var rawValue: UInt8
        /// Wraps a number.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// It worked.
        public static let ok = Self(rawValue: 0)
        /// A value is outside its range.
        public static let valueOutsideRange = Self(rawValue: 1)
        /// Over the wrong kind of session, or by another fabric.
        public static let invalidAuthentication = Self(rawValue: 2)
        /// The fail-safe is not armed.
        public static let noFailSafe = Self(rawValue: 3)
        /// Another administrator holds the fail-safe.
        public static let busyWithOtherAdmin = Self(rawValue: 4)
        /// The specification's name.
        public var description: String {
            let names = [
                "OK", "ValueOutsideRange", "InvalidAuthentication", "NoFailSafe", "BusyWithOtherAdmin",
                "RequiredTCNotAccepted", "TCAcknowledgementsNotReceived", "TCMinVersionNotMet",
            ]
            return names.indices.contains(Int(rawValue)) ? names[Int(rawValue)] : "error \(rawValue)"
        }
    }
    /// How it ended.
    public var errorCode: ErrorCode
    /// The device's own words; often empty.
    public var debugText: String
    /// Reads the response's fields; a missing text is empty.
    public init(fields: TLVValue) throws(TLVError) {
        errorCode = ErrorCode(rawValue: try fields.integer(0))
        debugText = fields[1]?.utf8 ?? ""
    }
}

/// NOCResponse, of every command that changes the fabric table.
public struct NOCResponse: Hashable, Sendable {
    /// NodeOperationalCertStatusEnum; unknown values are kept.
    public struct Status: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The number on the wire.
        public var rawValue: UInt8
        /// Wraps a number.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// It worked.
        public static let ok = Self(rawValue: 0)
        /// No room for another fabric.
        public static let tableFull = Self(rawValue: 5)
        /// The device is on this fabric already.
        public static let fabricConflict = Self(rawValue: 9)
        /// Another fabric has this label.
        public static let labelConflict = Self(rawValue: 10)
        /// No such fabric.
        public static let invalidFabricIndex = Self(rawValue: 11)
        /// The specification's name.
        public var description: String {
            let names: [UInt8: String] = [
                0: "OK", 1: "InvalidPublicKey", 2: "InvalidNodeOpId", 3: "InvalidNOC", 4: "MissingCsr", 5: "TableFull",
                6: "InvalidAdminSubject", 9: "FabricConflict", 10: "LabelConflict", 11: "InvalidFabricIndex",
            ]
            return names[rawValue] ?? "status \(rawValue)"
        }
    }
    /// How it ended.
    public var status: Status
    /// The fabric that was added or changed, on the device.
    public var fabricIndex: FabricIndex?
    /// The device's own words; often empty.
    public var debugText: String
    /// Reads the response's fields.
    public init(fields: TLVValue) throws(TLVError) {
        status = Status(rawValue: try fields.integer(0))
        fabricIndex = try fields.optionalInteger(1).map(FabricIndex.init(rawValue:))
        debugText = fields[2]?.utf8 ?? ""
    }
}

/// Elements with the device's signature over them and the session's challenge: AttestationResponse, CSRResponse.
public struct SignedElementsResponse: Hashable, Sendable {
    /// TLV, exactly as it was signed.
    public var elements: [UInt8]
    /// r then s, 64 bytes.
    public var signature: [UInt8]
    /// Reads the response's fields.
    public init(fields: TLVValue) throws(TLVError) {
        elements = try fields.octets(0)
        signature = try fields.octets(1, count: 64)
    }
}

/// One entry of the device's Fabrics attribute: FabricDescriptorStruct.
public struct FabricDescriptor: Hashable, Sendable {
    /// The fabric root's key, 65 bytes.
    public var rootPublicKey: [UInt8]
    /// The administrator's vendor.
    public var vendorID: VendorID
    /// The fabric.
    public var fabricID: FabricID
    /// The device on it.
    public var nodeID: NodeID
    /// What the administrator calls it.
    public var label: String
    /// The device's number for it.
    public var fabricIndex: FabricIndex
    /// Reads one entry.
    public init(value: TLVValue) throws(TLVError) {
        rootPublicKey = try value.octets(1)
        vendorID = VendorID(rawValue: try value.integer(2))
        fabricID = FabricID(rawValue: try value.integer(3))
        nodeID = NodeID(rawValue: try value.integer(4))
        label = value[5]?.utf8 ?? ""
        fabricIndex = FabricIndex(rawValue: try value.integer(254))
    }
}
