import MatterWire

/// What kind of value a vendor's element has.
public enum MTROptionalQRCodeInfoType: UInt, Hashable, Sendable {
    /// Never seen.
    case unknown = 0
    /// Text.
    case string = 1
    /// A whole number of 32 bits.
    case int32 = 2
}

/// One element of a payload that means something to the vendor alone.
public final class MTROptionalQRCodeInfo: NSObject, NSCopying, Sendable {
    /// The kind of value.
    public let type: MTROptionalQRCodeInfoType
    /// The element's number, 0x80 … 0xFF.
    public let tag: NSNumber
    /// The value of a number; `nil` for text.
    public let integerValue: NSNumber?
    /// The value of a text; `nil` for a number.
    public let stringValue: String?

    /// An element of text.
    ///
    /// - Parameter tag: 0x80 … 0xFF; an element of another tag is not put into a payload.
    public init(tag: NSNumber, stringValue value: String) {
        type = .string
        self.tag = tag
        integerValue = nil
        stringValue = value
    }

    /// An element of a number.
    ///
    /// - Parameter tag: 0x80 … 0xFF; an element of another tag is not put into a payload.
    public init(tag: NSNumber, int32Value value: Int32) {
        type = .int32
        self.tag = tag
        integerValue = NSNumber(value: value)
        stringValue = nil
    }

    /// The element of a payload; `nil` for a value that this class has no form for.
    convenience init?(tag: UInt8, value: TLVValue) {
        switch value {
        case .utf8(let text): self.init(tag: NSNumber(value: tag), stringValue: text)
        case .signed(let number):
            guard let number = Int32(exactly: number) else { return nil }
            self.init(tag: NSNumber(value: tag), int32Value: number)
        case .unsigned(let number):
            guard let number = Int32(exactly: number) else { return nil }
            self.init(tag: NSNumber(value: tag), int32Value: number)
        default: return nil
        }
    }

    /// The element as a payload has it; `nil` for a tag that is not a vendor's.
    var element: TLVElement? {
        guard let tag = Self.vendorTag(tag) else { return nil }
        if let stringValue { return TLVElement(tag, .utf8(stringValue)) }
        return integerValue.map { TLVElement(tag, .signed($0.int64Value)) }
    }

    static func vendorTag(_ tag: NSNumber) -> UInt8? {
        UInt8(exactly: tag.int64Value).flatMap { $0 >= 0x80 ? $0 : nil }
    }

    /// Returns this object, which can't change.
    public func copy(with zone: NSZone? = nil) -> Any { self }
    /// Whether both have the same tag and value.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? MTROptionalQRCodeInfo else { return false }
        return tag == other.tag && integerValue == other.integerValue && stringValue == other.stringValue
    }
    /// Equal for equal elements.
    public override var hash: Int { tag.hash }
    /// Tag and value in words.
    public override var description: String {
        "<MTROptionalQRCodeInfo: tag \(tag), \(stringValue ?? integerValue?.stringValue ?? "no value")>"
    }
}
