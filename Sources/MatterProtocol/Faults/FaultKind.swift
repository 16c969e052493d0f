/// What a virtual device does wrong when a rule of its ``FaultPlan`` applies.
public enum FaultKind: Hashable, Sendable {
    /// Answers with a status instead of doing what was asked.
    case error(FaultStatus)
    /// Acknowledges the request and never answers it. At `discover`: is not announced.
    case silence
    /// Answers after this time.
    case slow(Duration)
    /// Answers twice. At `discover`: a second record leads nowhere.
    case duplicate
    /// Breaks the answer's bytes. At `discover`: announces port 0.
    case corrupt(FaultCorruption)
    /// Restarts with what it stored, and answers nothing.
    case reset
    /// Signs wrongly what it is asked to sign.
    case wrongSignature
    /// Signs elements with another nonce than the one that was sent.
    case wrongNonce
    /// Gives the other certificate of its attestation chain.
    case wrongChain
    /// Is dead from now on: hears and says nothing.
    case vanish
    /// ArmFailSafe: another administrator holds the fail-safe.
    case busyFailSafe
    /// AddNOC: there is no room for another fabric.
    case fabricTableFull
    /// AddNOC: another fabric has this label.
    case labelConflict
    /// Closes the session that the request came in.
    case closeSession
    /// Asks to come again after this time, by a status report of the secure channel.
    case busy(Duration)

    /// Whether a device can do this at a stage.
    public func applies(at stage: CommissioningStage) -> Bool {
        switch self {
        case .silence, .duplicate: true
        case .corrupt(let corruption): stage != .discover || corruption == .payload
        case .error, .slow, .reset, .vanish: stage != .discover
        case .closeSession: ![.discover, .pase, .operational].contains(stage)
        case .wrongSignature, .wrongNonce: stage == .attestation || stage == .csr
        case .wrongChain: stage == .attestation
        case .busyFailSafe: stage == .armFailSafe
        case .fabricTableFull, .labelConflict: stage == .addNOC
        case .busy: stage == .pase || stage == .operational
        }
    }
}

/// How an answer's bytes are broken.
public enum FaultCorruption: String, CaseIterable, Hashable, Sendable {
    /// The payload is no TLV any more; the message around it is whole.
    case payload = "tlv"
    /// The datagram's last byte differs the first time it is sent, so that its integrity check fails; retransmissions
    /// are whole. Unsecured messages have no such check: there it is their payload that is broken.
    case datagram = "mic"
}

/// Which status a device answers with.
public enum FaultStatus: Hashable, Sendable {
    /// A code of the interaction model; in a handshake, of the secure channel.
    case status(UInt8)
    /// The cluster's own code, beside `FAILURE`.
    case cluster(UInt8)
    /// The code in the first field of the command's response; where a command has none, like ``cluster(_:)``.
    case response(UInt8)
}

// MARK: - Text

extension FaultKind: CustomStringConvertible {
    /// The names, with what may stand behind `=`, what it means and an example of each kind.
    public static let catalogue: [(name: String, argument: String?, meaning: String, example: FaultKind)] = [
        (
            "error", "NAME|CODE|cluster:CODE|response:CODE",
            "answers with a status (FAILURE): of the interaction model, of the cluster, or in the command's response",
            .error(.status(1))
        ),
        ("silence", nil, "acknowledges and never answers; at discover: is not announced", .silence),
        ("slow", "MS", "answers late (5000)", .slow(.seconds(5))),
        ("duplicate", nil, "answers twice; at discover: a second record leads nowhere", .duplicate),
        (
            "corrupt", "tlv|mic", "breaks the answer's payload (tlv) or its integrity check; at discover: port 0",
            .corrupt(.payload)
        ),
        ("reset", nil, "restarts with what is stored", .reset),
        ("wrongSignature", nil, "signs wrongly", .wrongSignature),
        ("wrongNonce", nil, "signs another nonce than the one sent", .wrongNonce),
        ("wrongChain", nil, "gives the other attestation certificate", .wrongChain),
        ("vanish", nil, "is dead from then on", .vanish),
        ("busyFailSafe", nil, "says that another administrator holds the fail-safe", .busyFailSafe),
        ("fabricTableFull", nil, "says that it is on as many fabrics as it can", .fabricTableFull),
        ("labelConflict", nil, "says that another fabric has the label", .labelConflict),
        ("closeSession", nil, "closes the session", .closeSession),
        ("busy", "MS", "asks to come again later (500)", .busy(.milliseconds(500))),
    ]

    /// Every kind with its standard argument, and both corruptions.
    public static var examples: [FaultKind] { catalogue.map(\.example) + [.corrupt(.datagram)] }

    /// The name and the argument as ``FaultRule`` reads them.
    public var description: String {
        switch self {
        case .error(.status(let code)): "error=0x" + String(code, radix: 16)
        case .error(.cluster(let code)): "error=cluster:\(code)"
        case .error(.response(let code)): "error=response:\(code)"
        case .silence: "silence"
        case .slow(let time): "slow=\(time.wholeMilliseconds)"
        case .duplicate: "duplicate"
        case .corrupt(let corruption): "corrupt=\(corruption.rawValue)"
        case .reset: "reset"
        case .wrongSignature: "wrongSignature"
        case .wrongNonce: "wrongNonce"
        case .wrongChain: "wrongChain"
        case .vanish: "vanish"
        case .busyFailSafe: "busyFailSafe"
        case .fabricTableFull: "fabricTableFull"
        case .labelConflict: "labelConflict"
        case .closeSession: "closeSession"
        case .busy(let time): "busy=\(time.wholeMilliseconds)"
        }
    }

    /// Names of statuses that `error=` knows.
    private static let statuses: [String: UInt8] = [
        "failure": 0x01, "unsupportedAccess": 0x7E, "invalidAction": 0x80, "unsupportedCommand": 0x81,
        "invalidCommand": 0x85, "constraintError": 0x87, "resourceExhausted": 0x89, "notFound": 0x8B,
        "timeout": 0x94, "busy": 0x9C, "failsafeRequired": 0xCA, "invalidInState": 0xCB,
    ]

    /// Reads a kind by its name and the text behind `=`.
    ///
    /// - Returns: `nil` with the reason when there is no such kind, or not with this argument.
    static func parse(_ name: String, _ argument: String?) -> (FaultKind?, reason: String) {
        guard let entry = catalogue.first(where: { $0.name == name }) else {
            return (nil, "no such kind; there are \(catalogue.map(\.name).joined(separator: ", "))")
        }
        guard let argument else { return (entry.example, "") }
        guard let form = entry.argument else { return (nil, "“\(name)” takes no argument") }
        func milliseconds() -> Duration? {
            guard let number = UInt32(argument), number <= 3_600_000 else { return nil }
            return .milliseconds(Int64(number))
        }
        let kind: FaultKind? =
            switch entry.example {
            case .slow: milliseconds().map(FaultKind.slow)
            case .busy: milliseconds().flatMap { $0 <= .milliseconds(65_535) ? .busy($0) : nil }
            case .corrupt: FaultCorruption(rawValue: argument).map(FaultKind.corrupt)
            case .error: status(argument).map(FaultKind.error)
            case .silence, .duplicate, .reset, .wrongSignature, .wrongNonce, .wrongChain, .vanish, .busyFailSafe,
                .fabricTableFull, .labelConflict, .closeSession:
                nil
            }
        return (kind, "“\(name)” wants \(form), not “\(argument)”")
    }

    private static func status(_ text: String) -> FaultStatus? {
        func code(_ text: Substring) -> UInt8? {
            text.hasPrefix("0x") ? UInt8(text.dropFirst(2), radix: 16) : UInt8(text)
        }
        if text.hasPrefix("cluster:") { return code(text.dropFirst(8)).map(FaultStatus.cluster) }
        if text.hasPrefix("response:") { return code(text.dropFirst(9)).map(FaultStatus.response) }
        // A success would be no fault.
        return (statuses[text] ?? code(text[...])).flatMap { $0 == 0 ? nil : .status($0) }
    }
}

extension Duration {
    fileprivate var wholeMilliseconds: Int64 {
        components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
    }
}
