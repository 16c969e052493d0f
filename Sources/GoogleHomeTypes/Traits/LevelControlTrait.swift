public import GoogleHomeSDK

extension Matter {
    /// The LevelControl cluster (0x0008): sets a level, for example of brightness.
    ///
    /// Attributes and commands have the names of the Matter application clusters (Application Clusters 1.4.2).
    public struct LevelControlTrait: Trait {
        /// Names the trait.
        public static let identifier = "home.matter.0000.clusters.0008"
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

extension Matter.LevelControlTrait {
    /// What the device said of the cluster.
    public struct Attributes: Hashable, Sendable {
        /// Attribute 0x0000.
        @TraitAttribute public var currentLevel: UInt8?
        /// Attribute 0x0001.
        @TraitAttribute public var remainingTime: UInt16?
        /// Attribute 0x0002.
        @TraitAttribute public var minLevel: UInt8?
        /// Attribute 0x0003.
        @TraitAttribute public var maxLevel: UInt8?
        /// Attribute 0x0004.
        @TraitAttribute public var currentFrequency: UInt16?
        /// Attribute 0x0005.
        @TraitAttribute public var minFrequency: UInt16?
        /// Attribute 0x0006.
        @TraitAttribute public var maxFrequency: UInt16?
        /// Attribute 0x000F, writable.
        @TraitAttribute public var options: OptionsBitmap?
        /// Attribute 0x0010, writable.
        @TraitAttribute public var onOffTransitionTime: UInt16?
        /// Attribute 0x0011, writable.
        @TraitAttribute public var onLevel: UInt8?
        /// Attribute 0x0012, writable.
        @TraitAttribute public var onTransitionTime: UInt16?
        /// Attribute 0x0013, writable.
        @TraitAttribute public var offTransitionTime: UInt16?
        /// Attribute 0x0014, writable.
        @TraitAttribute public var defaultMoveRate: UInt8?
        /// Attribute 0x4000, writable.
        @TraitAttribute public var startUpCurrentLevel: UInt8?
        /// Attribute 0xFFF9.
        @TraitAttribute public var acceptedCommandList: [UInt32]?
        /// Attribute 0xFFFB.
        @TraitAttribute public var attributeList: [UInt32]?
        /// Attribute 0xFFFC.
        @TraitAttribute public var featureMap: Feature?

        init(_ source: TraitSource) {
            _currentLevel = source.attribute(0x0000)
            _remainingTime = source.attribute(0x0001)
            _minLevel = source.attribute(0x0002)
            _maxLevel = source.attribute(0x0003)
            _currentFrequency = source.attribute(0x0004)
            _minFrequency = source.attribute(0x0005)
            _maxFrequency = source.attribute(0x0006)
            _options = source.attribute(0x000F)
            _onOffTransitionTime = source.attribute(0x0010)
            _onLevel = source.attribute(0x0011)
            _onTransitionTime = source.attribute(0x0012)
            _offTransitionTime = source.attribute(0x0013)
            _defaultMoveRate = source.attribute(0x0014)
            _startUpCurrentLevel = source.attribute(0x4000)
            _acceptedCommandList = source.attribute(0xFFF9)
            _attributeList = source.attribute(0xFFFB)
            _featureMap = source.attribute(0xFFFC)
        }
    }

    /// New values for attributes.
    public struct MutableAttributes: Sendable {
        var changes = AttributeChanges()

        /// Sets attribute 0x000F.
        public mutating func setOptions(_ value: OptionsBitmap) { changes.set(0x000F, value) }

        /// Sets attribute 0x0010.
        public mutating func setOnOffTransitionTime(_ value: UInt16) { changes.set(0x0010, value) }

        /// Sets attribute 0x0011; `nil` for null.
        public mutating func setOnLevel(_ value: UInt8?) { changes.set(0x0011, value) }

        /// Sets attribute 0x0012; `nil` for null.
        public mutating func setOnTransitionTime(_ value: UInt16?) { changes.set(0x0012, value) }

        /// Sets attribute 0x0013; `nil` for null.
        public mutating func setOffTransitionTime(_ value: UInt16?) { changes.set(0x0013, value) }

        /// Sets attribute 0x0014; `nil` for null.
        public mutating func setDefaultMoveRate(_ value: UInt8?) { changes.set(0x0014, value) }

        /// Sets attribute 0x4000; `nil` for null.
        public mutating func setStartUpCurrentLevel(_ value: UInt8?) { changes.set(0x4000, value) }
    }
}

extension Matter.LevelControlTrait {
    /// Sends command 0x00.
    ///
    /// - Throws: ``HomeError`` when the device refuses or does not answer.
    public func moveToLevel(
        level: UInt8, transitionTime: UInt16?, optionsMask: OptionsBitmap, optionsOverride: OptionsBitmap
    ) async throws {
        try await moveToLevelBatchable(
            level: level, transitionTime: transitionTime, optionsMask: optionsMask, optionsOverride: optionsOverride
        ).send()
    }
    /// Command 0x00, to be sent with others.
    public func moveToLevelBatchable(
        level: UInt8, transitionTime: UInt16?, optionsMask: OptionsBitmap, optionsOverride: OptionsBitmap
    ) -> BatchableCommand<Void> {
        source.command(
            0x00,
            [
                CommandField(0, level), CommandField(1, transitionTime), CommandField(2, optionsMask),
                CommandField(3, optionsOverride),
            ])
    }
    /// Whether the device says that it takes command 0x00.
    public var supportsMoveToLevelCommand: Bool { source.takes(0x00) }

    /// Sends command 0x01.
    ///
    /// - Throws: ``HomeError`` when the device refuses or does not answer.
    public func move(moveMode: MoveModeEnum, rate: UInt8?, optionsMask: OptionsBitmap, optionsOverride: OptionsBitmap)
        async throws
    {
        try await moveBatchable(
            moveMode: moveMode, rate: rate, optionsMask: optionsMask, optionsOverride: optionsOverride
        ).send()
    }
    /// Command 0x01, to be sent with others.
    public func moveBatchable(
        moveMode: MoveModeEnum, rate: UInt8?, optionsMask: OptionsBitmap, optionsOverride: OptionsBitmap
    ) -> BatchableCommand<Void> {
        source.command(
            0x01,
            [
                CommandField(0, moveMode), CommandField(1, rate), CommandField(2, optionsMask),
                CommandField(3, optionsOverride),
            ])
    }
    /// Whether the device says that it takes command 0x01.
    public var supportsMoveCommand: Bool { source.takes(0x01) }

    /// Sends command 0x02.
    ///
    /// - Throws: ``HomeError`` when the device refuses or does not answer.
    public func step(
        stepMode: StepModeEnum, stepSize: UInt8, transitionTime: UInt16?, optionsMask: OptionsBitmap,
        optionsOverride: OptionsBitmap
    ) async throws {
        try await stepBatchable(
            stepMode: stepMode, stepSize: stepSize, transitionTime: transitionTime, optionsMask: optionsMask,
            optionsOverride: optionsOverride
        ).send()
    }
    /// Command 0x02, to be sent with others.
    public func stepBatchable(
        stepMode: StepModeEnum, stepSize: UInt8, transitionTime: UInt16?, optionsMask: OptionsBitmap,
        optionsOverride: OptionsBitmap
    ) -> BatchableCommand<Void> {
        source.command(
            0x02,
            [
                CommandField(0, stepMode), CommandField(1, stepSize), CommandField(2, transitionTime),
                CommandField(3, optionsMask), CommandField(4, optionsOverride),
            ])
    }
    /// Whether the device says that it takes command 0x02.
    public var supportsStepCommand: Bool { source.takes(0x02) }

    /// Sends command 0x03.
    ///
    /// - Throws: ``HomeError`` when the device refuses or does not answer.
    public func stop(optionsMask: OptionsBitmap, optionsOverride: OptionsBitmap) async throws {
        try await stopBatchable(optionsMask: optionsMask, optionsOverride: optionsOverride).send()
    }
    /// Command 0x03, to be sent with others.
    public func stopBatchable(optionsMask: OptionsBitmap, optionsOverride: OptionsBitmap) -> BatchableCommand<Void> {
        source.command(0x03, [CommandField(0, optionsMask), CommandField(1, optionsOverride)])
    }
    /// Whether the device says that it takes command 0x03.
    public var supportsStopCommand: Bool { source.takes(0x03) }

    /// Sends command 0x04.
    ///
    /// - Throws: ``HomeError`` when the device refuses or does not answer.
    public func moveToLevelWithOnOff(
        level: UInt8, transitionTime: UInt16?, optionsMask: OptionsBitmap, optionsOverride: OptionsBitmap
    ) async throws {
        try await moveToLevelWithOnOffBatchable(
            level: level, transitionTime: transitionTime, optionsMask: optionsMask, optionsOverride: optionsOverride
        ).send()
    }
    /// Command 0x04, to be sent with others.
    public func moveToLevelWithOnOffBatchable(
        level: UInt8, transitionTime: UInt16?, optionsMask: OptionsBitmap, optionsOverride: OptionsBitmap
    ) -> BatchableCommand<Void> {
        source.command(
            0x04,
            [
                CommandField(0, level), CommandField(1, transitionTime), CommandField(2, optionsMask),
                CommandField(3, optionsOverride),
            ])
    }
    /// Whether the device says that it takes command 0x04.
    public var supportsMoveToLevelWithOnOffCommand: Bool { source.takes(0x04) }

    /// Sends command 0x05.
    ///
    /// - Throws: ``HomeError`` when the device refuses or does not answer.
    public func moveWithOnOff(
        moveMode: MoveModeEnum, rate: UInt8?, optionsMask: OptionsBitmap, optionsOverride: OptionsBitmap
    ) async throws {
        try await moveWithOnOffBatchable(
            moveMode: moveMode, rate: rate, optionsMask: optionsMask, optionsOverride: optionsOverride
        ).send()
    }
    /// Command 0x05, to be sent with others.
    public func moveWithOnOffBatchable(
        moveMode: MoveModeEnum, rate: UInt8?, optionsMask: OptionsBitmap, optionsOverride: OptionsBitmap
    ) -> BatchableCommand<Void> {
        source.command(
            0x05,
            [
                CommandField(0, moveMode), CommandField(1, rate), CommandField(2, optionsMask),
                CommandField(3, optionsOverride),
            ])
    }
    /// Whether the device says that it takes command 0x05.
    public var supportsMoveWithOnOffCommand: Bool { source.takes(0x05) }

    /// Sends command 0x06.
    ///
    /// - Throws: ``HomeError`` when the device refuses or does not answer.
    public func stepWithOnOff(
        stepMode: StepModeEnum, stepSize: UInt8, transitionTime: UInt16?, optionsMask: OptionsBitmap,
        optionsOverride: OptionsBitmap
    ) async throws {
        try await stepWithOnOffBatchable(
            stepMode: stepMode, stepSize: stepSize, transitionTime: transitionTime, optionsMask: optionsMask,
            optionsOverride: optionsOverride
        ).send()
    }
    /// Command 0x06, to be sent with others.
    public func stepWithOnOffBatchable(
        stepMode: StepModeEnum, stepSize: UInt8, transitionTime: UInt16?, optionsMask: OptionsBitmap,
        optionsOverride: OptionsBitmap
    ) -> BatchableCommand<Void> {
        source.command(
            0x06,
            [
                CommandField(0, stepMode), CommandField(1, stepSize), CommandField(2, transitionTime),
                CommandField(3, optionsMask), CommandField(4, optionsOverride),
            ])
    }
    /// Whether the device says that it takes command 0x06.
    public var supportsStepWithOnOffCommand: Bool { source.takes(0x06) }

    /// Sends command 0x07.
    ///
    /// - Throws: ``HomeError`` when the device refuses or does not answer.
    public func stopWithOnOff(optionsMask: OptionsBitmap, optionsOverride: OptionsBitmap) async throws {
        try await stopWithOnOffBatchable(optionsMask: optionsMask, optionsOverride: optionsOverride).send()
    }
    /// Command 0x07, to be sent with others.
    public func stopWithOnOffBatchable(optionsMask: OptionsBitmap, optionsOverride: OptionsBitmap) -> BatchableCommand<
        Void
    > {
        source.command(0x07, [CommandField(0, optionsMask), CommandField(1, optionsOverride)])
    }
    /// Whether the device says that it takes command 0x07.
    public var supportsStopWithOnOffCommand: Bool { source.takes(0x07) }
}

extension Matter.LevelControlTrait {
    /// A set of bits of the cluster.
    public struct OptionsBitmap: OptionSet, TraitValue {
        /// The bits.
        public let rawValue: UInt8
        /// Takes bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// Bits 0x01.
        public static let executeIfOff = Self(rawValue: 0x01)
        /// Bits 0x02.
        public static let coupleColorTempToLevel = Self(rawValue: 0x02)
    }

    /// A set of bits of the cluster.
    public struct Feature: OptionSet, TraitValue {
        /// The bits.
        public let rawValue: UInt32
        /// Takes bits.
        public init(rawValue: UInt32) { self.rawValue = rawValue }
        /// Bits 0x01.
        public static let onOff = Self(rawValue: 0x01)
        /// Bits 0x02.
        public static let lighting = Self(rawValue: 0x02)
        /// Bits 0x04.
        public static let frequency = Self(rawValue: 0x04)
    }

    /// An enumeration of the cluster.
    public enum MoveModeEnum: UInt8, TraitEnum, TraitValue {
        /// Value 0.
        case up = 0
        /// Value 1.
        case down = 1
        /// A value that this version does not know.
        case unrecognized_ = 255
    }

    /// An enumeration of the cluster.
    public enum StepModeEnum: UInt8, TraitEnum, TraitValue {
        /// Value 0.
        case up = 0
        /// Value 1.
        case down = 1
        /// A value that this version does not know.
        case unrecognized_ = 255
    }
}
