/// A request to add a Matter device to an ecosystem's homes.
///
/// Mirrors Apple's type of the same name.
public struct MatterAddDeviceRequest: Codable, Hashable, Sendable {
    /// The ecosystem and its homes, as the user sees them.
    public struct Topology: Codable, Hashable, Sendable {
        /// The ecosystem's name.
        public var ecosystemName: String
        /// The homes to choose from; with none there is nothing to choose.
        public var homes: [Home]

        /// Describes an ecosystem.
        public init(ecosystemName: String, homes: [Home]) {
            self.ecosystemName = ecosystemName
            self.homes = homes
        }
    }

    /// A home, by the name that the user sees.
    public struct Home: Codable, Hashable, Sendable {
        /// The home's name.
        public var displayName: String

        /// Names a home.
        public init(displayName: String) { self.displayName = displayName }
    }

    /// A room, by the name that the user sees.
    public struct Room: Codable, Hashable, Sendable {
        /// The room's name.
        public var displayName: String

        /// Names a room.
        public init(displayName: String) { self.displayName = displayName }
    }

    /// What the device is added to.
    public var topology: Topology
    /// Which devices may be set up; others are refused once their code is known.
    public var showDeviceCriteria: DeviceCriteria
    /// Whether the device looks for networks, so that the extension has some to choose from.
    public var shouldScanNetworks: Bool

    /// Makes a request.
    public init(
        topology: Topology, showing criteria: DeviceCriteria = .allDevices, shouldScanNetworks: Bool = true
    ) {
        self.topology = topology
        showDeviceCriteria = criteria
        self.shouldScanNetworks = shouldScanNetworks
    }

    /// Whether ``perform()`` can work here: yes wherever this module is built.
    public static var isSupported: Bool { true }
}
