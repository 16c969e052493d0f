public import Foundation
package import HubControl

/// An attribute of a trait: the value that the device gave, and whether it has the attribute at all.
@propertyWrapper
public struct TraitAttribute<Value: Sendable>: Sendable {
    /// The value; `nil` for null, when the device gave none, or one of another form.
    public let wrappedValue: Value?
    /// Whether the device has the attribute.
    public let isSupported: Bool

    package init(_ value: Value?, isSupported: Bool) {
        wrappedValue = value
        self.isSupported = isSupported
    }

    /// The attribute itself.
    public var projectedValue: TraitAttribute<Value> { self }
}

extension TraitAttribute: Equatable where Value: Equatable {}
extension TraitAttribute: Hashable where Value: Hashable {}

/// A type of values that attributes and command fields have.
package protocol TraitValue: Hashable, Sendable {
    /// - Returns: `nil` for a value of another form.
    init?(attribute: AttributeValue)
    var attributeValue: AttributeValue { get }
}

/// An enumeration of a cluster.
public protocol TraitEnum: RawRepresentable, Hashable, Sendable, CaseIterable where RawValue == UInt8 {
    /// Stands for every value that this version does not know.
    static var unrecognized_: Self { get }
}

extension TraitValue where Self: TraitEnum {
    package init?(attribute: AttributeValue) {
        guard let number = attribute.integer(as: UInt8.self) else { return nil }
        self = Self(rawValue: number) ?? .unrecognized_
    }
    package var attributeValue: AttributeValue { .unsigned(UInt64(rawValue)) }
}

extension TraitValue where Self: OptionSet, RawValue: FixedWidthInteger & UnsignedInteger {
    package init?(attribute: AttributeValue) {
        guard let bits: RawValue = attribute.integer() else { return nil }
        self.init(rawValue: bits)
    }
    package var attributeValue: AttributeValue { .unsigned(UInt64(rawValue)) }
}

extension TraitValue where Self: FixedWidthInteger {
    package init?(attribute: AttributeValue) {
        guard let number: Self = attribute.integer() else { return nil }
        self = number
    }
    package var attributeValue: AttributeValue {
        Self.isSigned ? .signed(Int64(clamping: self)) : .unsigned(UInt64(clamping: self))
    }
}

extension UInt8: TraitValue {}
extension UInt16: TraitValue {}
extension UInt32: TraitValue {}
extension UInt64: TraitValue {}
extension Int8: TraitValue {}
extension Int16: TraitValue {}
extension Int32: TraitValue {}
extension Int64: TraitValue {}

extension Bool: TraitValue {
    package init?(attribute: AttributeValue) {
        guard let value = attribute.bool else { return nil }
        self = value
    }
    package var attributeValue: AttributeValue { .bool(self) }
}

extension String: TraitValue {
    package init?(attribute: AttributeValue) {
        guard let value = attribute.string else { return nil }
        self = value
    }
    package var attributeValue: AttributeValue { .string(self) }
}

extension Data: TraitValue {
    package init?(attribute: AttributeValue) {
        guard let bytes = attribute.octets else { return nil }
        self.init(bytes)
    }
    package var attributeValue: AttributeValue { .octets(Array(self)) }
}

extension Array: TraitValue where Element: TraitValue {
    package init?(attribute: AttributeValue) {
        guard let values = attribute.array?.map({ Element(attribute: $0) }) else { return nil }
        let elements = values.compactMap(\.self)
        guard elements.count == values.count else { return nil }
        self = elements
    }
    package var attributeValue: AttributeValue { .array(map(\.attributeValue)) }
}
