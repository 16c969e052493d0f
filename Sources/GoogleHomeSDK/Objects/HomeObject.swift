/// Something that a home has: equal when the id is.
public protocol HomeObject: Hashable, Identifiable, Sendable where ID == String {
    /// Never used again for another object.
    var id: String { get }
    /// What the user calls it; may be empty.
    var name: String { get }
    /// What kind of object it is.
    var objectType: HomeObjectType { get }
}

/// The kinds of objects that a home has.
public enum HomeObjectType: Hashable, Sendable {
    /// A ``Structure``.
    case structure
    /// A ``Room``.
    case room
    /// A ``HomeDevice``.
    case device
    /// An endpoint of a Matter node.
    case endpoint
    /// A part of a device.
    case component
    /// An automation.
    case automation
}

extension HomeObject {
    /// Whether both are the same object, whatever is known of it.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.id == rhs.id }
    /// Feeds the id.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// An object with what the hub said of it: two states of one object differ in that.
protocol RecordBacked: HomeObject {
    associatedtype Record: Hashable
    var record: Record { get }
}
