/// What an access control entry grants and an element of a cluster demands (Core §6.6.2.3).
public enum Privilege: UInt8, Hashable, Sendable, CaseIterable {
    /// Reads what is not restricted.
    case view = 1
    /// Reads for others; nothing of this package demands it.
    case proxyView = 2
    /// Uses the device: commands and writes of its primary function.
    case operate = 3
    /// Changes settings.
    case manage = 4
    /// Changes access control, credentials and commissioning.
    case administer = 5

    /// Whether an entry with this privilege also grants `other`; ``proxyView`` grants only itself and ``view``.
    public func includes(_ other: Privilege) -> Bool {
        switch other {
        case .view: true
        case .proxyView: self == .proxyView || self == .administer
        case .operate, .manage, .administer: self != .proxyView && rawValue >= other.rawValue
        }
    }
}
