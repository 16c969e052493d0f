/// An attribute's value or a command's fields as the control protocol carries them (Protocols/hub-control.md §4): what TLV
/// can say, without its integer widths and its tags other than context tags.
public enum AttributeValue: Hashable, Sendable {
    /// No value, where the schema allows it.
    case null
    /// A truth value.
    case bool(Bool)
    /// A signed integer of any width.
    case signed(Int64)
    /// An unsigned integer of any width.
    case unsigned(UInt64)
    /// A 32-bit IEEE number.
    case float(Float)
    /// A 64-bit IEEE number.
    case double(Double)
    /// Text.
    case string(String)
    /// Bytes.
    case octets([UInt8])
    /// Values in order.
    case array([AttributeValue])
    /// Members by their context tag; TLV lists come in this form too.
    case structure([UInt8: AttributeValue])
}

extension AttributeValue {
    /// The member names of the JSON objects that stand for one value; no structure has them, since its names are numbers.
    private enum Marker {
        static let octets = "octets"
        static let signed = "i"
        static let unsigned64 = "u64"
        static let signed64 = "i64"
        static let float = "f32"
        static let double = "f64"
    }

    /// Integers from −2^53 to 2^53 are JSON numbers, since every language holds them exactly.
    private static let exact: Int64 = 1 << 53

    // MARK: - To JSON

    /// The form in answers: a signed integer looks like an unsigned one.
    public var json: JSONValue { json(markingSigned: false) }

    /// The form in requests, from which the same value is read again: a signed integer that is not negative is marked so.
    public var parameterJSON: JSONValue { json(markingSigned: true) }

    private func json(markingSigned: Bool) -> JSONValue {
        switch self {
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .signed(let value):
            guard (-Self.exact...Self.exact).contains(value) else {
                return [Marker.signed64: .string(Self.hexadecimal(UInt64(bitPattern: value)))]
            }
            return markingSigned && value >= 0 ? [Marker.signed: .integer(value)] : .integer(value)
        case .unsigned(let value):
            guard value <= UInt64(Self.exact) else { return [Marker.unsigned64: .string(Self.hexadecimal(value))] }
            return .integer(Int64(value))
        case .float(let value): return [Marker.float: Self.number(Double(value))]
        case .double(let value): return [Marker.double: Self.number(value)]
        case .string(let value): return .string(value)
        case .octets(let bytes): return [Marker.octets: .string(Base64URL.encode(bytes))]
        case .array(let values): return .array(values.map { $0.json(markingSigned: markingSigned) })
        case .structure(let members):
            var object = JSONObject()
            for (tag, value) in members.sorted(by: { $0.key < $1.key }) {
                object[String(tag)] = value.json(markingSigned: markingSigned)
            }
            return .object(object)
        }
    }

    private static func hexadecimal(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// JSON has no infinities and no NaN: they are words.
    private static func number(_ value: Double) -> JSONValue {
        if value.isNaN { return "nan" }
        if value.isInfinite { return value < 0 ? "-inf" : "inf" }
        return .number(value)
    }

    // MARK: - From JSON

    /// Reads either form: a plain integer that is not negative is unsigned, a negative one signed.
    ///
    /// - Throws: ``ControlProtocolError`` `wrongType`; its path names the place within the value.
    public init(json: JSONValue) throws(ControlProtocolError) {
        switch json {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = value < 0 ? .signed(value) : .unsigned(UInt64(value))
        case .number:
            let reason =
                "an integer within 64 bits (larger ones as {\"u64\": \"…\"}, fractions as {\"f32\": 1.5} or {\"f64\": 1.5})"
            throw ControlProtocolError(.wrongType, path: "", reason: reason)
        case .string(let value): self = .string(value)
        case .array(let values):
            var elements: [AttributeValue] = []
            for (index, value) in values.enumerated() {
                elements.append(try Self.member(String(index), value))
            }
            self = .array(elements)
        case .object(let object):
            if let marked = try Self.marked(object) {
                self = marked
            } else {
                self = .structure(try Self.members(object))
            }
        }
    }

    private static func member(_ name: String, _ value: JSONValue) throws(ControlProtocolError) -> AttributeValue {
        do throws(ControlProtocolError) {
            return try AttributeValue(json: value)
        } catch {
            throw error.within(name)
        }
    }

    /// - Returns: `nil` when the object is not one of the marked forms.
    private static func marked(_ object: JSONObject) throws(ControlProtocolError) -> AttributeValue? {
        guard let first = object.members.first, object.members.count == 1 else { return nil }
        switch first.name {
        case Marker.octets: return .octets(try object.octets(Marker.octets))
        case Marker.signed: return .signed(try object.integer(Marker.signed))
        case Marker.unsigned64: return .unsigned(try bits(object, Marker.unsigned64))
        case Marker.signed64: return .signed(Int64(bitPattern: try bits(object, Marker.signed64)))
        case Marker.float: return .float(Float(try real(object, Marker.float)))
        case Marker.double: return .double(try real(object, Marker.double))
        default: return nil
        }
    }

    private static func bits(_ object: JSONObject, _ name: String) throws(ControlProtocolError) -> UInt64 {
        try object.identifier(name, as: DeviceID.self).rawValue
    }

    private static func real(_ object: JSONObject, _ name: String) throws(ControlProtocolError) -> Double {
        switch object[name] {
        case .integer(let value): return Double(value)
        case .number(let value): return value
        case "nan": return .nan
        case "inf": return .infinity
        case "-inf": return -.infinity
        default: throw ControlProtocolError(.wrongType, path: name, reason: "a number, \"inf\", \"-inf\" or \"nan\"")
        }
    }

    private static func members(_ object: JSONObject) throws(ControlProtocolError) -> [UInt8: AttributeValue] {
        var members: [UInt8: AttributeValue] = [:]
        for entry in object.members {
            // One text for each number: "01" and "+1" would be second names of tag 1.
            guard let tag = UInt8(entry.name), String(tag) == entry.name else {
                throw ControlProtocolError(
                    .wrongType, path: entry.name, reason: "a context tag from 0 to 255 in decimal digits")
            }
            members[tag] = try member(entry.name, entry.value)
        }
        return members
    }
}

extension AttributeValue {
    /// The number when it is an integer that `T` holds, signed or unsigned; else `nil`.
    public func integer<T: FixedWidthInteger>(as: T.Type = T.self) -> T? {
        switch self {
        case .signed(let value): T(exactly: value)
        case .unsigned(let value): T(exactly: value)
        case .null, .bool, .float, .double, .string, .octets, .array, .structure: nil
        }
    }
    /// The truth value, else `nil`.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The text, else `nil`.
    public var string: String? { if case .string(let value) = self { value } else { nil } }
    /// The bytes, else `nil`.
    public var octets: [UInt8]? { if case .octets(let bytes) = self { bytes } else { nil } }
    /// The values of an array, else `nil`.
    public var array: [AttributeValue]? { if case .array(let values) = self { values } else { nil } }
    /// The member with this context tag of a structure; `nil` when there is none.
    public subscript(tag: UInt8) -> AttributeValue? {
        if case .structure(let members) = self { members[tag] } else { nil }
    }
}
