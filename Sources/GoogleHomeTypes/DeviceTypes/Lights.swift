public import GoogleHomeSDK

/// A light that can be switched (Matter device type 0x0100).
public struct OnOffLightDeviceType: DeviceType {
    /// Names the type.
    public static let identifier = "home.matter.0000.types.0100"
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
    public var matterTraits: OnOffLightMatterTraits { OnOffLightMatterTraits(traits: traits) }

    /// The Matter traits that belong to the type.
    public struct OnOffLightMatterTraits: Hashable, Sendable {
        let traits: TraitCollection
        /// `nil` when the device does not have it.
        public var identifyTrait: Matter.IdentifyTrait? { traits[Matter.IdentifyTrait.self] }
        /// `nil` when the device does not have it.
        public var onOffTrait: Matter.OnOffTrait? { traits[Matter.OnOffTrait.self] }
        /// `nil` when the device does not have it.
        public var levelControlTrait: Matter.LevelControlTrait? { traits[Matter.LevelControlTrait.self] }
    }
}

/// A light that can be dimmed (Matter device type 0x0101).
public struct DimmableLightDeviceType: DeviceType {
    /// Names the type.
    public static let identifier = "home.matter.0000.types.0101"
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
    public var matterTraits: DimmableLightMatterTraits { DimmableLightMatterTraits(traits: traits) }

    /// The Matter traits that belong to the type.
    public struct DimmableLightMatterTraits: Hashable, Sendable {
        let traits: TraitCollection
        /// `nil` when the device does not have it.
        public var identifyTrait: Matter.IdentifyTrait? { traits[Matter.IdentifyTrait.self] }
        /// `nil` when the device does not have it.
        public var onOffTrait: Matter.OnOffTrait? { traits[Matter.OnOffTrait.self] }
        /// `nil` when the device does not have it.
        public var levelControlTrait: Matter.LevelControlTrait? { traits[Matter.LevelControlTrait.self] }
    }
}

/// A light from warm to cold white (Matter device type 0x010C).
public struct ColorTemperatureLightDeviceType: DeviceType {
    /// Names the type.
    public static let identifier = "home.matter.0000.types.010C"
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
    public var matterTraits: ColorTemperatureLightMatterTraits { ColorTemperatureLightMatterTraits(traits: traits) }

    /// The Matter traits that belong to the type.
    public struct ColorTemperatureLightMatterTraits: Hashable, Sendable {
        let traits: TraitCollection
        /// `nil` when the device does not have it.
        public var identifyTrait: Matter.IdentifyTrait? { traits[Matter.IdentifyTrait.self] }
        /// `nil` when the device does not have it.
        public var onOffTrait: Matter.OnOffTrait? { traits[Matter.OnOffTrait.self] }
        /// `nil` when the device does not have it.
        public var levelControlTrait: Matter.LevelControlTrait? { traits[Matter.LevelControlTrait.self] }
        /// `nil` when the device does not have it.
        public var colorControlTrait: Matter.ColorControlTrait? { traits[Matter.ColorControlTrait.self] }
    }
}

/// A light in colours (Matter device type 0x010D).
public struct ExtendedColorLightDeviceType: DeviceType {
    /// Names the type.
    public static let identifier = "home.matter.0000.types.010D"
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
    public var matterTraits: ExtendedColorLightMatterTraits { ExtendedColorLightMatterTraits(traits: traits) }

    /// The Matter traits that belong to the type.
    public struct ExtendedColorLightMatterTraits: Hashable, Sendable {
        let traits: TraitCollection
        /// `nil` when the device does not have it.
        public var identifyTrait: Matter.IdentifyTrait? { traits[Matter.IdentifyTrait.self] }
        /// `nil` when the device does not have it.
        public var onOffTrait: Matter.OnOffTrait? { traits[Matter.OnOffTrait.self] }
        /// `nil` when the device does not have it.
        public var levelControlTrait: Matter.LevelControlTrait? { traits[Matter.LevelControlTrait.self] }
        /// `nil` when the device does not have it.
        public var colorControlTrait: Matter.ColorControlTrait? { traits[Matter.ColorControlTrait.self] }
    }
}
