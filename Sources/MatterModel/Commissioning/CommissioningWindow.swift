public import MatterCrypto
public import MatterWire

/// What a responder needs to answer PASE without the passcode itself (Core §3.10, §11.19.8.1).
public struct PAKEParameters: Hashable, Sendable {
    /// What stands for the passcode.
    public var verifier: PAKEVerifier
    /// 16 … 32 bytes.
    public var salt: [UInt8]
    /// PBKDF2 iterations: 1,000 … 100,000.
    public var iterations: Int

    /// Puts the parts together; nothing is checked.
    public init(verifier: PAKEVerifier, salt: [UInt8], iterations: Int) {
        self.verifier = verifier
        self.salt = salt
        self.iterations = iterations
    }
}

/// An open commissioning window: how to advertise it and how to answer PASE in it.
public struct CommissioningWindow: Hashable, Sendable {
    /// How it was opened.
    public enum Kind: Hashable, Sendable {
        /// By the node itself, because it has no fabric; with the printed passcode. The clusters do not show it.
        case initial
        /// By an administrator, with the printed passcode.
        case basic
        /// By an administrator, with a passcode of its own.
        case enhanced
    }

    /// How it was opened.
    public let kind: Kind
    /// 12 bits; goes into the advertisement.
    public let discriminator: UInt16
    /// What PASE is answered with.
    public let pake: PAKEParameters
    /// The administrator's fabric; `nil` for the initial window and after that fabric was removed.
    public internal(set) var adminFabric: FabricIndex?
    /// The administrator's vendor; `nil` for the initial window.
    public let adminVendor: VendorID?

    /// Describes a window; nothing is checked.
    public init(
        kind: Kind, discriminator: UInt16, pake: PAKEParameters, adminFabric: FabricIndex?, adminVendor: VendorID?
    ) {
        self.kind = kind
        self.discriminator = discriminator
        self.pake = pake
        self.adminFabric = adminFabric
        self.adminVendor = adminVendor
    }

    /// The `CM` value of the advertisement: 1 for the printed passcode, 2 for a passcode of its own.
    public var commissioningMode: UInt8 { kind == .enhanced ? 2 : 1 }
}

/// The commissioning window: when strangers may try PASE (Core §5.5, §11.19).
///
/// ```
///            open                        paseEstablished
///  closed ─────────▶ listening ──────────────────────────▶ occupied
///    ▲                │  ▲ │ paseFailed, fewer than 20       │  │
///    │                │  │ └──┐                              │  │
///    │                │  └────┘◀──── attemptAborted, < 20 ───┘  │
///    └────────────────┴─────────────────────────────────────────┘
///       revoke, timerFired at the deadline, commissioned, the 20th failed attempt
/// ```
///
/// While occupied no second PASE is answered and nothing is advertised. When the time ends then, the session in
/// progress goes on, but the window does not come back after it.
public struct CommissioningWindowMachine: Sendable {
    /// What the driver has to do.
    public enum Action: Hashable, Sendable {
        /// Advertise, and answer PASE.
        case listen(CommissioningWindow)
        /// Withdraw the advertisement, and refuse PASE.
        case stopListening
        /// The attributes of AdministratorCommissioning have other values now.
        case statusChanged
    }

    /// Failed attempts, wrong passcodes and aborted commissionings together, that close a window.
    public static let attemptLimit = 20

    private struct Open: Sendable {
        var window: CommissioningWindow
        var deadline: MonotonicInstant?
        var failedAttempts = 0
    }

    private enum State: Sendable {
        case closed
        case listening(Open)
        case occupied(Open)
    }

    private var state = State.closed

    /// Begins closed.
    public init() {}

    /// The window, listening or occupied; `nil` when closed.
    public var window: CommissioningWindow? { open?.window }

    /// The window when PASE may be tried in it; `nil` when closed or occupied.
    public var listening: CommissioningWindow? {
        guard case .listening(let open) = state else { return nil }
        return open.window
    }

    /// When the window closes by itself; `nil` when closed or without an end.
    public var deadline: MonotonicInstant? { open?.deadline }

    private var open: Open? {
        switch state {
        case .closed: nil
        case .listening(let open), .occupied(let open): open
        }
    }

    /// Opens a window; refused, with no action, while one is open.
    public mutating func open(_ window: CommissioningWindow, until deadline: MonotonicInstant?) -> [Action] {
        guard case .closed = state else { return [] }
        state = .listening(Open(window: window, deadline: deadline))
        return [.listen(window)] + statusChange(of: window)
    }

    /// A passcode was proved: the window is occupied until the commissioning ends.
    public mutating func paseEstablished() -> [Action] {
        guard case .listening(let open) = state else { return [] }
        state = .occupied(open)
        return [.stopListening]
    }

    /// A PASE attempt failed: a wrong passcode, an invalid message or a timeout.
    public mutating func paseFailed() -> [Action] {
        guard case .listening(var open) = state else { return [] }
        open.failedAttempts += 1
        guard open.failedAttempts < Self.attemptLimit else { return close() }
        state = .listening(open)
        return []
    }

    /// The commissioning that PASE began ended without completion.
    public mutating func attemptAborted() -> [Action] {
        guard case .occupied(var open) = state else { return [] }
        open.failedAttempts += 1
        guard open.failedAttempts < Self.attemptLimit else { return close() }
        state = .listening(open)
        return [.listen(open.window)]
    }

    /// The commissioning that PASE began was completed.
    public mutating func commissioned() -> [Action] { close() }

    /// An administrator, or the node itself, closes the window.
    public mutating func revoke() -> [Action] { close() }

    /// A fabric was removed: a window that it opened no longer names it.
    public mutating func fabricRemoved(_ index: FabricIndex) -> [Action] {
        switch state {
        case .closed: return []
        case .listening(var open):
            guard open.window.adminFabric == index else { return [] }
            open.window.adminFabric = nil
            state = .listening(open)
        case .occupied(var open):
            guard open.window.adminFabric == index else { return [] }
            open.window.adminFabric = nil
            state = .occupied(open)
        }
        return [.statusChanged]
    }

    /// Closes the window when its time has come.
    public mutating func timerFired(now: MonotonicInstant) -> [Action] {
        guard let deadline, now >= deadline else { return [] }
        return close()
    }

    private mutating func close() -> [Action] {
        switch state {
        case .closed: return []
        case .listening(let open):
            state = .closed
            return [.stopListening] + statusChange(of: open.window)
        case .occupied(let open):
            state = .closed
            return statusChange(of: open.window)
        }
    }

    private func statusChange(of window: CommissioningWindow) -> [Action] {
        window.kind == .initial ? [] : [.statusChanged]
    }
}
