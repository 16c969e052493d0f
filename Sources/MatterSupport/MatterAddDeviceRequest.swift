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

    /// Makes a request.
    public init(topology: Topology) { self.topology = topology }
}
