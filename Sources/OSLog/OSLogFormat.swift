import Foundation

/// Where a value stands in its columns.
public struct OSLogStringAlignment: Sendable {
    private enum Side { case none, left, right }
    private var side: Side
    private var columns: @Sendable () -> Int

    /// As wide as the value is.
    public static var none: OSLogStringAlignment { OSLogStringAlignment(side: .none, columns: { 0 }) }
    /// At the left of `columns` columns, filled with spaces; a longer value is not cut.
    public static func left(columns: @escaping @autoclosure @Sendable () -> Int) -> OSLogStringAlignment {
        OSLogStringAlignment(side: .left, columns: columns)
    }
    /// At the right of `columns` columns, filled with spaces; a longer value is not cut.
    public static func right(columns: @escaping @autoclosure @Sendable () -> Int) -> OSLogStringAlignment {
        OSLogStringAlignment(side: .right, columns: columns)
    }

    func applied(to text: String) -> String {
        let padding = String(repeating: " ", count: max(0, columns() - text.count))
        switch side {
        case .none: return text
        case .left: return text + padding
        case .right: return padding + text
        }
    }
}

/// How a whole number is written.
public struct OSLogIntegerFormatting: Sendable {
    private var radix = 10
    private var explicitPositiveSign = false
    private var prefix = ""
    private var uppercase = false
    private var minDigits = 0

    /// In decimal.
    public static var decimal: OSLogIntegerFormatting { OSLogIntegerFormatting() }
    /// In decimal, with a plus sign or leading zeros.
    public static func decimal(explicitPositiveSign: Bool = false, minDigits: Int = 0) -> OSLogIntegerFormatting {
        OSLogIntegerFormatting(explicitPositiveSign: explicitPositiveSign, minDigits: minDigits)
    }
    /// In hexadecimal, lower case, without prefix.
    public static var hex: OSLogIntegerFormatting { OSLogIntegerFormatting(radix: 16) }
    /// In hexadecimal, with what is asked for.
    public static func hex(
        explicitPositiveSign: Bool = false, includePrefix: Bool = false, uppercase: Bool = false, minDigits: Int = 0
    ) -> OSLogIntegerFormatting {
        OSLogIntegerFormatting(
            radix: 16, explicitPositiveSign: explicitPositiveSign, prefix: includePrefix ? "0x" : "",
            uppercase: uppercase, minDigits: minDigits)
    }
    /// In octal, without prefix.
    public static var octal: OSLogIntegerFormatting { OSLogIntegerFormatting(radix: 8) }
    /// In octal, with what is asked for.
    public static func octal(
        explicitPositiveSign: Bool = false, includePrefix: Bool = false, uppercase: Bool = false, minDigits: Int = 0
    ) -> OSLogIntegerFormatting {
        OSLogIntegerFormatting(
            radix: 8, explicitPositiveSign: explicitPositiveSign, prefix: includePrefix ? "0o" : "",
            uppercase: uppercase, minDigits: minDigits)
    }

    func text(of value: some FixedWidthInteger) -> String {
        let digits = String(value.magnitude, radix: radix, uppercase: uppercase)
        let zeros = String(repeating: "0", count: max(0, minDigits - digits.count))
        let sign = value < 0 ? "-" : explicitPositiveSign ? "+" : ""
        return sign + prefix + zeros + digits
    }
}

/// How a floating-point number is written.
public struct OSLogFloatFormatting: Sendable {
    private var conversion: Character = "f"
    private var precision = 6
    private var explicitPositiveSign = false

    private init(_ conversion: Character, _ precision: Int, _ explicitPositiveSign: Bool, _ uppercase: Bool) {
        self.conversion = uppercase ? Character(conversion.uppercased()) : conversion
        self.precision = precision
        self.explicitPositiveSign = explicitPositiveSign
    }

    /// With six digits after the point.
    public static var fixed: OSLogFloatFormatting { OSLogFloatFormatting("f", 6, false, false) }
    /// With `precision` digits after the point.
    public static func fixed(
        precision: Int = 6, explicitPositiveSign: Bool = false, uppercase: Bool = false
    ) -> OSLogFloatFormatting { OSLogFloatFormatting("f", precision, explicitPositiveSign, uppercase) }
    /// In hexadecimal.
    public static var hex: OSLogFloatFormatting { OSLogFloatFormatting("a", -1, false, false) }
    /// With an exponent and six digits after the point.
    public static var exponential: OSLogFloatFormatting { OSLogFloatFormatting("e", 6, false, false) }
    /// With an exponent and `precision` digits after the point.
    public static func exponential(
        precision: Int = 6, explicitPositiveSign: Bool = false, uppercase: Bool = false
    ) -> OSLogFloatFormatting { OSLogFloatFormatting("e", precision, explicitPositiveSign, uppercase) }
    /// With an exponent only where that is shorter.
    public static var hybrid: OSLogFloatFormatting { OSLogFloatFormatting("g", 6, false, false) }
    /// With an exponent only where that is shorter, and `precision` digits that count.
    public static func hybrid(
        precision: Int = 6, explicitPositiveSign: Bool = false, uppercase: Bool = false
    ) -> OSLogFloatFormatting { OSLogFloatFormatting("g", precision, explicitPositiveSign, uppercase) }

    func text(of value: Double) -> String {
        let sign = explicitPositiveSign ? "+" : ""
        let digits = precision < 0 ? "" : ".\(precision)"
        return String(format: "%\(sign)\(digits)\(conversion)", value)
    }
}

/// How a truth value is written.
public enum OSLogBoolFormat: Sendable {
    /// `true` or `false`.
    case truth
    /// `yes` or `no`.
    case answer
}
