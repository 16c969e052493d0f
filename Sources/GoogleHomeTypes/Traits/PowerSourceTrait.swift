public import GoogleHomeSDK

extension Matter {
    /// The PowerSource cluster (0x002F): says how the device is powered.
    ///
    /// Attributes and commands have the names of the Matter application clusters (Core 1.4.2).
    public struct PowerSourceTrait: Trait {
        /// Names the trait.
        public static let identifier = "home.matter.0000.clusters.002F"
        /// The values and the device that the trait was made of.
        public let source: TraitSource
        /// What the device said.
        public let attributes: Attributes

        /// Makes the trait of what a device said.
        public init(_ source: TraitSource) {
            self.source = source
            attributes = Attributes(source)
        }
    }
}

extension Matter.PowerSourceTrait {
    /// What the device said of the cluster.
    public struct Attributes: Hashable, Sendable {
        /// Attribute 0x0000.
        @TraitAttribute public var status: PowerSourceStatusEnum?
        /// Attribute 0x0001.
        @TraitAttribute public var order: UInt8?
        /// Attribute 0x0002.
        @TraitAttribute public var description: String?
        /// Attribute 0x000B.
        @TraitAttribute public var batVoltage: UInt32?
        /// Attribute 0x000C.
        @TraitAttribute public var batPercentRemaining: UInt8?
        /// Attribute 0x000D.
        @TraitAttribute public var batTimeRemaining: UInt32?
        /// Attribute 0x000E.
        @TraitAttribute public var batChargeLevel: BatChargeLevelEnum?
        /// Attribute 0x000F.
        @TraitAttribute public var batReplacementNeeded: Bool?
        /// Attribute 0x0011.
        @TraitAttribute public var batPresent: Bool?
        /// Attribute 0x0019.
        @TraitAttribute public var batQuantity: UInt8?
        /// Attribute 0x001A.
        @TraitAttribute public var batChargeState: BatChargeStateEnum?
        /// Attribute 0x001B.
        @TraitAttribute public var batTimeToFullCharge: UInt32?
        /// Attribute 0xFFF9.
        @TraitAttribute public var acceptedCommandList: [UInt32]?
        /// Attribute 0xFFFB.
        @TraitAttribute public var attributeList: [UInt32]?
        /// Attribute 0xFFFC.
        @TraitAttribute public var featureMap: Feature?

        init(_ source: TraitSource) {
            _status = source.attribute(0x0000)
            _order = source.attribute(0x0001)
            _description = source.attribute(0x0002)
            _batVoltage = source.attribute(0x000B)
            _batPercentRemaining = source.attribute(0x000C)
            _batTimeRemaining = source.attribute(0x000D)
            _batChargeLevel = source.attribute(0x000E)
            _batReplacementNeeded = source.attribute(0x000F)
            _batPresent = source.attribute(0x0011)
            _batQuantity = source.attribute(0x0019)
            _batChargeState = source.attribute(0x001A)
            _batTimeToFullCharge = source.attribute(0x001B)
            _acceptedCommandList = source.attribute(0xFFF9)
            _attributeList = source.attribute(0xFFFB)
            _featureMap = source.attribute(0xFFFC)
        }
    }
}

extension Matter.PowerSourceTrait {
    /// An enumeration of the cluster.
    public enum PowerSourceStatusEnum: UInt8, TraitEnum, TraitValue {
        /// Value 0.
        case unspecified = 0
        /// Value 1.
        case active = 1
        /// Value 2.
        case standby = 2
        /// Value 3.
        case unavailable = 3
        /// A value that this version does not know.
        case unrecognized_ = 255
    }

    /// An enumeration of the cluster.
    public enum BatChargeLevelEnum: UInt8, TraitEnum, TraitValue {
        /// Value 0.
        case ok = 0
        /// Value 1.
        case warning = 1
        /// Value 2.
        case critical = 2
        /// A value that this version does not know.
        case unrecognized_ = 255
    }

    /// An enumeration of the cluster.
    public enum BatChargeStateEnum: UInt8, TraitEnum, TraitValue {
        /// Value 0.
        case unknown = 0
        /// Value 1.
        case isCharging = 1
        /// Value 2.
        case isAtFullCharge = 2
        /// Value 3.
        case isNotCharging = 3
        /// A value that this version does not know.
        case unrecognized_ = 255
    }

    /// A set of bits of the cluster.
    public struct Feature: OptionSet, TraitValue {
        /// The bits.
        public let rawValue: UInt32
        /// Takes bits.
        public init(rawValue: UInt32) { self.rawValue = rawValue }
        /// Bits 0x01.
        public static let wired = Self(rawValue: 0x01)
        /// Bits 0x02.
        public static let battery = Self(rawValue: 0x02)
        /// Bits 0x04.
        public static let rechargeable = Self(rawValue: 0x04)
        /// Bits 0x08.
        public static let replaceable = Self(rawValue: 0x08)
    }
}
