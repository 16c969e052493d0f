/// How an element is named (Core, appendix A.2).
public enum TLVTag: Hashable, Sendable {
    /// No tag: elements of arrays, and messages.
    case anonymous
    /// A number that the enclosing structure gives a meaning.
    case context(UInt8)
    /// A number of the common profile.
    case commonProfile(UInt32)
    /// A number of a profile known from the context.
    case implicitProfile(UInt32)
    /// A number of a vendor's profile.
    case fullyQualified(vendor: UInt16, profile: UInt16, number: UInt32)
}

/// A tag and a value.
public struct TLVElement: Hashable, Sendable {
    /// How the element is named.
    public var tag: TLVTag
    /// What it holds.
    public var value: TLVValue
    /// Makes an element.
    public init(_ tag: TLVTag, _ value: TLVValue) {
        self.tag = tag
        self.value = value
    }
    /// An element with a context tag, the usual member of a structure.
    public init(_ contextTag: UInt8, _ value: TLVValue) { self.init(.context(contextTag), value) }
}

/// One TLV value. Integer widths are not kept: writers use the smallest that fits (Core, appendix A.1).
public enum TLVValue: Hashable, Sendable {
    /// A signed integer of any width.
    case signed(Int64)
    /// An unsigned integer of any width.
    case unsigned(UInt64)
    /// A truth value.
    case bool(Bool)
    /// A 32-bit IEEE number.
    case float(Float)
    /// A 64-bit IEEE number.
    case double(Double)
    /// Text. Equality is Swift's (canonical equivalence); the bytes are kept as they came.
    case utf8(String)
    /// Bytes.
    case octets([UInt8])
    /// No value, where the schema allows it.
    case null
    /// Members with distinct tags, in their order on the wire.
    case structure([TLVElement])
    /// Values without tags.
    case array([TLVValue])
    /// Elements with any tags, repeats allowed; the order matters.
    case list([TLVElement])
}

extension TLVValue {
    /// An unsigned value of any width.
    public static func uint(_ value: some FixedWidthInteger & UnsignedInteger) -> TLVValue { .unsigned(UInt64(value)) }
    /// A structure whose members have the given context tags; members whose value is `nil` are left out.
    public static func members(_ members: (UInt8, TLVValue?)...) -> TLVValue {
        .structure(members.compactMap { tag, value in value.map { TLVElement(tag, $0) } })
    }

    /// The number of an unsigned integer, else `nil`.
    public var unsigned: UInt64? { if case .unsigned(let value) = self { value } else { nil } }
    /// The number of a signed integer, else `nil`.
    public var signed: Int64? { if case .signed(let value) = self { value } else { nil } }
    /// The truth value, else `nil`.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The text of a string, else `nil`.
    public var utf8: String? { if case .utf8(let value) = self { value } else { nil } }
    /// The bytes of an octet string, else `nil`.
    public var octets: [UInt8]? { if case .octets(let value) = self { value } else { nil } }
    /// Whether the value is null.
    public var isNull: Bool { self == .null }
    /// The values of an array.
    public var array: [TLVValue]? { if case .array(let values) = self { values } else { nil } }
    /// The members of a structure or a list.
    public var members: [TLVElement]? {
        switch self {
        case .structure(let members), .list(let members): members
        case .signed, .unsigned, .bool, .float, .double, .utf8, .octets, .null, .array: nil
        }
    }
    /// The value with this context tag in a structure or list; `nil` when absent. O(n).
    public subscript(tag: UInt8) -> TLVValue? {
        members?.first { $0.tag == .context(tag) }?.value
    }
}

// MARK: - Members that must be there

extension TLVValue {
    /// The member `tag`.
    ///
    /// - Throws: ``TLVError`` `missing` when no member has this tag.
    public func require(_ tag: UInt8) throws(TLVError) -> TLVValue {
        guard let value = self[tag] else { throw TLVError(code: .missing, path: [tag]) }
        return value
    }
    /// The unsigned member `tag`, within the range of `T`.
    public func integer<T: FixedWidthInteger & UnsignedInteger>(_ tag: UInt8, as: T.Type = T.self) throws(TLVError) -> T
    {
        guard let value = try require(tag).unsigned, let narrow = T(exactly: value) else {
            throw TLVError(code: .wrongType, path: [tag])
        }
        return narrow
    }
    /// The unsigned member `tag`; `nil` when absent.
    public func optionalInteger<T: FixedWidthInteger & UnsignedInteger>(
        _ tag: UInt8, as: T.Type = T.self
    ) throws(TLVError) -> T? {
        self[tag] == nil ? nil : try integer(tag, as: T.self)
    }
    /// The octet string member `tag`; `count` is its exact length, when fixed.
    public func octets(_ tag: UInt8, count: Int? = nil) throws(TLVError) -> [UInt8] {
        guard let value = try require(tag).octets, count == nil || value.count == count else {
            throw TLVError(code: .wrongType, path: [tag])
        }
        return value
    }
    /// The octet string member `tag`; `nil` when absent.
    public func optionalOctets(_ tag: UInt8, count: Int? = nil) throws(TLVError) -> [UInt8]? {
        self[tag] == nil ? nil : try octets(tag, count: count)
    }
    /// The boolean member `tag`.
    public func bool(_ tag: UInt8) throws(TLVError) -> Bool {
        guard let value = try require(tag).bool else { throw TLVError(code: .wrongType, path: [tag]) }
        return value
    }
    /// The boolean member `tag`; `nil` when absent.
    public func optionalBool(_ tag: UInt8) throws(TLVError) -> Bool? {
        self[tag] == nil ? nil : try bool(tag)
    }
    /// The text member `tag`.
    public func string(_ tag: UInt8) throws(TLVError) -> String {
        guard let value = try require(tag).utf8 else { throw TLVError(code: .wrongType, path: [tag]) }
        return value
    }
}
