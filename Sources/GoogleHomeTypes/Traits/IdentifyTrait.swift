public import GoogleHomeSDK

extension Matter {
    /// The Identify cluster (0x0003): lets the device show which one it is.
    ///
    /// Attributes and commands have the names of the Matter application clusters (Application Clusters 1.4.2).
    public struct IdentifyTrait: Trait {
        /// Names the trait.
        public static let identifier = "home.matter.0000.clusters.0003"
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

extension Matter.IdentifyTrait {
    /// What the device said of the cluster.
    public struct Attributes: Hashable, Sendable {
        /// Attribute 0x0000, writable.
        @TraitAttribute public var identifyTime: UInt16?
        /// Attribute 0x0001.
        @TraitAttribute public var identifyType: IdentifyTypeEnum?
        /// Attribute 0xFFF9.
        @TraitAttribute public var acceptedCommandList: [UInt32]?
        /// Attribute 0xFFFB.
        @TraitAttribute public var attributeList: [UInt32]?
        /// Attribute 0xFFFC.
        @TraitAttribute public var featureMap: UInt32?

        init(_ source: TraitSource) {
            _identifyTime = source.attribute(0x0000)
            _identifyType = source.attribute(0x0001)
            _acceptedCommandList = source.attribute(0xFFF9)
            _attributeList = source.attribute(0xFFFB)
            _featureMap = source.attribute(0xFFFC)
        }
    }

    /// New values for attributes.
    public struct MutableAttributes: Sendable {
        var changes = AttributeChanges()

        /// Sets attribute 0x0000.
        public mutating func setIdentifyTime(_ value: UInt16) { changes.set(0x0000, value) }
    }
}

extension Matter.IdentifyTrait {
    /// Sends command 0x00.
    ///
    /// - Throws: ``HomeError`` when the device refuses or does not answer.
    public func identify(identifyTime: UInt16) async throws {
        try await identifyBatchable(identifyTime: identifyTime).send()
    }
    /// Command 0x00, to be sent with others.
    public func identifyBatchable(identifyTime: UInt16) -> BatchableCommand<Void> {
        source.command(0x00, [CommandField(0, identifyTime)])
    }
    /// Whether the device says that it takes command 0x00.
    public var supportsIdentifyCommand: Bool { source.takes(0x00) }

    /// Sends command 0x40.
    ///
    /// - Throws: ``HomeError`` when the device refuses or does not answer.
    public func triggerEffect(effectIdentifier: EffectIdentifierEnum, effectVariant: EffectVariantEnum) async throws {
        try await triggerEffectBatchable(effectIdentifier: effectIdentifier, effectVariant: effectVariant).send()
    }
    /// Command 0x40, to be sent with others.
    public func triggerEffectBatchable(effectIdentifier: EffectIdentifierEnum, effectVariant: EffectVariantEnum)
        -> BatchableCommand<Void>
    {
        source.command(0x40, [CommandField(0, effectIdentifier), CommandField(1, effectVariant)])
    }
    /// Whether the device says that it takes command 0x40.
    public var supportsTriggerEffectCommand: Bool { source.takes(0x40) }
}

extension Matter.IdentifyTrait {
    /// An enumeration of the cluster.
    public enum IdentifyTypeEnum: UInt8, TraitEnum, TraitValue {
        /// Value 0.
        case none = 0
        /// Value 1.
        case lightOutput = 1
        /// Value 2.
        case visibleIndicator = 2
        /// Value 3.
        case audibleBeep = 3
        /// Value 4.
        case display = 4
        /// Value 5.
        case actuator = 5
        /// A value that this version does not know.
        case unrecognized_ = 255
    }

    /// An enumeration of the cluster.
    public enum EffectIdentifierEnum: UInt8, TraitEnum, TraitValue {
        /// Value 0.
        case blink = 0
        /// Value 1.
        case breathe = 1
        /// Value 2.
        case okay = 2
        /// Value 11.
        case channelChange = 11
        /// Value 254.
        case finishEffect = 254
        /// Value 255.
        case stopEffect = 255
        /// A value that this version does not know.
        case unrecognized_ = 253
    }

    /// An enumeration of the cluster.
    public enum EffectVariantEnum: UInt8, TraitEnum, TraitValue {
        /// Value 0.
        case `default` = 0
        /// A value that this version does not know.
        case unrecognized_ = 255
    }
}
