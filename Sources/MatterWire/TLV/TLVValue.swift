/// How an element is named (Core, appendix A.2).
public enum TLVTag: Hashable, Sendable {
    case anonymous
    case context(UInt8)
    case commonProfile(UInt32)
    case implicitProfile(UInt32)
    case fullyQualified(vendor: UInt16, profile: UInt16, number: UInt32)
}

/// A tag and a value.
public struct TLVElement: Hashable, Sendable {
    public var tag: TLVTag
    public var value: TLVValue
    public init(_ tag: TLVTag, _ value: TLVValue) {
        self.tag = tag
        self.value = value
    }
    /// An element with a context tag, the usual member of a structure.
    public init(_ contextTag: UInt8, _ value: TLVValue) { self.init(.context(contextTag), value) }
}

/// One TLV value. Integer widths are not kept: writers use the smallest that fits (Core, appendix A.1).
public enum TLVValue: Hashable, Sendable {
    case signed(Int64)
    case unsigned(UInt64)
    case bool(Bool)
    case float(Float)
    case double(Double)
    case utf8(String)
    case octets([UInt8])
    case null
    case structure([TLVElement])
    case array([TLVValue])
    case list([TLVElement])
}

extension TLVValue {
    /// An unsigned value of any width.
    public static func uint(_ value: some FixedWidthInteger & UnsignedInteger) -> TLVValue { .unsigned(UInt64(value)) }
    /// A structure whose members have the given context tags; members whose value is `nil` are left out.
    public static func members(_ members: (UInt8, TLVValue?)...) -> TLVValue {
        .structure(members.compactMap { tag, value in value.map { TLVElement(tag, $0) } })
    }

    public var unsigned: UInt64? { if case .unsigned(let value) = self { value } else { nil } }
    public var signed: Int64? { if case .signed(let value) = self { value } else { nil } }
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    public var utf8: String? { if case .utf8(let value) = self { value } else { nil } }
    public var octets: [UInt8]? { if case .octets(let value) = self { value } else { nil } }
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
    /// - Throws: ``TLVError`` `missing` when no member has this tag.
    public func require(_ tag: UInt8) throws(TLVError) -> TLVValue {
        guard let value = self[tag] else { throw TLVError(code: .missing, path: [tag]) }
        return value
    }
    /// The unsigned member `tag`, within the range of `T`.
    public func integer<T: FixedWidthInteger & UnsignedInteger>(_ tag: UInt8, as: T.Type = T.self) throws(TLVError) -> T {
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
    public func bool(_ tag: UInt8) throws(TLVError) -> Bool {
        guard let value = try require(tag).bool else { throw TLVError(code: .wrongType, path: [tag]) }
        return value
    }
    /// The boolean member `tag`; `nil` when absent.
    public func optionalBool(_ tag: UInt8) throws(TLVError) -> Bool? {
        self[tag] == nil ? nil : try bool(tag)
    }
    public func string(_ tag: UInt8) throws(TLVError) -> String {
        guard let value = try require(tag).utf8 else { throw TLVError(code: .wrongType, path: [tag]) }
        return value
    }
}
