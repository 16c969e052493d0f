public import GoogleHomeSDK

extension Matter {
    /// The FanControl cluster (0x0202): sets the speed of a fan.
    ///
    /// Attributes and commands have the names of the Matter application clusters (Application Clusters 1.4.2).
    public struct FanControlTrait: Trait {
        /// Names the trait.
        public static let identifier = "home.matter.0000.clusters.0202"
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

extension Matter.FanControlTrait {
    /// What the device said of the cluster.
    public struct Attributes: Hashable, Sendable {
        /// Attribute 0x0000, writable.
        @TraitAttribute public var fanMode: FanModeEnum?
        /// Attribute 0x0001.
        @TraitAttribute public var fanModeSequence: FanModeSequenceEnum?
        /// Attribute 0x0002, writable.
        @TraitAttribute public var percentSetting: UInt8?
        /// Attribute 0x0003.
        @TraitAttribute public var percentCurrent: UInt8?
        /// Attribute 0x0004.
        @TraitAttribute public var speedMax: UInt8?
        /// Attribute 0x0005, writable.
        @TraitAttribute public var speedSetting: UInt8?
        /// Attribute 0x0006.
        @TraitAttribute public var speedCurrent: UInt8?
        /// Attribute 0x0007.
        @TraitAttribute public var rockSupport: RockBitmap?
        /// Attribute 0x0008, writable.
        @TraitAttribute public var rockSetting: RockBitmap?
        /// Attribute 0x0009.
        @TraitAttribute public var windSupport: WindBitmap?
        /// Attribute 0x000A, writable.
        @TraitAttribute public var windSetting: WindBitmap?
        /// Attribute 0x000B, writable.
        @TraitAttribute public var airflowDirection: AirflowDirectionEnum?
        /// Attribute 0xFFF9.
        @TraitAttribute public var acceptedCommandList: [UInt32]?
        /// Attribute 0xFFFB.
        @TraitAttribute public var attributeList: [UInt32]?
        /// Attribute 0xFFFC.
        @TraitAttribute public var featureMap: Feature?

        init(_ source: TraitSource) {
            _fanMode = source.attribute(0x0000)
            _fanModeSequence = source.attribute(0x0001)
            _percentSetting = source.attribute(0x0002)
            _percentCurrent = source.attribute(0x0003)
            _speedMax = source.attribute(0x0004)
            _speedSetting = source.attribute(0x0005)
            _speedCurrent = source.attribute(0x0006)
            _rockSupport = source.attribute(0x0007)
            _rockSetting = source.attribute(0x0008)
            _windSupport = source.attribute(0x0009)
            _windSetting = source.attribute(0x000A)
            _airflowDirection = source.attribute(0x000B)
            _acceptedCommandList = source.attribute(0xFFF9)
            _attributeList = source.attribute(0xFFFB)
            _featureMap = source.attribute(0xFFFC)
        }
    }

    /// New values for attributes.
    public struct MutableAttributes: Sendable {
        var changes = AttributeChanges()

        /// Sets attribute 0x0000.
        public mutating func setFanMode(_ value: FanModeEnum) { changes.set(0x0000, value) }

        /// Sets attribute 0x0002; `nil` for null.
        public mutating func setPercentSetting(_ value: UInt8?) { changes.set(0x0002, value) }

        /// Sets attribute 0x0005; `nil` for null.
        public mutating func setSpeedSetting(_ value: UInt8?) { changes.set(0x0005, value) }

        /// Sets attribute 0x0008.
        public mutating func setRockSetting(_ value: RockBitmap) { changes.set(0x0008, value) }

        /// Sets attribute 0x000A.
        public mutating func setWindSetting(_ value: WindBitmap) { changes.set(0x000A, value) }

        /// Sets attribute 0x000B.
        public mutating func setAirflowDirection(_ value: AirflowDirectionEnum) { changes.set(0x000B, value) }
    }
}

extension Matter.FanControlTrait {
    /// Sends command 0x00.
    ///
    /// - Throws: ``HomeError`` when the device refuses or does not answer.
    nonisolated(nonsending) public func step(
        direction: StepDirectionEnum, _ optionalArguments: (inout StepOptionalArguments) -> Void = { _ in }
    ) async throws {
        try await stepBatchable(direction: direction, optionalArguments).send()
    }
    /// Command 0x00, to be sent with others.
    public func stepBatchable(
        direction: StepDirectionEnum, _ optionalArguments: (inout StepOptionalArguments) -> Void = { _ in }
    ) -> BatchableCommand<Void> {
        var arguments = StepOptionalArguments()
        optionalArguments(&arguments)
        return source.command(
            0x00,
            [
                CommandField(0, direction), CommandField(1, optional: arguments.wrap),
                CommandField(2, optional: arguments.lowestOff),
            ])
    }
    /// Whether the device says that it takes command 0x00.
    public var supportsStepCommand: Bool { source.takes(0x00) }

    /// What command 0x00 can do without.
    public struct StepOptionalArguments: Sendable {
        var wrap: Bool?
        var lowestOff: Bool?
        /// Gives field 1.
        public mutating func setWrap(_ value: Bool) { wrap = value }
        /// Gives field 2.
        public mutating func setLowestOff(_ value: Bool) { lowestOff = value }
    }
}

extension Matter.FanControlTrait {
    /// An enumeration of the cluster.
    public enum FanModeEnum: UInt8, TraitEnum, TraitValue {
        /// Value 0.
        case off = 0
        /// Value 1.
        case low = 1
        /// Value 2.
        case medium = 2
        /// Value 3.
        case high = 3
        /// Value 4.
        case on = 4
        /// Value 5.
        case auto = 5
        /// Value 6.
        case smart = 6
        /// A value that this version does not know.
        case unrecognized_ = 255
    }

    /// An enumeration of the cluster.
    public enum FanModeSequenceEnum: UInt8, TraitEnum, TraitValue {
        /// Value 0.
        case offLowMedHigh = 0
        /// Value 1.
        case offLowHigh = 1
        /// Value 2.
        case offLowMedHighAuto = 2
        /// Value 3.
        case offLowHighAuto = 3
        /// Value 4.
        case offHighAuto = 4
        /// Value 5.
        case offHigh = 5
        /// A value that this version does not know.
        case unrecognized_ = 255
    }

    /// A set of bits of the cluster.
    public struct RockBitmap: OptionSet, TraitValue {
        /// The bits.
        public let rawValue: UInt8
        /// Takes bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// Bits 0x01.
        public static let rockLeftRight = Self(rawValue: 0x01)
        /// Bits 0x02.
        public static let rockUpDown = Self(rawValue: 0x02)
        /// Bits 0x04.
        public static let rockRound = Self(rawValue: 0x04)
    }

    /// A set of bits of the cluster.
    public struct WindBitmap: OptionSet, TraitValue {
        /// The bits.
        public let rawValue: UInt8
        /// Takes bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// Bits 0x01.
        public static let sleepWind = Self(rawValue: 0x01)
        /// Bits 0x02.
        public static let naturalWind = Self(rawValue: 0x02)
    }

    /// An enumeration of the cluster.
    public enum AirflowDirectionEnum: UInt8, TraitEnum, TraitValue {
        /// Value 0.
        case forward = 0
        /// Value 1.
        case reverse = 1
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
        public static let multiSpeed = Self(rawValue: 0x01)
        /// Bits 0x02.
        public static let auto = Self(rawValue: 0x02)
        /// Bits 0x04.
        public static let rocking = Self(rawValue: 0x04)
        /// Bits 0x08.
        public static let wind = Self(rawValue: 0x08)
        /// Bits 0x10.
        public static let step = Self(rawValue: 0x10)
        /// Bits 0x20.
        public static let airflowDirection = Self(rawValue: 0x20)
    }

    /// An enumeration of the cluster.
    public enum StepDirectionEnum: UInt8, TraitEnum, TraitValue {
        /// Value 0.
        case increase = 0
        /// Value 1.
        case decrease = 1
        /// A value that this version does not know.
        case unrecognized_ = 255
    }
}
