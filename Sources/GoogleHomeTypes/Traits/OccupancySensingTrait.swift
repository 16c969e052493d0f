public import GoogleHomeSDK

extension Matter {
    /// The OccupancySensing cluster (0x0406): says whether somebody is there.
    ///
    /// Attributes and commands have the names of the Matter application clusters (Application Clusters 1.4.2).
    public struct OccupancySensingTrait: Trait {
        /// Names the trait.
        public static let identifier = "home.matter.0000.clusters.0406"
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

extension Matter.OccupancySensingTrait {
    /// What the device said of the cluster.
    public struct Attributes: Hashable, Sendable {
        /// Attribute 0x0000.
        @TraitAttribute public var occupancy: OccupancyBitmap?
        /// Attribute 0x0001.
        @TraitAttribute public var occupancySensorType: OccupancySensorTypeEnum?
        /// Attribute 0x0002.
        @TraitAttribute public var occupancySensorTypeBitmap: OccupancySensorTypeBitmap?
        /// Attribute 0x0003, writable.
        @TraitAttribute public var holdTime: UInt16?
        /// Attribute 0xFFF9.
        @TraitAttribute public var acceptedCommandList: [UInt32]?
        /// Attribute 0xFFFB.
        @TraitAttribute public var attributeList: [UInt32]?
        /// Attribute 0xFFFC.
        @TraitAttribute public var featureMap: Feature?

        init(_ source: TraitSource) {
            _occupancy = source.attribute(0x0000)
            _occupancySensorType = source.attribute(0x0001)
            _occupancySensorTypeBitmap = source.attribute(0x0002)
            _holdTime = source.attribute(0x0003)
            _acceptedCommandList = source.attribute(0xFFF9)
            _attributeList = source.attribute(0xFFFB)
            _featureMap = source.attribute(0xFFFC)
        }
    }

    /// New values for attributes.
    public struct MutableAttributes: Sendable {
        var changes = AttributeChanges()

        /// Sets attribute 0x0003.
        public mutating func setHoldTime(_ value: UInt16) { changes.set(0x0003, value) }
    }
}

extension Matter.OccupancySensingTrait {
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
    public enum OccupancySensorTypeEnum: UInt8, TraitEnum, TraitValue {
        /// Value 0.
        case pir = 0
        /// Value 1.
        case ultrasonic = 1
        /// Value 2.
        case pirAndUltrasonic = 2
        /// Value 3.
        case physicalContact = 3
        /// A value that this version does not know.
        case unrecognized_ = 255
    }

    /// A set of bits of the cluster.
    public struct OccupancySensorTypeBitmap: OptionSet, TraitValue {
        /// The bits.
        public let rawValue: UInt8
        /// Takes bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// Bits 0x01.
        public static let pir = Self(rawValue: 0x01)
        /// Bits 0x02.
        public static let ultrasonic = Self(rawValue: 0x02)
        /// Bits 0x04.
        public static let physicalContact = Self(rawValue: 0x04)
    }

    /// A set of bits of the cluster.
    public struct Feature: OptionSet, TraitValue {
        /// The bits.
        public let rawValue: UInt32
        /// Takes bits.
        public init(rawValue: UInt32) { self.rawValue = rawValue }
        /// Bits 0x01.
        public static let other = Self(rawValue: 0x01)
        /// Bits 0x02.
        public static let passiveInfrared = Self(rawValue: 0x02)
        /// Bits 0x04.
        public static let ultrasonic = Self(rawValue: 0x04)
        /// Bits 0x08.
        public static let physicalContact = Self(rawValue: 0x08)
        /// Bits 0x10.
        public static let activeInfrared = Self(rawValue: 0x10)
        /// Bits 0x20.
        public static let radar = Self(rawValue: 0x20)
        /// Bits 0x40.
        public static let rfSensing = Self(rawValue: 0x40)
        /// Bits 0x80.
        public static let vision = Self(rawValue: 0x80)
    }
}
