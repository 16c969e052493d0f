/// A JSON value. Integers keep all their bits; 64-bit ids travel as strings all the same, for other languages' sake.
public enum JSONValue: Hashable, Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number without fraction and exponent that 64 bits hold.
    case integer(Int64)
    /// Any other number; finite.
    case number(Double)
    /// Text.
    case string(String)
    /// Values in order.
    case array([JSONValue])
    /// Members in order.
    case object(JSONObject)
}

extension JSONValue {
    /// The truth value, else `nil`.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The integer, also when written with a fraction of zero (`1.0`) within ±2^53; else `nil`.
    public var integer: Int64? {
        switch self {
        case .integer(let value): value
        case .number(let value) where value.magnitude <= 0x1p53: Int64(exactly: value)
        case .null, .bool, .number, .string, .array, .object: nil
        }
    }
    /// The text, else `nil`.
    public var string: String? { if case .string(let value) = self { value } else { nil } }
    /// The values of an array, else `nil`.
    public var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
    /// The members of an object, else `nil`.
    public var object: JSONObject? { if case .object(let value) = self { value } else { nil } }
    /// Whether the value is `null`.
    public var isNull: Bool { self == .null }
}

/// The members of a JSON object: distinct names, in the order in which they were read or put.
///
/// Lookup is O(n); the order does not count for equality. Two names that Swift's `String` holds equal are one name.
public struct JSONObject: Hashable, Sendable {
    /// One member.
    public struct Member: Hashable, Sendable {
        /// The member's name.
        public let name: String
        /// The member's value.
        public var value: JSONValue
    }

    /// The members in their order.
    public private(set) var members: [Member] = []

    /// An object without members.
    public init() {}

    /// Takes members whose names are known to be distinct.
    init(distinct members: [Member]) { self.members = members }

    /// The value of a member; `nil` when there is none. Putting `nil` removes the member, a new one goes to the end.
    public subscript(name: String) -> JSONValue? {
        get { members.first { $0.name == name }?.value }
        set {
            let index = members.firstIndex { $0.name == name }
            switch (index, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(Member(name: name, value: value))
            case (nil, nil): break
            }
        }
    }

    /// Whether there are no members.
    public var isEmpty: Bool { members.isEmpty }

    /// Whether both have the same members, in whatever order.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.members.count == rhs.members.count && lhs.members.allSatisfy { rhs[$0.name] == $0.value }
    }

    /// Feeds the members in the order of their names.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(members.sorted { $0.name < $1.name })
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Makes an object from distinct names; members whose value is `nil` are left out.
    public init(dictionaryLiteral elements: (String, JSONValue?)...) {
        for (name, value) in elements { self[name] = value }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Makes a string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Makes an integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Makes a truth value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Makes an array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// Makes an object from distinct names; members whose value is `nil` are left out.
    public init(dictionaryLiteral elements: (String, JSONValue?)...) {
        var object = JSONObject()
        for (name, value) in elements { object[name] = value }
        self = .object(object)
    }
    /// Makes an integer.
    ///
    /// - Returns: a `number` when 64 bits with a sign do not hold it.
    public init(_ value: some BinaryInteger) {
        self = Int64(exactly: value).map { .integer($0) } ?? .number(Double(value))
    }
}
