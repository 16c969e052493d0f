/// Something that a home has: equal when the id is.
public protocol HomeObject: Hashable, Identifiable, Sendable where ID == String {
    /// Never used again for another object.
    var id: String { get }
    /// What the user calls it; may be empty.
    var name: String { get }
}

extension HomeObject {
    /// Whether both are the same object, whatever is known of it.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.id == rhs.id }
    /// Feeds the id.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// A room of a structure.
public struct Room: HomeObject {
    /// The room's id.
    public let id: String
    /// The room's name; not unique.
    public let name: String
    /// The structure that it is in.
    public let structureID: String
}

/// A device of a structure.
public struct HomeDevice: HomeObject {
    /// The device's id.
    public let id: String
    /// The device's name.
    public let name: String
    /// The structure that it is in.
    public let structureID: String?
    /// The room that it is in; `nil` for none.
    public let roomID: String?
    /// Whether it speaks Matter; every device of a MatterHub does.
    public let isMatterDevice: Bool
}
