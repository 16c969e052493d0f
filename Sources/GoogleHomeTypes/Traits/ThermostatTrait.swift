public import GoogleHomeSDK

extension Matter {
    /// The Thermostat cluster (0x0201): holds a temperature.
    ///
    /// Attributes and commands have the names of the Matter application clusters (Application Clusters 1.4.2).
    public struct ThermostatTrait: Trait {
        /// Names the trait.
        public static let identifier = "home.matter.0000.clusters.0201"
        /// The values and the device that the trait was made of.
        public let source: TraitSource
        /// What the device said.
        public let attributes: Attributes

        /// Makes the trait of what a device said.
        public init(_ source: TraitSource) {
            self.source = source
            attributes = Attributes(source)
        }

        /// Writes the attributes that a closure sets.
        ///
        /// - Returns: the trait as it is after that; this value stays as it was.
        /// - Throws: ``HomeError``, with subtype `bulk` when several attributes were set and some refused.
        @discardableResult
        nonisolated(nonsending) public func update(
            _ block: (inout MutableAttributes) -> Void
        ) async throws -> Self {
            var attributes = MutableAttributes()
            block(&attributes)
            return Self(try await source.write(attributes.changes))
        }
    }
}

extension Matter.ThermostatTrait {
    /// What the device said of the cluster.
    public struct Attributes: Hashable, Sendable {
        /// Attribute 0x0000.
        @TraitAttribute public var localTemperature: Int16?
        /// Attribute 0x0001.
        @TraitAttribute public var outdoorTemperature: Int16?
        /// Attribute 0x0002.
        @TraitAttribute public var occupancy: OccupancyBitmap?
        /// Attribute 0x0003.
        @TraitAttribute public var absMinHeatSetpointLimit: Int16?
        /// Attribute 0x0004.
        @TraitAttribute public var absMaxHeatSetpointLimit: Int16?
        /// Attribute 0x0005.
        @TraitAttribute public var absMinCoolSetpointLimit: Int16?
        /// Attribute 0x0006.
        @TraitAttribute public var absMaxCoolSetpointLimit: Int16?
        /// Attribute 0x0007.
        @TraitAttribute public var piCoolingDemand: UInt8?
        /// Attribute 0x0008.
        @TraitAttribute public var piHeatingDemand: UInt8?
        /// Attribute 0x0010, writable.
        @TraitAttribute public var localTemperatureCalibration: Int8?
        /// Attribute 0x0011, writable.
        @TraitAttribute public var occupiedCoolingSetpoint: Int16?
        /// Attribute 0x0012, writable.
        @TraitAttribute public var occupiedHeatingSetpoint: Int16?
        /// Attribute 0x0013, writable.
        @TraitAttribute public var unoccupiedCoolingSetpoint: Int16?
        /// Attribute 0x0014, writable.
        @TraitAttribute public var unoccupiedHeatingSetpoint: Int16?
        /// Attribute 0x0015, writable.
        @TraitAttribute public var minHeatSetpointLimit: Int16?
        /// Attribute 0x0016, writable.
        @TraitAttribute public var maxHeatSetpointLimit: Int16?
        /// Attribute 0x0017, writable.
        @TraitAttribute public var minCoolSetpointLimit: Int16?
        /// Attribute 0x0018, writable.
        @TraitAttribute public var maxCoolSetpointLimit: Int16?
        /// Attribute 0x0019, writable.
        @TraitAttribute public var minSetpointDeadBand: Int8?
        /// Attribute 0x001B, writable.
        @TraitAttribute public var controlSequenceOfOperation: ControlSequenceOfOperationEnum?
        /// Attribute 0x001C, writable.
        @TraitAttribute public var systemMode: SystemModeEnum?
        /// Attribute 0x001E.
        @TraitAttribute public var thermostatRunningMode: ThermostatRunningModeEnum?
        /// Attribute 0x0023, writable.
        @TraitAttribute public var temperatureSetpointHold: TemperatureSetpointHoldEnum?
        /// Attribute 0x0024, writable.
        @TraitAttribute public var temperatureSetpointHoldDuration: UInt16?
        /// Attribute 0x0029.
        @TraitAttribute public var thermostatRunningState: RelayStateBitmap?
        /// Attribute 0x0030.
        @TraitAttribute public var setpointChangeSource: SetpointChangeSourceEnum?
        /// Attribute 0xFFF9.
        @TraitAttribute public var acceptedCommandList: [UInt32]?
        /// Attribute 0xFFFB.
        @TraitAttribute public var attributeList: [UInt32]?
        /// Attribute 0xFFFC.
        @TraitAttribute public var featureMap: Feature?

        init(_ source: TraitSource) {
            _localTemperature = source.attribute(0x0000)
            _outdoorTemperature = source.attribute(0x0001)
            _occupancy = source.attribute(0x0002)
            _absMinHeatSetpointLimit = source.attribute(0x0003)
            _absMaxHeatSetpointLimit = source.attribute(0x0004)
            _absMinCoolSetpointLimit = source.attribute(0x0005)
            _absMaxCoolSetpointLimit = source.attribute(0x0006)
            _piCoolingDemand = source.attribute(0x0007)
            _piHeatingDemand = source.attribute(0x0008)
            _localTemperatureCalibration = source.attribute(0x0010)
            _occupiedCoolingSetpoint = source.attribute(0x0011)
            _occupiedHeatingSetpoint = source.attribute(0x0012)
            _unoccupiedCoolingSetpoint = source.attribute(0x0013)
            _unoccupiedHeatingSetpoint = source.attribute(0x0014)
            _minHeatSetpointLimit = source.attribute(0x0015)
            _maxHeatSetpointLimit = source.attribute(0x0016)
            _minCoolSetpointLimit = source.attribute(0x0017)
            _maxCoolSetpointLimit = source.attribute(0x0018)
            _minSetpointDeadBand = source.attribute(0x0019)
            _controlSequenceOfOperation = source.attribute(0x001B)
            _systemMode = source.attribute(0x001C)
            _thermostatRunningMode = source.attribute(0x001E)
            _temperatureSetpointHold = source.attribute(0x0023)
            _temperatureSetpointHoldDuration = source.attribute(0x0024)
            _thermostatRunningState = source.attribute(0x0029)
            _setpointChangeSource = source.attribute(0x0030)
            _acceptedCommandList = source.attribute(0xFFF9)
            _attributeList = source.attribute(0xFFFB)
            _featureMap = source.attribute(0xFFFC)
        }
    }

    /// New values for attributes.
    public struct MutableAttributes: Sendable {
        var changes = AttributeChanges()

        /// Sets attribute 0x0010.
        public mutating func setLocalTemperatureCalibration(_ value: Int8) { changes.set(0x0010, value) }

        /// Sets attribute 0x0011.
        public mutating func setOccupiedCoolingSetpoint(_ value: Int16) { changes.set(0x0011, value) }

        /// Sets attribute 0x0012.
        public mutating func setOccupiedHeatingSetpoint(_ value: Int16) { changes.set(0x0012, value) }

        /// Sets attribute 0x0013.
        public mutating func setUnoccupiedCoolingSetpoint(_ value: Int16) { changes.set(0x0013, value) }

        /// Sets attribute 0x0014.
        public mutating func setUnoccupiedHeatingSetpoint(_ value: Int16) { changes.set(0x0014, value) }

        /// Sets attribute 0x0015.
        public mutating func setMinHeatSetpointLimit(_ value: Int16) { changes.set(0x0015, value) }

        /// Sets attribute 0x0016.
        public mutating func setMaxHeatSetpointLimit(_ value: Int16) { changes.set(0x0016, value) }

        /// Sets attribute 0x0017.
        public mutating func setMinCoolSetpointLimit(_ value: Int16) { changes.set(0x0017, value) }

        /// Sets attribute 0x0018.
        public mutating func setMaxCoolSetpointLimit(_ value: Int16) { changes.set(0x0018, value) }

        /// Sets attribute 0x0019.
        public mutating func setMinSetpointDeadBand(_ value: Int8) { changes.set(0x0019, value) }

        /// Sets attribute 0x001B.
        public mutating func setControlSequenceOfOperation(_ value: ControlSequenceOfOperationEnum) {
            changes.set(0x001B, value)
        }

        /// Sets attribute 0x001C.
        public mutating func setSystemMode(_ value: SystemModeEnum) { changes.set(0x001C, value) }

        /// Sets attribute 0x0023.
        public mutating func setTemperatureSetpointHold(_ value: TemperatureSetpointHoldEnum) {
            changes.set(0x0023, value)
        }

        /// Sets attribute 0x0024; `nil` for null.
        public mutating func setTemperatureSetpointHoldDuration(_ value: UInt16?) { changes.set(0x0024, value) }
    }
}

extension Matter.ThermostatTrait {
    /// Sends command 0x00.
    ///
    /// - Throws: ``HomeError`` when the device refuses or does not answer.
    public func setpointRaiseLower(mode: SetpointRaiseLowerModeEnum, amount: Int8) async throws {
        try await setpointRaiseLowerBatchable(mode: mode, amount: amount).send()
    }
    /// Command 0x00, to be sent with others.
    public func setpointRaiseLowerBatchable(mode: SetpointRaiseLowerModeEnum, amount: Int8) -> BatchableCommand<Void> {
        source.command(0x00, [CommandField(0, mode), CommandField(1, amount)])
    }
    /// Whether the device says that it takes command 0x00.
    public var supportsSetpointRaiseLowerCommand: Bool { source.takes(0x00) }
}

extension Matter.ThermostatTrait {
    /// A set of bits of the cluster.
    public struct OccupancyBitmap: OptionSet, TraitValue {
        /// The bits.
        public let rawValue: UInt8
        /// Takes bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// Bits 0x01.
        public static let occupied = Self(rawValue: 0x01)
    }

    /// An enumeration of the cluster.
    public enum ControlSequenceOfOperationEnum: UInt8, TraitEnum, TraitValue {
        /// Value 0.
        case coolingOnly = 0
        /// Value 1.
        case coolingWithReheat = 1
        /// Value 2.
        case heatingOnly = 2
        /// Value 3.
        case heatingWithReheat = 3
        /// Value 4.
        case coolingAndHeating = 4
        /// Value 5.
        case coolingAndHeatingWithReheat = 5
        /// A value that this version does not know.
        case unrecognized_ = 255
    }

    /// An enumeration of the cluster.
    public enum SystemModeEnum: UInt8, TraitEnum, TraitValue {
        /// Value 0.
        case off = 0
        /// Value 1.
        case auto = 1
        /// Value 3.
        case cool = 3
        /// Value 4.
        case heat = 4
        /// Value 5.
        case emergencyHeat = 5
        /// Value 6.
        case precooling = 6
        /// Value 7.
        case fanOnly = 7
        /// Value 8.
        case dry = 8
        /// Value 9.
        case sleep = 9
        /// A value that this version does not know.
        case unrecognized_ = 255
    }

    /// An enumeration of the cluster.
    public enum ThermostatRunningModeEnum: UInt8, TraitEnum, TraitValue {
        /// Value 0.
        case off = 0
        /// Value 3.
        case cool = 3
        /// Value 4.
        case heat = 4
        /// A value that this version does not know.
        case unrecognized_ = 255
    }

    /// An enumeration of the cluster.
    public enum TemperatureSetpointHoldEnum: UInt8, TraitEnum, TraitValue {
        /// Value 0.
        case setpointHoldOff = 0
        /// Value 1.
        case setpointHoldOn = 1
        /// A value that this version does not know.
        case unrecognized_ = 255
    }

    /// A set of bits of the cluster.
    public struct RelayStateBitmap: OptionSet, TraitValue {
        /// The bits.
        public let rawValue: UInt16
        /// Takes bits.
        public init(rawValue: UInt16) { self.rawValue = rawValue }
        /// Bits 0x01.
        public static let heat = Self(rawValue: 0x01)
        /// Bits 0x02.
        public static let cool = Self(rawValue: 0x02)
        /// Bits 0x04.
        public static let fan = Self(rawValue: 0x04)
        /// Bits 0x08.
        public static let heatStage2 = Self(rawValue: 0x08)
        /// Bits 0x10.
        public static let coolStage2 = Self(rawValue: 0x10)
        /// Bits 0x20.
        public static let fanStage2 = Self(rawValue: 0x20)
        /// Bits 0x40.
        public static let fanStage3 = Self(rawValue: 0x40)
    }

    /// An enumeration of the cluster.
    public enum SetpointChangeSourceEnum: UInt8, TraitEnum, TraitValue {
        /// Value 0.
        case manual = 0
        /// Value 1.
        case schedule = 1
        /// Value 2.
        case external = 2
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
        public static let heating = Self(rawValue: 0x01)
        /// Bits 0x02.
        public static let cooling = Self(rawValue: 0x02)
        /// Bits 0x04.
        public static let occupancy = Self(rawValue: 0x04)
        /// Bits 0x08.
        public static let scheduleConfiguration = Self(rawValue: 0x08)
        /// Bits 0x10.
        public static let setback = Self(rawValue: 0x10)
        /// Bits 0x20.
        public static let autoMode = Self(rawValue: 0x20)
        /// Bits 0x40.
        public static let localTemperatureNotExposed = Self(rawValue: 0x40)
        /// Bits 0x80.
        public static let matterScheduleConfiguration = Self(rawValue: 0x80)
        /// Bits 0x100.
        public static let presets = Self(rawValue: 0x100)
    }

    /// An enumeration of the cluster.
    public enum SetpointRaiseLowerModeEnum: UInt8, TraitEnum, TraitValue {
        /// Value 0.
        case heat = 0
        /// Value 1.
        case cool = 1
        /// Value 2.
        case both = 2
        /// A value that this version does not know.
        case unrecognized_ = 255
    }
}
