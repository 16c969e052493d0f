public import GoogleHomeSDK

extension Matter {
    /// The OnOff cluster (0x0006): switches the device on and off.
    ///
    /// Attributes and commands have the names of the Matter application clusters (Application Clusters 1.4.2).
    public struct OnOffTrait: Trait {
        /// Names the trait.
        public static let identifier = "home.matter.0000.clusters.0006"
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

extension Matter.OnOffTrait {
    /// What the device said of the cluster.
    public struct Attributes: Hashable, Sendable {
        /// Attribute 0x0000.
        @TraitAttribute public var onOff: Bool?
        /// Attribute 0x4000.
        @TraitAttribute public var globalSceneControl: Bool?
        /// Attribute 0x4001, writable.
        @TraitAttribute public var onTime: UInt16?
        /// Attribute 0x4002, writable.
        @TraitAttribute public var offWaitTime: UInt16?
        /// Attribute 0x4003, writable.
        @TraitAttribute public var startUpOnOff: StartUpOnOffEnum?
        /// Attribute 0xFFF9.
        @TraitAttribute public var acceptedCommandList: [UInt32]?
        /// Attribute 0xFFFB.
        @TraitAttribute public var attributeList: [UInt32]?
        /// Attribute 0xFFFC.
        @TraitAttribute public var featureMap: Feature?

        init(_ source: TraitSource) {
            _onOff = source.attribute(0x0000)
            _globalSceneControl = source.attribute(0x4000)
            _onTime = source.attribute(0x4001)
            _offWaitTime = source.attribute(0x4002)
            _startUpOnOff = source.attribute(0x4003)
            _acceptedCommandList = source.attribute(0xFFF9)
            _attributeList = source.attribute(0xFFFB)
            _featureMap = source.attribute(0xFFFC)
        }
    }

    /// New values for attributes.
    public struct MutableAttributes: Sendable {
        var changes = AttributeChanges()

        /// Sets attribute 0x4001.
        public mutating func setOnTime(_ value: UInt16) { changes.set(0x4001, value) }

        /// Sets attribute 0x4002.
        public mutating func setOffWaitTime(_ value: UInt16) { changes.set(0x4002, value) }

        /// Sets attribute 0x4003; `nil` for null.
        public mutating func setStartUpOnOff(_ value: StartUpOnOffEnum?) { changes.set(0x4003, value) }
    }
}

extension Matter.OnOffTrait {
    /// Sends command 0x00.
    ///
    /// - Throws: ``HomeError`` when the device refuses or does not answer.
    public func off() async throws {
        try await offBatchable().send()
    }
    /// Command 0x00, to be sent with others.
    public func offBatchable() -> BatchableCommand<Void> {
        source.command(0x00)
    }
    /// Whether the device says that it takes command 0x00.
    public var supportsOffCommand: Bool { source.takes(0x00) }

    /// Sends command 0x01.
    ///
    /// - Throws: ``HomeError`` when the device refuses or does not answer.
    public func on() async throws {
        try await onBatchable().send()
    }
    /// Command 0x01, to be sent with others.
    public func onBatchable() -> BatchableCommand<Void> {
        source.command(0x01)
    }
    /// Whether the device says that it takes command 0x01.
    public var supportsOnCommand: Bool { source.takes(0x01) }

    /// Sends command 0x02.
    ///
    /// - Throws: ``HomeError`` when the device refuses or does not answer.
    public func toggle() async throws {
        try await toggleBatchable().send()
    }
    /// Command 0x02, to be sent with others.
    public func toggleBatchable() -> BatchableCommand<Void> {
        source.command(0x02)
    }
    /// Whether the device says that it takes command 0x02.
    public var supportsToggleCommand: Bool { source.takes(0x02) }

    /// Sends command 0x40.
    ///
    /// - Throws: ``HomeError`` when the device refuses or does not answer.
    public func offWithEffect(effectIdentifier: EffectIdentifierEnum, effectVariant: UInt8) async throws {
        try await offWithEffectBatchable(effectIdentifier: effectIdentifier, effectVariant: effectVariant).send()
    }
    /// Command 0x40, to be sent with others.
    public func offWithEffectBatchable(effectIdentifier: EffectIdentifierEnum, effectVariant: UInt8)
        -> BatchableCommand<Void>
    {
        source.command(0x40, [CommandField(0, effectIdentifier), CommandField(1, effectVariant)])
    }
    /// Whether the device says that it takes command 0x40.
    public var supportsOffWithEffectCommand: Bool { source.takes(0x40) }

    /// Sends command 0x41.
    ///
    /// - Throws: ``HomeError`` when the device refuses or does not answer.
    public func onWithRecallGlobalScene() async throws {
        try await onWithRecallGlobalSceneBatchable().send()
    }
    /// Command 0x41, to be sent with others.
    public func onWithRecallGlobalSceneBatchable() -> BatchableCommand<Void> {
        source.command(0x41)
    }
    /// Whether the device says that it takes command 0x41.
    public var supportsOnWithRecallGlobalSceneCommand: Bool { source.takes(0x41) }

    /// Sends command 0x42.
    ///
    /// - Throws: ``HomeError`` when the device refuses or does not answer.
    public func onWithTimedOff(onOffControl: OnOffControlBitmap, onTime: UInt16, offWaitTime: UInt16) async throws {
        try await onWithTimedOffBatchable(onOffControl: onOffControl, onTime: onTime, offWaitTime: offWaitTime).send()
    }
    /// Command 0x42, to be sent with others.
    public func onWithTimedOffBatchable(onOffControl: OnOffControlBitmap, onTime: UInt16, offWaitTime: UInt16)
        -> BatchableCommand<Void>
    {
        source.command(0x42, [CommandField(0, onOffControl), CommandField(1, onTime), CommandField(2, offWaitTime)])
    }
    /// Whether the device says that it takes command 0x42.
    public var supportsOnWithTimedOffCommand: Bool { source.takes(0x42) }
}

extension Matter.OnOffTrait {
    /// An enumeration of the cluster.
    public enum StartUpOnOffEnum: UInt8, TraitEnum, TraitValue {
        /// Value 0.
        case off = 0
        /// Value 1.
        case on = 1
        /// Value 2.
        case toggle = 2
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
        public static let lighting = Self(rawValue: 0x01)
        /// Bits 0x02.
        public static let deadFrontBehavior = Self(rawValue: 0x02)
        /// Bits 0x04.
        public static let offOnly = Self(rawValue: 0x04)
    }

    /// An enumeration of the cluster.
    public enum EffectIdentifierEnum: UInt8, TraitEnum, TraitValue {
        /// Value 0.
        case delayedAllOff = 0
        /// Value 1.
        case dyingLight = 1
        /// A value that this version does not know.
        case unrecognized_ = 255
    }

    /// A set of bits of the cluster.
    public struct OnOffControlBitmap: OptionSet, TraitValue {
        /// The bits.
        public let rawValue: UInt8
        /// Takes bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// Bits 0x01.
        public static let acceptOnlyWhenOn = Self(rawValue: 0x01)
    }
}
