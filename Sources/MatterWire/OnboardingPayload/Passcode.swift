/// A setup passcode, the shared secret of PASE: a number of at most 27 bits (Core §5.1.1.6).
public struct Passcode: RawRepresentable, Hashable, Sendable {
    /// The number, 0 … 134,217,727; payloads can carry numbers that are no valid passcode.
    public let rawValue: UInt32

    /// - Returns: `nil` when `rawValue` needs more than 27 bits.
    public init?(rawValue: UInt32) {
        guard rawValue < 1 << 27 else { return nil }
        self.rawValue = rawValue
    }

    /// The passcodes that a device must not have although they are in range (Core §5.1.7.1).
    public static let forbidden: Set<UInt32> = [
        11_111_111, 22_222_222, 33_333_333, 44_444_444, 55_555_555, 66_666_666, 77_777_777, 88_888_888, 99_999_999,
        12_345_678, 87_654_321,
    ]

    /// Whether a device may have this passcode: 1 … 99,999,998 and not one of ``forbidden``.
    public var isValid: Bool { (1...99_999_998).contains(rawValue) && !Self.forbidden.contains(rawValue) }

    /// A random valid passcode.
    public static func random(using generator: inout some RandomNumberGenerator) -> Passcode {
        while true {
            let draw = UInt32.random(in: 1...99_999_998, using: &generator)
            if let passcode = Passcode(rawValue: draw), passcode.isValid { return passcode }
        }
    }
}
