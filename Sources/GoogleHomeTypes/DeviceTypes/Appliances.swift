public import GoogleHomeSDK

/// A lock (Matter device type 0x000A).
public struct DoorLockDeviceType: DeviceType {
    /// Names the type.
    public static let identifier = "home.matter.0000.types.000A"
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
    public var matterTraits: DoorLockMatterTraits { DoorLockMatterTraits(traits: traits) }

    /// The Matter traits that belong to the type.
    public struct DoorLockMatterTraits: Hashable, Sendable {
        let traits: TraitCollection
        /// `nil` when the device does not have it.
        public var identifyTrait: Matter.IdentifyTrait? { traits[Matter.IdentifyTrait.self] }
        /// `nil` when the device does not have it.
        public var doorLockTrait: Matter.DoorLockTrait? { traits[Matter.DoorLockTrait.self] }
    }
}

/// A fan (Matter device type 0x002B).
public struct FanDeviceType: DeviceType {
    /// Names the type.
    public static let identifier = "home.matter.0000.types.002B"
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
    public var matterTraits: FanMatterTraits { FanMatterTraits(traits: traits) }

    /// The Matter traits that belong to the type.
    public struct FanMatterTraits: Hashable, Sendable {
        let traits: TraitCollection
        /// `nil` when the device does not have it.
        public var identifyTrait: Matter.IdentifyTrait? { traits[Matter.IdentifyTrait.self] }
        /// `nil` when the device does not have it.
        public var onOffTrait: Matter.OnOffTrait? { traits[Matter.OnOffTrait.self] }
        /// `nil` when the device does not have it.
        public var fanControlTrait: Matter.FanControlTrait? { traits[Matter.FanControlTrait.self] }
    }
}

/// A thermostat (Matter device type 0x0301).
public struct ThermostatDeviceType: DeviceType {
    /// Names the type.
    public static let identifier = "home.matter.0000.types.0301"
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
    public var matterTraits: ThermostatMatterTraits { ThermostatMatterTraits(traits: traits) }

    /// The Matter traits that belong to the type.
    public struct ThermostatMatterTraits: Hashable, Sendable {
        let traits: TraitCollection
        /// `nil` when the device does not have it.
        public var identifyTrait: Matter.IdentifyTrait? { traits[Matter.IdentifyTrait.self] }
        /// `nil` when the device does not have it.
        public var thermostatTrait: Matter.ThermostatTrait? { traits[Matter.ThermostatTrait.self] }
    }
}

/// A blind or a shutter (Matter device type 0x0202).
public struct WindowCoveringDeviceType: DeviceType {
    /// Names the type.
    public static let identifier = "home.matter.0000.types.0202"
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
    public var matterTraits: WindowCoveringMatterTraits { WindowCoveringMatterTraits(traits: traits) }

    /// The Matter traits that belong to the type.
    public struct WindowCoveringMatterTraits: Hashable, Sendable {
        let traits: TraitCollection
        /// `nil` when the device does not have it.
        public var identifyTrait: Matter.IdentifyTrait? { traits[Matter.IdentifyTrait.self] }
        /// `nil` when the device does not have it.
        public var windowCoveringTrait: Matter.WindowCoveringTrait? { traits[Matter.WindowCoveringTrait.self] }
    }
}

/// A loudspeaker (Matter device type 0x0022).
public struct SpeakerDeviceType: DeviceType {
    /// Names the type.
    public static let identifier = "home.matter.0000.types.0022"
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
    public var matterTraits: SpeakerMatterTraits { SpeakerMatterTraits(traits: traits) }

    /// The Matter traits that belong to the type.
    public struct SpeakerMatterTraits: Hashable, Sendable {
        let traits: TraitCollection
        /// `nil` when the device does not have it.
        public var onOffTrait: Matter.OnOffTrait? { traits[Matter.OnOffTrait.self] }
        /// `nil` when the device does not have it.
        public var levelControlTrait: Matter.LevelControlTrait? { traits[Matter.LevelControlTrait.self] }
    }
}
