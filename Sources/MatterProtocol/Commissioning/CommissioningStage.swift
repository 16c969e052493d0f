/// A named step of commissioning, in order; the names are those of Protocols/commissioning-session.md.
///
/// ``discover`` and ``pase`` are the driver's to report; ``CommissionerMachine`` begins with ``readInfo``.
public enum CommissioningStage: String, CaseIterable, Hashable, Sendable, Comparable {
    /// Finding the device by DNS-SD, or taking a given address.
    case discover
    /// The passcode-authenticated session.
    case pase
    /// Reading what the device is and needs.
    case readInfo
    /// Arming the fail-safe; a stale membership of our fabric is removed here too.
    case armFailSafe
    /// Regulatory location and time.
    case regulatory
    /// Certificates, attestation and the verdict.
    case attestation
    /// The device's certificate request and its checks.
    case csr
    /// Our root certificate.
    case addRoot
    /// The device's operational certificate.
    case addNOC
    /// Finding the device on the fabric, and the certificate-authenticated session.
    case operational
    /// CommissioningComplete.
    case complete

    /// The stage's place, from 1.
    public var index: Int { (Self.allCases.firstIndex(of: self) ?? 0) + 1 }
    /// The number of stages.
    public static var total: Int { allCases.count }
    /// What a person reads while the stage runs.
    public var title: String {
        switch self {
        case .discover: "Finding the device"
        case .pase: "Opening a secure session with the passcode"
        case .readInfo: "Reading what the device needs"
        case .armFailSafe: "Arming the device's fail-safe"
        case .regulatory: "Setting location and time"
        case .attestation: "Checking that the device is genuine"
        case .csr: "Asking the device for its certificate request"
        case .addRoot: "Giving the device this home's root certificate"
        case .addNOC: "Giving the device its own certificate"
        case .operational: "Meeting the device on this home's fabric"
        case .complete: "Completing"
        }
    }
    /// Whether the left stage comes first.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.index < rhs.index }
}
