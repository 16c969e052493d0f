public import GoogleHomeSDK

extension Matter {
    /// The ColorControl cluster (0x0300): sets a colour, or a colour temperature.
    ///
    /// Attributes and commands have the names of the Matter application clusters (Application Clusters 1.4.2).
    public struct ColorControlTrait: Trait {
        /// Names the trait.
        public static let identifier = "home.matter.0000.clusters.0300"
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

extension Matter.ColorControlTrait {
    /// What the device said of the cluster.
    public struct Attributes: Hashable, Sendable {
        /// Attribute 0x0000.
        @TraitAttribute public var currentHue: UInt8?
        /// Attribute 0x0001.
        @TraitAttribute public var currentSaturation: UInt8?
        /// Attribute 0x0002.
        @TraitAttribute public var remainingTime: UInt16?
        /// Attribute 0x0003.
        @TraitAttribute public var currentX: UInt16?
        /// Attribute 0x0004.
        @TraitAttribute public var currentY: UInt16?
        /// Attribute 0x0007.
        @TraitAttribute public var colorTemperatureMireds: UInt16?
        /// Attribute 0x0008.
        @TraitAttribute public var colorMode: ColorModeEnum?
        /// Attribute 0x000F, writable.
        @TraitAttribute public var options: OptionsBitmap?
        /// Attribute 0x4000.
        @TraitAttribute public var enhancedCurrentHue: UInt16?
        /// Attribute 0x4001.
        @TraitAttribute public var enhancedColorMode: EnhancedColorModeEnum?
        /// Attribute 0x4002.
        @TraitAttribute public var colorLoopActive: UInt8?
        /// Attribute 0x400A.
        @TraitAttribute public var colorCapabilities: ColorCapabilitiesBitmap?
        /// Attribute 0x400B.
        @TraitAttribute public var colorTempPhysicalMinMireds: UInt16?
        /// Attribute 0x400C.
        @TraitAttribute public var colorTempPhysicalMaxMireds: UInt16?
        /// Attribute 0x400D.
        @TraitAttribute public var coupleColorTempToLevelMinMireds: UInt16?
        /// Attribute 0x4010, writable.
        @TraitAttribute public var startUpColorTemperatureMireds: UInt16?
        /// Attribute 0xFFF9.
        @TraitAttribute public var acceptedCommandList: [UInt32]?
        /// Attribute 0xFFFB.
        @TraitAttribute public var attributeList: [UInt32]?
        /// Attribute 0xFFFC.
        @TraitAttribute public var featureMap: Feature?

        init(_ source: TraitSource) {
            _currentHue = source.attribute(0x0000)
            _currentSaturation = source.attribute(0x0001)
            _remainingTime = source.attribute(0x0002)
            _currentX = source.attribute(0x0003)
            _currentY = source.attribute(0x0004)
            _colorTemperatureMireds = source.attribute(0x0007)
            _colorMode = source.attribute(0x0008)
            _options = source.attribute(0x000F)
            _enhancedCurrentHue = source.attribute(0x4000)
            _enhancedColorMode = source.attribute(0x4001)
            _colorLoopActive = source.attribute(0x4002)
            _colorCapabilities = source.attribute(0x400A)
            _colorTempPhysicalMinMireds = source.attribute(0x400B)
            _colorTempPhysicalMaxMireds = source.attribute(0x400C)
            _coupleColorTempToLevelMinMireds = source.attribute(0x400D)
            _startUpColorTemperatureMireds = source.attribute(0x4010)
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

        /// Sets attribute 0x4010; `nil` for null.
        public mutating func setStartUpColorTemperatureMireds(_ value: UInt16?) { changes.set(0x4010, value) }
    }
}

extension Matter.ColorControlTrait {
    /// Sends command 0x00.
    ///
    /// - Throws: ``HomeError`` when the device refuses or does not answer.
    public func moveToHue(
        hue: UInt8, direction: DirectionEnum, transitionTime: UInt16, optionsMask: OptionsBitmap,
        optionsOverride: OptionsBitmap
    ) async throws {
        try await moveToHueBatchable(
            hue: hue, direction: direction, transitionTime: transitionTime, optionsMask: optionsMask,
            optionsOverride: optionsOverride
        ).send()
    }
    /// Command 0x00, to be sent with others.
    public func moveToHueBatchable(
        hue: UInt8, direction: DirectionEnum, transitionTime: UInt16, optionsMask: OptionsBitmap,
        optionsOverride: OptionsBitmap
    ) -> BatchableCommand<Void> {
        source.command(
            0x00,
            [
                CommandField(0, hue), CommandField(1, direction), CommandField(2, transitionTime),
                CommandField(3, optionsMask), CommandField(4, optionsOverride),
            ])
    }
    /// Whether the device says that it takes command 0x00.
    public var supportsMoveToHueCommand: Bool { source.takes(0x00) }

    /// Sends command 0x03.
    ///
    /// - Throws: ``HomeError`` when the device refuses or does not answer.
    public func moveToSaturation(
        saturation: UInt8, transitionTime: UInt16, optionsMask: OptionsBitmap, optionsOverride: OptionsBitmap
    ) async throws {
        try await moveToSaturationBatchable(
            saturation: saturation, transitionTime: transitionTime, optionsMask: optionsMask,
            optionsOverride: optionsOverride
        ).send()
    }
    /// Command 0x03, to be sent with others.
    public func moveToSaturationBatchable(
        saturation: UInt8, transitionTime: UInt16, optionsMask: OptionsBitmap, optionsOverride: OptionsBitmap
    ) -> BatchableCommand<Void> {
        source.command(
            0x03,
            [
                CommandField(0, saturation), CommandField(1, transitionTime), CommandField(2, optionsMask),
                CommandField(3, optionsOverride),
            ])
    }
    /// Whether the device says that it takes command 0x03.
    public var supportsMoveToSaturationCommand: Bool { source.takes(0x03) }

    /// Sends command 0x06.
    ///
    /// - Throws: ``HomeError`` when the device refuses or does not answer.
    public func moveToHueAndSaturation(
        hue: UInt8, saturation: UInt8, transitionTime: UInt16, optionsMask: OptionsBitmap,
        optionsOverride: OptionsBitmap
    ) async throws {
        try await moveToHueAndSaturationBatchable(
            hue: hue, saturation: saturation, transitionTime: transitionTime, optionsMask: optionsMask,
            optionsOverride: optionsOverride
        ).send()
    }
    /// Command 0x06, to be sent with others.
    public func moveToHueAndSaturationBatchable(
        hue: UInt8, saturation: UInt8, transitionTime: UInt16, optionsMask: OptionsBitmap,
        optionsOverride: OptionsBitmap
    ) -> BatchableCommand<Void> {
        source.command(
            0x06,
            [
                CommandField(0, hue), CommandField(1, saturation), CommandField(2, transitionTime),
                CommandField(3, optionsMask), CommandField(4, optionsOverride),
            ])
    }
    /// Whether the device says that it takes command 0x06.
    public var supportsMoveToHueAndSaturationCommand: Bool { source.takes(0x06) }

    /// Sends command 0x07.
    ///
    /// - Throws: ``HomeError`` when the device refuses or does not answer.
    public func moveToColor(
        colorX: UInt16, colorY: UInt16, transitionTime: UInt16, optionsMask: OptionsBitmap,
        optionsOverride: OptionsBitmap
    ) async throws {
        try await moveToColorBatchable(
            colorX: colorX, colorY: colorY, transitionTime: transitionTime, optionsMask: optionsMask,
            optionsOverride: optionsOverride
        ).send()
    }
    /// Command 0x07, to be sent with others.
    public func moveToColorBatchable(
        colorX: UInt16, colorY: UInt16, transitionTime: UInt16, optionsMask: OptionsBitmap,
        optionsOverride: OptionsBitmap
    ) -> BatchableCommand<Void> {
        source.command(
            0x07,
            [
                CommandField(0, colorX), CommandField(1, colorY), CommandField(2, transitionTime),
                CommandField(3, optionsMask), CommandField(4, optionsOverride),
            ])
    }
    /// Whether the device says that it takes command 0x07.
    public var supportsMoveToColorCommand: Bool { source.takes(0x07) }

    /// Sends command 0x0A.
    ///
    /// - Throws: ``HomeError`` when the device refuses or does not answer.
    public func moveToColorTemperature(
        colorTemperatureMireds: UInt16, transitionTime: UInt16, optionsMask: OptionsBitmap,
        optionsOverride: OptionsBitmap
    ) async throws {
        try await moveToColorTemperatureBatchable(
            colorTemperatureMireds: colorTemperatureMireds, transitionTime: transitionTime, optionsMask: optionsMask,
            optionsOverride: optionsOverride
        ).send()
    }
    /// Command 0x0A, to be sent with others.
    public func moveToColorTemperatureBatchable(
        colorTemperatureMireds: UInt16, transitionTime: UInt16, optionsMask: OptionsBitmap,
        optionsOverride: OptionsBitmap
    ) -> BatchableCommand<Void> {
        source.command(
            0x0A,
            [
                CommandField(0, colorTemperatureMireds), CommandField(1, transitionTime), CommandField(2, optionsMask),
                CommandField(3, optionsOverride),
            ])
    }
    /// Whether the device says that it takes command 0x0A.
    public var supportsMoveToColorTemperatureCommand: Bool { source.takes(0x0A) }

    /// Sends command 0x40.
    ///
    /// - Throws: ``HomeError`` when the device refuses or does not answer.
    public func enhancedMoveToHue(
        enhancedHue: UInt16, direction: DirectionEnum, transitionTime: UInt16, optionsMask: OptionsBitmap,
        optionsOverride: OptionsBitmap
    ) async throws {
        try await enhancedMoveToHueBatchable(
            enhancedHue: enhancedHue, direction: direction, transitionTime: transitionTime, optionsMask: optionsMask,
            optionsOverride: optionsOverride
        ).send()
    }
    /// Command 0x40, to be sent with others.
    public func enhancedMoveToHueBatchable(
        enhancedHue: UInt16, direction: DirectionEnum, transitionTime: UInt16, optionsMask: OptionsBitmap,
        optionsOverride: OptionsBitmap
    ) -> BatchableCommand<Void> {
        source.command(
            0x40,
            [
                CommandField(0, enhancedHue), CommandField(1, direction), CommandField(2, transitionTime),
                CommandField(3, optionsMask), CommandField(4, optionsOverride),
            ])
    }
    /// Whether the device says that it takes command 0x40.
    public var supportsEnhancedMoveToHueCommand: Bool { source.takes(0x40) }

    /// Sends command 0x43.
    ///
    /// - Throws: ``HomeError`` when the device refuses or does not answer.
    public func enhancedMoveToHueAndSaturation(
        enhancedHue: UInt16, saturation: UInt8, transitionTime: UInt16, optionsMask: OptionsBitmap,
        optionsOverride: OptionsBitmap
    ) async throws {
        try await enhancedMoveToHueAndSaturationBatchable(
            enhancedHue: enhancedHue, saturation: saturation, transitionTime: transitionTime, optionsMask: optionsMask,
            optionsOverride: optionsOverride
        ).send()
    }
    /// Command 0x43, to be sent with others.
    public func enhancedMoveToHueAndSaturationBatchable(
        enhancedHue: UInt16, saturation: UInt8, transitionTime: UInt16, optionsMask: OptionsBitmap,
        optionsOverride: OptionsBitmap
    ) -> BatchableCommand<Void> {
        source.command(
            0x43,
            [
                CommandField(0, enhancedHue), CommandField(1, saturation), CommandField(2, transitionTime),
                CommandField(3, optionsMask), CommandField(4, optionsOverride),
            ])
    }
    /// Whether the device says that it takes command 0x43.
    public var supportsEnhancedMoveToHueAndSaturationCommand: Bool { source.takes(0x43) }

    /// Sends command 0x47.
    ///
    /// - Throws: ``HomeError`` when the device refuses or does not answer.
    public func stopMoveStep(optionsMask: OptionsBitmap, optionsOverride: OptionsBitmap) async throws {
        try await stopMoveStepBatchable(optionsMask: optionsMask, optionsOverride: optionsOverride).send()
    }
    /// Command 0x47, to be sent with others.
    public func stopMoveStepBatchable(optionsMask: OptionsBitmap, optionsOverride: OptionsBitmap) -> BatchableCommand<
        Void
    > {
        source.command(0x47, [CommandField(0, optionsMask), CommandField(1, optionsOverride)])
    }
    /// Whether the device says that it takes command 0x47.
    public var supportsStopMoveStepCommand: Bool { source.takes(0x47) }

    /// Sends command 0x4B.
    ///
    /// - Throws: ``HomeError`` when the device refuses or does not answer.
    public func moveColorTemperature(
        moveMode: MoveModeEnum, rate: UInt16, colorTemperatureMinimumMireds: UInt16,
        colorTemperatureMaximumMireds: UInt16, optionsMask: OptionsBitmap, optionsOverride: OptionsBitmap
    ) async throws {
        try await moveColorTemperatureBatchable(
            moveMode: moveMode, rate: rate, colorTemperatureMinimumMireds: colorTemperatureMinimumMireds,
            colorTemperatureMaximumMireds: colorTemperatureMaximumMireds, optionsMask: optionsMask,
            optionsOverride: optionsOverride
        ).send()
    }
    /// Command 0x4B, to be sent with others.
    public func moveColorTemperatureBatchable(
        moveMode: MoveModeEnum, rate: UInt16, colorTemperatureMinimumMireds: UInt16,
        colorTemperatureMaximumMireds: UInt16, optionsMask: OptionsBitmap, optionsOverride: OptionsBitmap
    ) -> BatchableCommand<Void> {
        source.command(
            0x4B,
            [
                CommandField(0, moveMode), CommandField(1, rate), CommandField(2, colorTemperatureMinimumMireds),
                CommandField(3, colorTemperatureMaximumMireds), CommandField(4, optionsMask),
                CommandField(5, optionsOverride),
            ])
    }
    /// Whether the device says that it takes command 0x4B.
    public var supportsMoveColorTemperatureCommand: Bool { source.takes(0x4B) }

    /// Sends command 0x4C.
    ///
    /// - Throws: ``HomeError`` when the device refuses or does not answer.
    public func stepColorTemperature(
        stepMode: StepModeEnum, stepSize: UInt16, transitionTime: UInt16, colorTemperatureMinimumMireds: UInt16,
        colorTemperatureMaximumMireds: UInt16, optionsMask: OptionsBitmap, optionsOverride: OptionsBitmap
    ) async throws {
        try await stepColorTemperatureBatchable(
            stepMode: stepMode, stepSize: stepSize, transitionTime: transitionTime,
            colorTemperatureMinimumMireds: colorTemperatureMinimumMireds,
            colorTemperatureMaximumMireds: colorTemperatureMaximumMireds, optionsMask: optionsMask,
            optionsOverride: optionsOverride
        ).send()
    }
    /// Command 0x4C, to be sent with others.
    public func stepColorTemperatureBatchable(
        stepMode: StepModeEnum, stepSize: UInt16, transitionTime: UInt16, colorTemperatureMinimumMireds: UInt16,
        colorTemperatureMaximumMireds: UInt16, optionsMask: OptionsBitmap, optionsOverride: OptionsBitmap
    ) -> BatchableCommand<Void> {
        source.command(
            0x4C,
            [
                CommandField(0, stepMode), CommandField(1, stepSize), CommandField(2, transitionTime),
                CommandField(3, colorTemperatureMinimumMireds), CommandField(4, colorTemperatureMaximumMireds),
                CommandField(5, optionsMask), CommandField(6, optionsOverride),
            ])
    }
    /// Whether the device says that it takes command 0x4C.
    public var supportsStepColorTemperatureCommand: Bool { source.takes(0x4C) }
}

extension Matter.ColorControlTrait {
    /// An enumeration of the cluster.
    public enum ColorModeEnum: UInt8, TraitEnum, TraitValue {
        /// Value 0.
        case currentHueAndCurrentSaturation = 0
        /// Value 1.
        case currentXAndCurrentY = 1
        /// Value 2.
        case colorTemperatureMireds = 2
        /// A value that this version does not know.
        case unrecognized_ = 255
    }

    /// A set of bits of the cluster.
    public struct OptionsBitmap: OptionSet, TraitValue {
        /// The bits.
        public let rawValue: UInt8
        /// Takes bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// Bits 0x01.
        public static let executeIfOff = Self(rawValue: 0x01)
    }

    /// An enumeration of the cluster.
    public enum EnhancedColorModeEnum: UInt8, TraitEnum, TraitValue {
        /// Value 0.
        case currentHueAndCurrentSaturation = 0
        /// Value 1.
        case currentXAndCurrentY = 1
        /// Value 2.
        case colorTemperatureMireds = 2
        /// Value 3.
        case enhancedCurrentHueAndCurrentSaturation = 3
        /// A value that this version does not know.
        case unrecognized_ = 255
    }

    /// A set of bits of the cluster.
    public struct ColorCapabilitiesBitmap: OptionSet, TraitValue {
        /// The bits.
        public let rawValue: UInt16
        /// Takes bits.
        public init(rawValue: UInt16) { self.rawValue = rawValue }
        /// Bits 0x01.
        public static let hueSaturation = Self(rawValue: 0x01)
        /// Bits 0x02.
        public static let enhancedHue = Self(rawValue: 0x02)
        /// Bits 0x04.
        public static let colorLoop = Self(rawValue: 0x04)
        /// Bits 0x08.
        public static let xy = Self(rawValue: 0x08)
        /// Bits 0x10.
        public static let colorTemperature = Self(rawValue: 0x10)
    }

    /// A set of bits of the cluster.
    public struct Feature: OptionSet, TraitValue {
        /// The bits.
        public let rawValue: UInt32
        /// Takes bits.
        public init(rawValue: UInt32) { self.rawValue = rawValue }
        /// Bits 0x01.
        public static let hueAndSaturation = Self(rawValue: 0x01)
        /// Bits 0x02.
        public static let enhancedHue = Self(rawValue: 0x02)
        /// Bits 0x04.
        public static let colorLoop = Self(rawValue: 0x04)
        /// Bits 0x08.
        public static let xy = Self(rawValue: 0x08)
        /// Bits 0x10.
        public static let colorTemperature = Self(rawValue: 0x10)
    }

    /// An enumeration of the cluster.
    public enum DirectionEnum: UInt8, TraitEnum, TraitValue {
        /// Value 0.
        case shortest = 0
        /// Value 1.
        case longest = 1
        /// Value 2.
        case up = 2
        /// Value 3.
        case down = 3
        /// A value that this version does not know.
        case unrecognized_ = 255
    }

    /// An enumeration of the cluster.
    public enum MoveModeEnum: UInt8, TraitEnum, TraitValue {
        /// Value 0.
        case stop = 0
        /// Value 1.
        case up = 1
        /// Value 3.
        case down = 3
        /// A value that this version does not know.
        case unrecognized_ = 255
    }

    /// An enumeration of the cluster.
    public enum StepModeEnum: UInt8, TraitEnum, TraitValue {
        /// Value 1.
        case up = 1
        /// Value 3.
        case down = 3
        /// A value that this version does not know.
        case unrecognized_ = 255
    }
}
