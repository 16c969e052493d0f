public import MatterWire

/// The type of an attribute's value and the range that the specification allows for it.
public indirect enum ValueType: Hashable, Sendable {
    /// True or false.
    case bool
    /// An unsigned integer, enumeration or bitmap within a range.
    case unsigned(ClosedRange<UInt64>)
    /// A signed integer within a range.
    case signed(ClosedRange<Int64>)
    /// Text; the range is its length in bytes of UTF-8.
    case string(ClosedRange<Int>)
    /// Bytes; the range is their count.
    case octets(ClosedRange<Int>)
    /// A structure; its members are checked by the cluster that has it.
    case structure
    /// A list with at most `max` values of one type.
    case list(ValueType, max: Int)

    /// Any unsigned 8-bit value.
    public static let uint8 = ValueType.unsigned(0...0xFF)
    /// Any unsigned 16-bit value.
    public static let uint16 = ValueType.unsigned(0...0xFFFF)
    /// Any unsigned 32-bit value.
    public static let uint32 = ValueType.unsigned(0...0xFFFF_FFFF)
    /// Any unsigned 64-bit value.
    public static let uint64 = ValueType.unsigned(0...UInt64.max)
    /// Any signed 8-bit value.
    public static let int8 = ValueType.signed(-128...127)
    /// Any signed 16-bit value.
    public static let int16 = ValueType.signed(-0x8000...0x7FFF)
    /// Any signed 32-bit value.
    public static let int32 = ValueType.signed(Int64(Int32.min)...Int64(Int32.max))
    /// Text of at most `max` bytes.
    public static func string(max: Int) -> ValueType { .string(0...max) }
    /// Bytes, at most `max`.
    public static func octets(max: Int) -> ValueType { .octets(0...max) }

    /// What is wrong with a value: `invalidDataType`, `constraintError`, or `nil` when it fits.
    public func fault(in value: TLVValue) -> InteractionStatus? {
        switch self {
        case .bool: value.bool == nil ? .invalidDataType : nil
        case .unsigned(let range): Self.fault(value.unsigned, range)
        case .signed(let range): Self.fault(value.signed, range)
        case .string(let range): Self.fault(value.utf8?.utf8.count, range)
        case .octets(let range): Self.fault(value.octets?.count, range)
        case .structure: if case .structure = value { nil } else { .invalidDataType }
        case .list(let element, let max): Self.fault(value.array, of: element, max: max)
        }
    }

    private static func fault<Bound: Comparable>(_ value: Bound?, _ range: ClosedRange<Bound>) -> InteractionStatus? {
        guard let value else { return .invalidDataType }
        return range.contains(value) ? nil : .constraintError
    }

    private static func fault(_ values: [TLVValue]?, of element: ValueType, max: Int) -> InteractionStatus? {
        guard let values else { return .invalidDataType }
        guard values.count <= max else { return .constraintError }
        for value in values {
            if let fault = element.fault(in: value) { return fault }
        }
        return nil
    }
}
