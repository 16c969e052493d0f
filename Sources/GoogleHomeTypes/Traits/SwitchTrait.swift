public import GoogleHomeSDK

extension Matter {
    /// The Switch cluster (0x003B): says how a switch stands.
    ///
    /// Attributes and commands have the names of the Matter application clusters (Application Clusters 1.4.2).
    public struct SwitchTrait: Trait {
        /// Names the trait.
        public static let identifier = "home.matter.0000.clusters.003B"
        /// The values and the device that the trait was made of.
        public let source: TraitSource
        /// What the device said.
        public let attributes: Attributes

        /// Makes the trait of what a device said.
        public init(_ source: TraitSource) {
            self.source = source
            attributes = Attributes(source)
        }
    }
}

extension Matter.SwitchTrait {
    /// What the device said of the cluster.
    public struct Attributes: Hashable, Sendable {
        /// Attribute 0x0000.
        @TraitAttribute public var numberOfPositions: UInt8?
        /// Attribute 0x0001.
        @TraitAttribute public var currentPosition: UInt8?
        /// Attribute 0x0002.
        @TraitAttribute public var multiPressMax: UInt8?
        /// Attribute 0xFFF9.
        @TraitAttribute public var acceptedCommandList: [UInt32]?
        /// Attribute 0xFFFB.
        @TraitAttribute public var attributeList: [UInt32]?
        /// Attribute 0xFFFC.
        @TraitAttribute public var featureMap: Feature?

        init(_ source: TraitSource) {
            _numberOfPositions = source.attribute(0x0000)
            _currentPosition = source.attribute(0x0001)
            _multiPressMax = source.attribute(0x0002)
            _acceptedCommandList = source.attribute(0xFFF9)
            _attributeList = source.attribute(0xFFFB)
            _featureMap = source.attribute(0xFFFC)
        }
    }
}

extension Matter.SwitchTrait {
    /// A set of bits of the cluster.
    public struct Feature: OptionSet, TraitValue {
        /// The bits.
        public let rawValue: UInt32
        /// Takes bits.
        public init(rawValue: UInt32) { self.rawValue = rawValue }
        /// Bits 0x01.
        public static let latchingSwitch = Self(rawValue: 0x01)
        /// Bits 0x02.
        public static let momentarySwitch = Self(rawValue: 0x02)
        /// Bits 0x04.
        public static let momentarySwitchRelease = Self(rawValue: 0x04)
        /// Bits 0x08.
        public static let momentarySwitchLongPress = Self(rawValue: 0x08)
        /// Bits 0x10.
        public static let momentarySwitchMultiPress = Self(rawValue: 0x10)
        /// Bits 0x20.
        public static let actionSwitch = Self(rawValue: 0x20)
    }
}
