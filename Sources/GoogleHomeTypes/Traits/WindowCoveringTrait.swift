public import GoogleHomeSDK

extension Matter {
    /// The WindowCovering cluster (0x0102): moves a blind or a shutter.
    ///
    /// Attributes and commands have the names of the Matter application clusters (Application Clusters 1.4.2).
    public struct WindowCoveringTrait: Trait {
        /// Names the trait.
        public static let identifier = "home.matter.0000.clusters.0102"
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

extension Matter.WindowCoveringTrait {
    /// What the device said of the cluster.
    public struct Attributes: Hashable, Sendable {
        /// Attribute 0x0001.
        @TraitAttribute public var physicalClosedLimitLift: UInt16?
        /// Attribute 0x0002.
        @TraitAttribute public var physicalClosedLimitTilt: UInt16?
        /// Attribute 0x0003.
        @TraitAttribute public var currentPositionLift: UInt16?
        /// Attribute 0x0004.
        @TraitAttribute public var currentPositionTilt: UInt16?
        /// Attribute 0x0005.
        @TraitAttribute public var numberOfActuationsLift: UInt16?
        /// Attribute 0x0006.
        @TraitAttribute public var numberOfActuationsTilt: UInt16?
        /// Attribute 0x0007.
        @TraitAttribute public var configStatus: ConfigStatus?
        /// Attribute 0x0008.
        @TraitAttribute public var currentPositionLiftPercentage: UInt8?
        /// Attribute 0x0009.
        @TraitAttribute public var currentPositionTiltPercentage: UInt8?
        /// Attribute 0x000A.
        @TraitAttribute public var operationalStatus: OperationalStatus?
        /// Attribute 0x000B.
        @TraitAttribute public var targetPositionLiftPercent100ths: UInt16?
        /// Attribute 0x000C.
        @TraitAttribute public var targetPositionTiltPercent100ths: UInt16?
        /// Attribute 0x000D.
        @TraitAttribute public var endProductType: EndProductType?
        /// Attribute 0x000E.
        @TraitAttribute public var currentPositionLiftPercent100ths: UInt16?
        /// Attribute 0x000F.
        @TraitAttribute public var currentPositionTiltPercent100ths: UInt16?
        /// Attribute 0x0010.
        @TraitAttribute public var installedOpenLimitLift: UInt16?
        /// Attribute 0x0011.
        @TraitAttribute public var installedClosedLimitLift: UInt16?
        /// Attribute 0x0012.
        @TraitAttribute public var installedOpenLimitTilt: UInt16?
        /// Attribute 0x0013.
        @TraitAttribute public var installedClosedLimitTilt: UInt16?
        /// Attribute 0x0017, writable.
        @TraitAttribute public var mode: Mode?
        /// Attribute 0x001A.
        @TraitAttribute public var safetyStatus: SafetyStatus?
        /// Attribute 0xFFF9.
        @TraitAttribute public var acceptedCommandList: [UInt32]?
        /// Attribute 0xFFFB.
        @TraitAttribute public var attributeList: [UInt32]?
        /// Attribute 0xFFFC.
        @TraitAttribute public var featureMap: Feature?

        init(_ source: TraitSource) {
            _physicalClosedLimitLift = source.attribute(0x0001)
            _physicalClosedLimitTilt = source.attribute(0x0002)
            _currentPositionLift = source.attribute(0x0003)
            _currentPositionTilt = source.attribute(0x0004)
            _numberOfActuationsLift = source.attribute(0x0005)
            _numberOfActuationsTilt = source.attribute(0x0006)
            _configStatus = source.attribute(0x0007)
            _currentPositionLiftPercentage = source.attribute(0x0008)
            _currentPositionTiltPercentage = source.attribute(0x0009)
            _operationalStatus = source.attribute(0x000A)
            _targetPositionLiftPercent100ths = source.attribute(0x000B)
            _targetPositionTiltPercent100ths = source.attribute(0x000C)
            _endProductType = source.attribute(0x000D)
            _currentPositionLiftPercent100ths = source.attribute(0x000E)
            _currentPositionTiltPercent100ths = source.attribute(0x000F)
            _installedOpenLimitLift = source.attribute(0x0010)
            _installedClosedLimitLift = source.attribute(0x0011)
            _installedOpenLimitTilt = source.attribute(0x0012)
            _installedClosedLimitTilt = source.attribute(0x0013)
            _mode = source.attribute(0x0017)
            _safetyStatus = source.attribute(0x001A)
            _acceptedCommandList = source.attribute(0xFFF9)
            _attributeList = source.attribute(0xFFFB)
            _featureMap = source.attribute(0xFFFC)
        }
    }

    /// New values for attributes.
    public struct MutableAttributes: Sendable {
        var changes = AttributeChanges()

        /// Sets attribute 0x0017.
        public mutating func setMode(_ value: Mode) { changes.set(0x0017, value) }
    }
}

extension Matter.WindowCoveringTrait {
    /// Sends command 0x00.
    ///
    /// - Throws: ``HomeError`` when the device refuses or does not answer.
    public func upOrOpen() async throws {
        try await upOrOpenBatchable().send()
    }
    /// Command 0x00, to be sent with others.
    public func upOrOpenBatchable() -> BatchableCommand<Void> {
        source.command(0x00)
    }
    /// Whether the device says that it takes command 0x00.
    public var supportsUpOrOpenCommand: Bool { source.takes(0x00) }

    /// Sends command 0x01.
    ///
    /// - Throws: ``HomeError`` when the device refuses or does not answer.
    public func downOrClose() async throws {
        try await downOrCloseBatchable().send()
    }
    /// Command 0x01, to be sent with others.
    public func downOrCloseBatchable() -> BatchableCommand<Void> {
        source.command(0x01)
    }
    /// Whether the device says that it takes command 0x01.
    public var supportsDownOrCloseCommand: Bool { source.takes(0x01) }

    /// Sends command 0x02.
    ///
    /// - Throws: ``HomeError`` when the device refuses or does not answer.
    public func stopMotion() async throws {
        try await stopMotionBatchable().send()
    }
    /// Command 0x02, to be sent with others.
    public func stopMotionBatchable() -> BatchableCommand<Void> {
        source.command(0x02)
    }
    /// Whether the device says that it takes command 0x02.
    public var supportsStopMotionCommand: Bool { source.takes(0x02) }

    /// Sends command 0x04.
    ///
    /// - Throws: ``HomeError`` when the device refuses or does not answer.
    public func goToLiftValue(liftValue: UInt16) async throws {
        try await goToLiftValueBatchable(liftValue: liftValue).send()
    }
    /// Command 0x04, to be sent with others.
    public func goToLiftValueBatchable(liftValue: UInt16) -> BatchableCommand<Void> {
        source.command(0x04, [CommandField(0, liftValue)])
    }
    /// Whether the device says that it takes command 0x04.
    public var supportsGoToLiftValueCommand: Bool { source.takes(0x04) }

    /// Sends command 0x05.
    ///
    /// - Throws: ``HomeError`` when the device refuses or does not answer.
    public func goToLiftPercentage(liftPercent100thsValue: UInt16) async throws {
        try await goToLiftPercentageBatchable(liftPercent100thsValue: liftPercent100thsValue).send()
    }
    /// Command 0x05, to be sent with others.
    public func goToLiftPercentageBatchable(liftPercent100thsValue: UInt16) -> BatchableCommand<Void> {
        source.command(0x05, [CommandField(0, liftPercent100thsValue)])
    }
    /// Whether the device says that it takes command 0x05.
    public var supportsGoToLiftPercentageCommand: Bool { source.takes(0x05) }

    /// Sends command 0x07.
    ///
    /// - Throws: ``HomeError`` when the device refuses or does not answer.
    public func goToTiltValue(tiltValue: UInt16) async throws {
        try await goToTiltValueBatchable(tiltValue: tiltValue).send()
    }
    /// Command 0x07, to be sent with others.
    public func goToTiltValueBatchable(tiltValue: UInt16) -> BatchableCommand<Void> {
        source.command(0x07, [CommandField(0, tiltValue)])
    }
    /// Whether the device says that it takes command 0x07.
    public var supportsGoToTiltValueCommand: Bool { source.takes(0x07) }

    /// Sends command 0x08.
    ///
    /// - Throws: ``HomeError`` when the device refuses or does not answer.
    public func goToTiltPercentage(tiltPercent100thsValue: UInt16) async throws {
        try await goToTiltPercentageBatchable(tiltPercent100thsValue: tiltPercent100thsValue).send()
    }
    /// Command 0x08, to be sent with others.
    public func goToTiltPercentageBatchable(tiltPercent100thsValue: UInt16) -> BatchableCommand<Void> {
        source.command(0x08, [CommandField(0, tiltPercent100thsValue)])
    }
    /// Whether the device says that it takes command 0x08.
    public var supportsGoToTiltPercentageCommand: Bool { source.takes(0x08) }
}

extension Matter.WindowCoveringTrait {
    /// A set of bits of the cluster.
    public struct ConfigStatus: OptionSet, TraitValue {
        /// The bits.
        public let rawValue: UInt8
        /// Takes bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// Bits 0x01.
        public static let operational = Self(rawValue: 0x01)
        /// Bits 0x02.
        public static let onlineReserved = Self(rawValue: 0x02)
        /// Bits 0x04.
        public static let liftMovementReversed = Self(rawValue: 0x04)
        /// Bits 0x08.
        public static let liftPositionAware = Self(rawValue: 0x08)
        /// Bits 0x10.
        public static let tiltPositionAware = Self(rawValue: 0x10)
        /// Bits 0x20.
        public static let liftEncoderControlled = Self(rawValue: 0x20)
        /// Bits 0x40.
        public static let tiltEncoderControlled = Self(rawValue: 0x40)
    }

    /// A set of bits of the cluster.
    public struct OperationalStatus: OptionSet, TraitValue {
        /// The bits.
        public let rawValue: UInt8
        /// Takes bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// Bits 0x03.
        public static let global = Self(rawValue: 0x03)
        /// Bits 0x0C.
        public static let lift = Self(rawValue: 0x0C)
        /// Bits 0x30.
        public static let tilt = Self(rawValue: 0x30)
    }

    /// An enumeration of the cluster.
    public enum EndProductType: UInt8, TraitEnum, TraitValue {
        /// Value 0.
        case rollerShade = 0
        /// Value 1.
        case romanShade = 1
        /// Value 2.
        case balloonShade = 2
        /// Value 3.
        case wovenWood = 3
        /// Value 4.
        case pleatedShade = 4
        /// Value 5.
        case cellularShade = 5
        /// Value 6.
        case layeredShade = 6
        /// Value 7.
        case layeredShade2D = 7
        /// Value 8.
        case sheerShade = 8
        /// Value 9.
        case tiltOnlyInteriorBlind = 9
        /// Value 10.
        case interiorBlind = 10
        /// Value 11.
        case verticalBlindStripCurtain = 11
        /// Value 12.
        case interiorVenetianBlind = 12
        /// Value 13.
        case exteriorVenetianBlind = 13
        /// Value 14.
        case lateralLeftCurtain = 14
        /// Value 15.
        case lateralRightCurtain = 15
        /// Value 16.
        case centralCurtain = 16
        /// Value 17.
        case rollerShutter = 17
        /// Value 18.
        case exteriorVerticalScreen = 18
        /// Value 19.
        case awningTerracePatio = 19
        /// Value 20.
        case awningVerticalScreen = 20
        /// Value 21.
        case tiltOnlyPergola = 21
        /// Value 22.
        case swingingShutter = 22
        /// Value 23.
        case slidingShutter = 23
        /// Value 255.
        case unknown = 255
        /// A value that this version does not know.
        case unrecognized_ = 254
    }

    /// A set of bits of the cluster.
    public struct Mode: OptionSet, TraitValue {
        /// The bits.
        public let rawValue: UInt8
        /// Takes bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// Bits 0x01.
        public static let motorDirectionReversed = Self(rawValue: 0x01)
        /// Bits 0x02.
        public static let calibrationMode = Self(rawValue: 0x02)
        /// Bits 0x04.
        public static let maintenanceMode = Self(rawValue: 0x04)
        /// Bits 0x08.
        public static let ledFeedback = Self(rawValue: 0x08)
    }

    /// A set of bits of the cluster.
    public struct SafetyStatus: OptionSet, TraitValue {
        /// The bits.
        public let rawValue: UInt16
        /// Takes bits.
        public init(rawValue: UInt16) { self.rawValue = rawValue }
        /// Bits 0x01.
        public static let remoteLockout = Self(rawValue: 0x01)
        /// Bits 0x02.
        public static let tamperDetection = Self(rawValue: 0x02)
        /// Bits 0x04.
        public static let failedCommunication = Self(rawValue: 0x04)
        /// Bits 0x08.
        public static let positionFailure = Self(rawValue: 0x08)
        /// Bits 0x10.
        public static let thermalProtection = Self(rawValue: 0x10)
        /// Bits 0x20.
        public static let obstacleDetected = Self(rawValue: 0x20)
        /// Bits 0x40.
        public static let power = Self(rawValue: 0x40)
        /// Bits 0x80.
        public static let stopInput = Self(rawValue: 0x80)
        /// Bits 0x100.
        public static let motorJammed = Self(rawValue: 0x100)
        /// Bits 0x200.
        public static let hardwareFailure = Self(rawValue: 0x200)
        /// Bits 0x400.
        public static let manualOperation = Self(rawValue: 0x400)
        /// Bits 0x800.
        public static let protection = Self(rawValue: 0x800)
    }

    /// A set of bits of the cluster.
    public struct Feature: OptionSet, TraitValue {
        /// The bits.
        public let rawValue: UInt32
        /// Takes bits.
        public init(rawValue: UInt32) { self.rawValue = rawValue }
        /// Bits 0x01.
        public static let lift = Self(rawValue: 0x01)
        /// Bits 0x02.
        public static let tilt = Self(rawValue: 0x02)
        /// Bits 0x04.
        public static let positionAwareLift = Self(rawValue: 0x04)
        /// Bits 0x08.
        public static let absolutePosition = Self(rawValue: 0x08)
        /// Bits 0x10.
        public static let positionAwareTilt = Self(rawValue: 0x10)
    }
}
