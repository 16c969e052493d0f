/// The 12-bit number by which a commissionable device is told from its neighbours (Core §5.1.1.5).
public struct Discriminator: RawRepresentable, Hashable, Sendable {
    /// The number, 0 … 4095.
    public let rawValue: UInt16
    /// - Returns: `nil` above 4095.
    public init?(rawValue: UInt16) {
        guard rawValue < 1 << 12 else { return nil }
        self.rawValue = rawValue
    }
    /// The upper 4 bits, all that a manual code carries.
    public var short: ShortDiscriminator { ShortDiscriminator(upperBitsOf: self) }
}

/// The upper 4 bits of a ``Discriminator``.
public struct ShortDiscriminator: RawRepresentable, Hashable, Sendable {
    /// The number, 0 … 15.
    public let rawValue: UInt8
    /// - Returns: `nil` above 15.
    public init?(rawValue: UInt8) {
        guard rawValue < 1 << 4 else { return nil }
        self.rawValue = rawValue
    }
    fileprivate init(upperBitsOf discriminator: Discriminator) { rawValue = UInt8(discriminator.rawValue >> 8) }
}

/// What an onboarding payload says about the discriminator.
public enum PayloadDiscriminator: Hashable, Sendable {
    /// All 12 bits, from a QR code.
    case long(Discriminator)
    /// The upper 4 bits, from a manual code.
    case short(ShortDiscriminator)

    /// The upper 4 bits, which both forms have.
    public var short: ShortDiscriminator {
        switch self {
        case .long(let discriminator): discriminator.short
        case .short(let discriminator): discriminator
        }
    }

    /// All 12 bits; `nil` when only the upper 4 are known.
    public var long: Discriminator? { if case .long(let discriminator) = self { discriminator } else { nil } }

    /// Whether a device that announces `discriminator` may be the one meant.
    public func matches(_ discriminator: Discriminator) -> Bool {
        switch self {
        case .long(let own): own == discriminator
        case .short(let own): own == discriminator.short
        }
    }
}
