import HubControl

/// One function of a device: a Matter cluster on the device's endpoint, with its attributes and commands.
public protocol Trait: Hashable, Sendable, CustomDebugStringConvertible {
    /// Names the trait.
    static var identifier: String { get }
    /// The values and the device that the trait was made of.
    var source: TraitSource { get }
    /// Makes the trait of what a device said.
    init(_ source: TraitSource)
}

extension Trait {
    /// Whether the device answers.
    public var metadata: TraitMetadata { TraitMetadata(sourceConnectivity: source.connectivity) }
    /// The trait's identifier and the device's id.
    public var debugDescription: String { "\(Self.identifier) of \(source.access.device.text)" }

    /// Whether both say the same of the same device.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.source == rhs.source }
    /// Feeds the device and what it said.
    public func hash(into hasher: inout Hasher) { hasher.combine(source) }
}

/// What is known of a trait beside its attributes.
public struct TraitMetadata: Hashable, Sendable {
    /// Whether the device answers.
    public let sourceConnectivity: SourceConnectivity
}

/// The traits that a device has.
public struct TraitCollection: Hashable, Sendable {
    private let report: EndpointReport
    private let access: DeviceAccess

    package init(_ report: EndpointReport, access: DeviceAccess) {
        self.report = report
        self.access = access
    }

    var connectivity: ConnectivityState { report.connectivity }

    /// A trait; `nil` when the device does not have it.
    public subscript<T: Trait>(_ type: T.Type) -> T? {
        guard let id = Self.cluster(of: type.identifier), let cluster = report.clusters[id] else { return nil }
        return T(
            TraitSource(
                access: access, endpoint: cluster.endpoint, cluster: id, values: cluster.values,
                connectivity: SourceConnectivity(report.connectivity)))
    }

    /// Whether the device has a trait.
    public func contains<T: Trait>(_ type: T.Type) -> Bool {
        Self.cluster(of: type.identifier).map { report.clusters[$0] != nil } ?? false
    }

    private static func cluster(of identifier: String) -> UInt32? {
        guard identifier.hasPrefix("home.matter.0000.clusters.") else { return nil }
        return identifier.split(separator: ".").last.flatMap { UInt32($0, radix: 16) }
    }

    /// Whether both say the same of the same device.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.report == rhs.report && lhs.access.device == rhs.access.device
    }
    /// Feeds the device and what it said.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(access.device)
        hasher.combine(report)
    }
}
