public import GoogleHomeSDK

/// What powers a device (Matter device type 0x0011).
public struct PowerSourceDeviceType: DeviceType {
    /// Names the type.
    public static let identifier = "home.matter.0000.types.0011"
    /// It only accompanies other types.
    public static let isUtilityType = true
    /// Which device it is, and whether it can be reached.
    public let metadata: DeviceTypeMetadata
    /// The traits that the device has.
    public let traits: TraitCollection

    /// Makes the type of what a device said.
    public init(traits: TraitCollection, metadata: DeviceTypeMetadata) {
        self.traits = traits
        self.metadata = metadata
    }

    /// The Matter traits that belong to the type.
    public var matterTraits: PowerSourceMatterTraits { PowerSourceMatterTraits(traits: traits) }

    /// The Matter traits that belong to the type.
    public struct PowerSourceMatterTraits: Hashable, Sendable {
        let traits: TraitCollection
        /// `nil` when the device does not have it.
        public var powerSourceTrait: Matter.PowerSourceTrait? { traits[Matter.PowerSourceTrait.self] }
    }
}

/// A device behind a bridge (Matter device type 0x0013).
public struct BridgedNodeDeviceType: DeviceType {
    /// Names the type.
    public static let identifier = "home.matter.0000.types.0013"
    /// It only accompanies other types.
    public static let isUtilityType = true
    /// Which device it is, and whether it can be reached.
    public let metadata: DeviceTypeMetadata
    /// The traits that the device has.
    public let traits: TraitCollection

    /// Makes the type of what a device said.
    public init(traits: TraitCollection, metadata: DeviceTypeMetadata) {
        self.traits = traits
        self.metadata = metadata
    }

    /// The Matter traits that belong to the type.
    public var matterTraits: BridgedNodeMatterTraits { BridgedNodeMatterTraits(traits: traits) }

    /// The Matter traits that belong to the type.
    public struct BridgedNodeMatterTraits: Hashable, Sendable {
        let traits: TraitCollection
        /// `nil` when the device does not have it.
        public var bridgedDeviceBasicInformationTrait: Matter.BridgedDeviceBasicInformationTrait? {
            traits[Matter.BridgedDeviceBasicInformationTrait.self]
        }
        /// `nil` when the device does not have it.
        public var powerSourceTrait: Matter.PowerSourceTrait? { traits[Matter.PowerSourceTrait.self] }
    }
}

/// A bridge (Matter device type 0x000E).
public struct AggregatorDeviceType: DeviceType {
    /// Names the type.
    public static let identifier = "home.matter.0000.types.000E"
    /// Which device it is, and whether it can be reached.
    public let metadata: DeviceTypeMetadata
    /// The traits that the device has.
    public let traits: TraitCollection

    /// Makes the type of what a device said.
    public init(traits: TraitCollection, metadata: DeviceTypeMetadata) {
        self.traits = traits
        self.metadata = metadata
    }

    /// The Matter traits that belong to the type.
    public var matterTraits: AggregatorMatterTraits { AggregatorMatterTraits(traits: traits) }

    /// The Matter traits that belong to the type.
    public struct AggregatorMatterTraits: Hashable, Sendable {
        let traits: TraitCollection
        /// `nil` when the device does not have it.
        public var identifyTrait: Matter.IdentifyTrait? { traits[Matter.IdentifyTrait.self] }
    }
}

/// A television of Google's; no device of a MatterHub is one.
public struct GoogleTVDeviceType: DeviceType {
    /// Names the type.
    public static let identifier = "home.google.types.GoogleTV"
    /// Which device it is, and whether it can be reached.
    public let metadata: DeviceTypeMetadata
    /// The traits that the device has.
    public let traits: TraitCollection

    /// Makes the type of what a device said.
    public init(traits: TraitCollection, metadata: DeviceTypeMetadata) {
        self.traits = traits
        self.metadata = metadata
    }

    /// The Matter traits that belong to the type.
    public var matterTraits: GoogleTVMatterTraits { GoogleTVMatterTraits(traits: traits) }

    /// The Matter traits that belong to the type.
    public struct GoogleTVMatterTraits: Hashable, Sendable {
        let traits: TraitCollection
        /// `nil` when the device does not have it.
        public var onOffTrait: Matter.OnOffTrait? { traits[Matter.OnOffTrait.self] }
    }
}

/// A camera of Google's; no device of a MatterHub is one.
public struct GoogleCameraDeviceType: DeviceType {
    /// Names the type.
    public static let identifier = "home.google.types.GoogleCamera"
    /// Which device it is, and whether it can be reached.
    public let metadata: DeviceTypeMetadata
    /// The traits that the device has.
    public let traits: TraitCollection

    /// Makes the type of what a device said.
    public init(traits: TraitCollection, metadata: DeviceTypeMetadata) {
        self.traits = traits
        self.metadata = metadata
    }

    /// The Matter traits that belong to the type.
    public var matterTraits: GoogleCameraMatterTraits { GoogleCameraMatterTraits(traits: traits) }

    /// The Matter traits that belong to the type.
    public struct GoogleCameraMatterTraits: Hashable, Sendable {
        let traits: TraitCollection
        /// `nil` when the device does not have it.
        public var onOffTrait: Matter.OnOffTrait? { traits[Matter.OnOffTrait.self] }
    }
}

/// A doorbell of Google's; no device of a MatterHub is one.
public struct GoogleDoorbellDeviceType: DeviceType {
    /// Names the type.
    public static let identifier = "home.google.types.GoogleDoorbell"
    /// Which device it is, and whether it can be reached.
    public let metadata: DeviceTypeMetadata
    /// The traits that the device has.
    public let traits: TraitCollection

    /// Makes the type of what a device said.
    public init(traits: TraitCollection, metadata: DeviceTypeMetadata) {
        self.traits = traits
        self.metadata = metadata
    }

    /// The Matter traits that belong to the type.
    public var matterTraits: GoogleDoorbellMatterTraits { GoogleDoorbellMatterTraits(traits: traits) }

    /// The Matter traits that belong to the type.
    public struct GoogleDoorbellMatterTraits: Hashable, Sendable {
        let traits: TraitCollection
        /// `nil` when the device does not have it.
        public var onOffTrait: Matter.OnOffTrait? { traits[Matter.OnOffTrait.self] }
    }
}
