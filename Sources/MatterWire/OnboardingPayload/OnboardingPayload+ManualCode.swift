extension OnboardingPayload {
    /// Digits of the short form, without vendor and product id.
    static let shortDigitCount = 11
    /// Digits of the long form.
    static let longDigitCount = 21

    /// The digits of the manual pairing code, without dashes (Core §5.1.4.1).
    ///
    /// 11 digits for the standard flow, else 21 with vendor and product id (absent ones as 0); `nil` for another
    /// version than 0, which has no manual form. Of the discriminator only the upper 4 bits survive.
    public var manualCode: String? { manualCode(long: flow != .standard) }

    /// The digits of the manual pairing code in the form asked for; `nil` for another version than 0.
    public func manualCode(long: Bool) -> String? {
        guard version == 0 else { return nil }
        let short = UInt32(discriminator.short.rawValue)
        var text = String(short >> 2 | (long ? 4 : 0))
        text += Self.digits((short & 3) << 14 | passcode.rawValue & 0x3FFF, count: 5)
        text += Self.digits(passcode.rawValue >> 14, count: 4)
        if long {
            text += Self.digits(UInt32(vendorID?.rawValue ?? 0), count: 5)
            text += Self.digits(UInt32(productID?.rawValue ?? 0), count: 5)
        }
        return text + String(Verhoeff.checkDigit(for: text.utf8.map { $0 - 0x30 }))
    }

    /// A manual code with dashes for people: 4-3-4, and 4-3-4-5-5 for 21 digits; other texts as they are.
    ///
    /// The specification groups the short form only; the grouping of the long one is our choice.
    public static func grouped(manualCode: String) -> String {
        let groups: [Int]
        switch manualCode.count {
        case shortDigitCount: groups = [4, 3, 4]
        case longDigitCount: groups = [4, 3, 4, 5, 5]
        default: return manualCode
        }
        var rest = Substring(manualCode)
        return groups.map { count in
            defer { rest = rest.dropFirst(count) }
            return String(rest.prefix(count))
        }.joined(separator: "-")
    }

    /// Where the digits of a manual code begin that carry a field.
    static func manualDigit(of field: Field) -> Int {
        switch field {
        case .version, .flow: 0
        case .passcode: 1
        }
    }

    /// Reads the digits of a manual code.
    ///
    /// - Parameter digits: 0 … 9 each, dashes already gone.
    /// - Throws: ``OnboardingPayloadError`` with the index of a digit as offset.
    init(manualDigits digits: [UInt8]) throws(OnboardingPayloadError) {
        guard digits.count == Self.shortDigitCount || digits.count == Self.longDigitCount else {
            throw OnboardingPayloadError(
                .badLength, "\(digits.count) digits; a manual code has 11 or 21",
                offset: min(digits.count, Self.longDigitCount))
        }
        let isLong = digits.count == Self.longDigitCount
        let saysLong = digits[0] & 4 != 0
        guard isLong == saysLong || digits[0] > 7 else {
            throw OnboardingPayloadError(
                .lengthMismatch,
                "the first digit \(digits[0]) announces a code of \(saysLong ? 21 : 11) digits, but there are \(digits.count):"
                    + " digits are missing or too many, or the first one is wrong",
                offset: 0)
        }
        let body = Array(digits.dropLast())
        let check = Verhoeff.checkDigit(for: body)
        guard digits[body.count] == check else {
            throw OnboardingPayloadError(
                .checkDigit,
                "the check digit is \(digits[body.count]), but the \(body.count) digits before it give \(check):"
                    + " a digit is wrong or two are swapped",
                offset: body.count)
        }
        guard digits[0] < 8 else {
            throw OnboardingPayloadError(
                .unsupportedVersion, "the first digit \(digits[0]) means a version other than 0", offset: 0)
        }
        let low = try Self.number(digits, 1..<6, limit: 0xFFFF, "discriminator and passcode")
        let high = try Self.number(digits, 6..<10, limit: 0x1FFF, "upper half of the passcode")
        guard let short = ShortDiscriminator(rawValue: (digits[0] & 3) << 2 | UInt8(low >> 14)),
            let passcode = Passcode(rawValue: high << 14 | low & 0x3FFF)
        else { preconditionFailure("the groups have as many bits as their types") }
        guard passcode.rawValue != 0 else {
            throw Self.invalidPasscode(passcode).at(Self.manualDigit(of: .passcode))
        }
        self.init(flow: isLong ? .custom : .standard, discriminator: .short(short), passcode: passcode)
        if isLong {
            vendorID = VendorID(rawValue: UInt16(try Self.number(digits, 10..<15, limit: 0xFFFF, "vendor id")))
            productID = ProductID(rawValue: UInt16(try Self.number(digits, 15..<20, limit: 0xFFFF, "product id")))
        }
    }

    private static func number(
        _ digits: [UInt8], _ range: Range<Int>, limit: UInt32, _ name: String
    ) throws(OnboardingPayloadError) -> UInt32 {
        let value = digits[range].reduce(UInt32(0)) { $0 * 10 + UInt32($1) }
        guard value <= limit else {
            throw OnboardingPayloadError(
                .outOfRange,
                "digits \(range.lowerBound + 1) to \(range.upperBound) (\(name)) are \(value), more than \(limit)",
                offset: range.lowerBound)
        }
        return value
    }

    private static func digits(_ value: UInt32, count: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
}
