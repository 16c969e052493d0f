public import GoogleHomeSDK

extension Matter {
    /// The RelativeHumidityMeasurement cluster (0x0405): measures the humidity of the air, in 0.01 %.
    ///
    /// Attributes and commands have the names of the Matter application clusters (Application Clusters 1.4.2).
    public struct RelativeHumidityMeasurementTrait: Trait {
        /// Names the trait.
        public static let identifier = "home.matter.0000.clusters.0405"
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

extension Matter.RelativeHumidityMeasurementTrait {
    /// What the device said of the cluster.
    public struct Attributes: Hashable, Sendable {
        /// Attribute 0x0000.
        @TraitAttribute public var measuredValue: UInt16?
        /// Attribute 0x0001.
        @TraitAttribute public var minMeasuredValue: UInt16?
        /// Attribute 0x0002.
        @TraitAttribute public var maxMeasuredValue: UInt16?
        /// Attribute 0x0003.
        @TraitAttribute public var tolerance: UInt16?
        /// Attribute 0xFFF9.
        @TraitAttribute public var acceptedCommandList: [UInt32]?
        /// Attribute 0xFFFB.
        @TraitAttribute public var attributeList: [UInt32]?
        /// Attribute 0xFFFC.
        @TraitAttribute public var featureMap: UInt32?

        init(_ source: TraitSource) {
            _measuredValue = source.attribute(0x0000)
            _minMeasuredValue = source.attribute(0x0001)
            _maxMeasuredValue = source.attribute(0x0002)
            _tolerance = source.attribute(0x0003)
            _acceptedCommandList = source.attribute(0xFFF9)
            _attributeList = source.attribute(0xFFFB)
            _featureMap = source.attribute(0xFFFC)
        }
    }
}
