public import GoogleHomeSDK

extension Matter {
    /// The BridgedDeviceBasicInformation cluster (0x0039): says who made a device behind a bridge, and which one it is.
    ///
    /// Attributes and commands have the names of the Matter application clusters (Core 1.4.2).
    public struct BridgedDeviceBasicInformationTrait: Trait {
        /// Names the trait.
        public static let identifier = "home.matter.0000.clusters.0039"
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

extension Matter.BridgedDeviceBasicInformationTrait {
    /// What the device said of the cluster.
    public struct Attributes: Hashable, Sendable {
        /// Attribute 0x0001.
        @TraitAttribute public var vendorName: String?
        /// Attribute 0x0002.
        @TraitAttribute public var vendorId: UInt16?
        /// Attribute 0x0003.
        @TraitAttribute public var productName: String?
        /// Attribute 0x0004.
        @TraitAttribute public var productId: UInt16?
        /// Attribute 0x0005, writable.
        @TraitAttribute public var nodeLabel: String?
        /// Attribute 0x0007.
        @TraitAttribute public var hardwareVersion: UInt16?
        /// Attribute 0x0008.
        @TraitAttribute public var hardwareVersionString: String?
        /// Attribute 0x0009.
        @TraitAttribute public var softwareVersion: UInt32?
        /// Attribute 0x000A.
        @TraitAttribute public var softwareVersionString: String?
        /// Attribute 0x000B.
        @TraitAttribute public var manufacturingDate: String?
        /// Attribute 0x000C.
        @TraitAttribute public var partNumber: String?
        /// Attribute 0x000D.
        @TraitAttribute public var productUrl: String?
        /// Attribute 0x000E.
        @TraitAttribute public var productLabel: String?
        /// Attribute 0x000F.
        @TraitAttribute public var serialNumber: String?
        /// Attribute 0x0011.
        @TraitAttribute public var reachable: Bool?
        /// Attribute 0x0012.
        @TraitAttribute public var uniqueId: String?
        /// Attribute 0x0018.
        @TraitAttribute public var configurationVersion: UInt32?
        /// Attribute 0xFFF9.
        @TraitAttribute public var acceptedCommandList: [UInt32]?
        /// Attribute 0xFFFB.
        @TraitAttribute public var attributeList: [UInt32]?
        /// Attribute 0xFFFC.
        @TraitAttribute public var featureMap: Feature?

        init(_ source: TraitSource) {
            _vendorName = source.attribute(0x0001)
            _vendorId = source.attribute(0x0002)
            _productName = source.attribute(0x0003)
            _productId = source.attribute(0x0004)
            _nodeLabel = source.attribute(0x0005)
            _hardwareVersion = source.attribute(0x0007)
            _hardwareVersionString = source.attribute(0x0008)
            _softwareVersion = source.attribute(0x0009)
            _softwareVersionString = source.attribute(0x000A)
            _manufacturingDate = source.attribute(0x000B)
            _partNumber = source.attribute(0x000C)
            _productUrl = source.attribute(0x000D)
            _productLabel = source.attribute(0x000E)
            _serialNumber = source.attribute(0x000F)
            _reachable = source.attribute(0x0011)
            _uniqueId = source.attribute(0x0012)
            _configurationVersion = source.attribute(0x0018)
            _acceptedCommandList = source.attribute(0xFFF9)
            _attributeList = source.attribute(0xFFFB)
            _featureMap = source.attribute(0xFFFC)
        }
    }

    /// New values for attributes.
    public struct MutableAttributes: Sendable {
        var changes = AttributeChanges()

        /// Sets attribute 0x0005.
        public mutating func setNodeLabel(_ value: String) { changes.set(0x0005, value) }
    }
}

extension Matter.BridgedDeviceBasicInformationTrait {
    /// A set of bits of the cluster.
    public struct Feature: OptionSet, TraitValue {
        /// The bits.
        public let rawValue: UInt32
        /// Takes bits.
        public init(rawValue: UInt32) { self.rawValue = rawValue }
        /// Bits 0x100000.
        public static let bridgedIcdSupport = Self(rawValue: 0x100000)
    }
}
