package import HubControl
package import MatterWire

extension AttributeValue {
    /// The control protocol's form of a TLV value; members of a structure without a context tag are left out.
    package init(_ value: TLVValue) {
        switch value {
        case .signed(let value): self = .signed(value)
        case .unsigned(let value): self = .unsigned(value)
        case .bool(let value): self = .bool(value)
        case .float(let value): self = .float(value)
        case .double(let value): self = .double(value)
        case .utf8(let value): self = .string(value)
        case .octets(let value): self = .octets(value)
        case .null: self = .null
        case .array(let values): self = .array(values.map { AttributeValue($0) })
        case .structure(let members), .list(let members):
            var structure: [UInt8: AttributeValue] = [:]
            for member in members {
                if case .context(let tag) = member.tag { structure[tag] = AttributeValue(member.value) }
            }
            self = .structure(structure)
        }
    }

    /// The TLV value, members of structures in the order of their tags.
    package var tlv: TLVValue {
        switch self {
        case .null: .null
        case .bool(let value): .bool(value)
        case .signed(let value): .signed(value)
        case .unsigned(let value): .unsigned(value)
        case .float(let value): .float(value)
        case .double(let value): .double(value)
        case .string(let value): .utf8(value)
        case .octets(let value): .octets(value)
        case .array(let values): .array(values.map(\.tlv))
        case .structure(let members):
            .structure(members.sorted { $0.key < $1.key }.map { TLVElement($0.key, $0.value.tlv) })
        }
    }
}
