public import GoogleHomeSDK

/// A plug that can be switched (Matter device type 0x010A).
public struct OnOffPluginUnitDeviceType: DeviceType {
    /// Names the type.
    public static let identifier = "home.matter.0000.types.010A"
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
    public var matterTraits: OnOffPluginUnitMatterTraits { OnOffPluginUnitMatterTraits(traits: traits) }

    /// The Matter traits that belong to the type.
    public struct OnOffPluginUnitMatterTraits: Hashable, Sendable {
        let traits: TraitCollection
        /// `nil` when the device does not have it.
        public var identifyTrait: Matter.IdentifyTrait? { traits[Matter.IdentifyTrait.self] }
        /// `nil` when the device does not have it.
        public var onOffTrait: Matter.OnOffTrait? { traits[Matter.OnOffTrait.self] }
        /// `nil` when the device does not have it.
        public var levelControlTrait: Matter.LevelControlTrait? { traits[Matter.LevelControlTrait.self] }
    }
}

/// A plug that can be dimmed (Matter device type 0x010B).
public struct DimmablePluginUnitDeviceType: DeviceType {
    /// Names the type.
    public static let identifier = "home.matter.0000.types.010B"
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
    public var matterTraits: DimmablePluginUnitMatterTraits { DimmablePluginUnitMatterTraits(traits: traits) }

    /// The Matter traits that belong to the type.
    public struct DimmablePluginUnitMatterTraits: Hashable, Sendable {
        let traits: TraitCollection
        /// `nil` when the device does not have it.
        public var identifyTrait: Matter.IdentifyTrait? { traits[Matter.IdentifyTrait.self] }
        /// `nil` when the device does not have it.
        public var onOffTrait: Matter.OnOffTrait? { traits[Matter.OnOffTrait.self] }
        /// `nil` when the device does not have it.
        public var levelControlTrait: Matter.LevelControlTrait? { traits[Matter.LevelControlTrait.self] }
    }
}

/// A switched outlet that is built in (Matter device type 0x010F).
public struct MountedOnOffControlDeviceType: DeviceType {
    /// Names the type.
    public static let identifier = "home.matter.0000.types.010F"
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
    public var matterTraits: MountedOnOffControlMatterTraits { MountedOnOffControlMatterTraits(traits: traits) }

    /// The Matter traits that belong to the type.
    public struct MountedOnOffControlMatterTraits: Hashable, Sendable {
        let traits: TraitCollection
        /// `nil` when the device does not have it.
        public var identifyTrait: Matter.IdentifyTrait? { traits[Matter.IdentifyTrait.self] }
        /// `nil` when the device does not have it.
        public var onOffTrait: Matter.OnOffTrait? { traits[Matter.OnOffTrait.self] }
        /// `nil` when the device does not have it.
        public var levelControlTrait: Matter.LevelControlTrait? { traits[Matter.LevelControlTrait.self] }
    }
}
