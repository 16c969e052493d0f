public import GoogleHomeSDK

/// A thermometer (Matter device type 0x0302).
public struct TemperatureSensorDeviceType: DeviceType {
    /// Names the type.
    public static let identifier = "home.matter.0000.types.0302"
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
    public var matterTraits: TemperatureSensorMatterTraits { TemperatureSensorMatterTraits(traits: traits) }

    /// The Matter traits that belong to the type.
    public struct TemperatureSensorMatterTraits: Hashable, Sendable {
        let traits: TraitCollection
        /// `nil` when the device does not have it.
        public var identifyTrait: Matter.IdentifyTrait? { traits[Matter.IdentifyTrait.self] }
        /// `nil` when the device does not have it.
        public var temperatureMeasurementTrait: Matter.TemperatureMeasurementTrait? {
            traits[Matter.TemperatureMeasurementTrait.self]
        }
    }
}

/// A hygrometer (Matter device type 0x0307).
public struct HumiditySensorDeviceType: DeviceType {
    /// Names the type.
    public static let identifier = "home.matter.0000.types.0307"
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
    public var matterTraits: HumiditySensorMatterTraits { HumiditySensorMatterTraits(traits: traits) }

    /// The Matter traits that belong to the type.
    public struct HumiditySensorMatterTraits: Hashable, Sendable {
        let traits: TraitCollection
        /// `nil` when the device does not have it.
        public var identifyTrait: Matter.IdentifyTrait? { traits[Matter.IdentifyTrait.self] }
        /// `nil` when the device does not have it.
        public var relativeHumidityMeasurementTrait: Matter.RelativeHumidityMeasurementTrait? {
            traits[Matter.RelativeHumidityMeasurementTrait.self]
        }
    }
}

/// A sensor of people (Matter device type 0x0107).
public struct OccupancySensorDeviceType: DeviceType {
    /// Names the type.
    public static let identifier = "home.matter.0000.types.0107"
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
    public var matterTraits: OccupancySensorMatterTraits { OccupancySensorMatterTraits(traits: traits) }

    /// The Matter traits that belong to the type.
    public struct OccupancySensorMatterTraits: Hashable, Sendable {
        let traits: TraitCollection
        /// `nil` when the device does not have it.
        public var identifyTrait: Matter.IdentifyTrait? { traits[Matter.IdentifyTrait.self] }
        /// `nil` when the device does not have it.
        public var occupancySensingTrait: Matter.OccupancySensingTrait? { traits[Matter.OccupancySensingTrait.self] }
    }
}

/// A sensor of a door or a window (Matter device type 0x0015).
public struct ContactSensorDeviceType: DeviceType {
    /// Names the type.
    public static let identifier = "home.matter.0000.types.0015"
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
    public var matterTraits: ContactSensorMatterTraits { ContactSensorMatterTraits(traits: traits) }

    /// The Matter traits that belong to the type.
    public struct ContactSensorMatterTraits: Hashable, Sendable {
        let traits: TraitCollection
        /// `nil` when the device does not have it.
        public var identifyTrait: Matter.IdentifyTrait? { traits[Matter.IdentifyTrait.self] }
        /// `nil` when the device does not have it.
        public var booleanStateTrait: Matter.BooleanStateTrait? { traits[Matter.BooleanStateTrait.self] }
    }
}

/// A switch that somebody presses (Matter device type 0x000F).
public struct GenericSwitchDeviceType: DeviceType {
    /// Names the type.
    public static let identifier = "home.matter.0000.types.000F"
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
    public var matterTraits: GenericSwitchMatterTraits { GenericSwitchMatterTraits(traits: traits) }

    /// The Matter traits that belong to the type.
    public struct GenericSwitchMatterTraits: Hashable, Sendable {
        let traits: TraitCollection
        /// `nil` when the device does not have it.
        public var identifyTrait: Matter.IdentifyTrait? { traits[Matter.IdentifyTrait.self] }
        /// `nil` when the device does not have it.
        public var switchTrait: Matter.SwitchTrait? { traits[Matter.SwitchTrait.self] }
    }
}
