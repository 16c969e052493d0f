public import MatterCrypto
public import MatterWire

/// Why a commissioning failed, as a stable code: the reasons of Protocols/commissioning-session.md.
public struct CommissioningCause: RawRepresentable, Hashable, Sendable {
    /// The code.
    public var rawValue: String
    /// Wraps a code.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The device stopped answering, or closed the session.
    public static let deviceVanished = Self(rawValue: "deviceVanished")
    /// The device acknowledged a request and did not answer it in time, or the fail-safe ended first.
    public static let deadline = Self(rawValue: "deadline")
    /// The device, or another administrator on it, is busy.
    public static let deviceBusy = Self(rawValue: "deviceBusy")
    /// The device refused a step.
    public static let deviceRefused = Self(rawValue: "deviceRefused")
    /// What the device sent breaks the protocol.
    public static let protocolError = Self(rawValue: "protocolError")
    /// The device's attestation was refused.
    public static let attestationRefused = Self(rawValue: "attestationRefused")
    /// The device is a node of this fabric already.
    public static let alreadyOnFabric = Self(rawValue: "alreadyOnFabric")
    /// The device reset itself in the middle; what was said of an earlier membership is gone.
    public static let deviceReset = Self(rawValue: "deviceReset")
    /// The device takes no further fabric.
    public static let fabricTableFull = Self(rawValue: "fabricTableFull")
    /// The owner cancelled.
    public static let sessionEnded = Self(rawValue: "sessionEnded")
    /// This side failed: keys, randomness or storage.
    public static let internalError = Self(rawValue: "internalError")
}

/// What a failed or cancelled commissioning left on the device.
public enum DeviceState: String, Hashable, Sendable {
    /// Nothing was sent that changes the device.
    case untouched
    /// The fail-safe was ended, has run out, or the fabric was removed: nothing of ours is left.
    case clean
    /// Cleaning goes on; the fail-safe ends it at the latest.
    case cleaning
    /// CommissioningComplete was sent, and the device may be on our fabric.
    case unknown
}

/// What a user can do; the names that the Home APIs give.
public enum CommissioningUserAction: String, CaseIterable, Hashable, Sendable {
    /// See whether the hub runs.
    case checkHubAvailability
    /// See whether both are on one network.
    case checkWifiNetwork
    /// See whether the device has power and is near.
    case checkDeviceAvailability
    /// Reset the device.
    case factoryResetDevice
    /// Wait.
    case tryAgainLater
}

/// What the peer itself reported, beside our own words.
public enum CommissioningPeerStatus: Hashable, Sendable, CustomStringConvertible {
    /// A status of the interaction model.
    case interaction(StatusIB)
    /// A response command's own code, with its name and the device's text.
    case command(String, code: UInt8, name: String, text: String)
    /// Words for a log.
    public var description: String {
        switch self {
        case .interaction(let status):
            let cluster = status.clusterStatus.map { ", cluster status \($0)" } ?? ""
            return "\(status.status)\(cluster)"
        case .command(let command, let code, let name, let text):
            return "\(command): \(name) (\(code))\(text.isEmpty ? "" : ", \"\(text.prefix(128))\"")"
        }
    }
}

/// How a commissioning failed.
public struct CommissioningFailure: Error, Hashable, Sendable {
    /// Where it failed.
    public var stage: CommissioningStage
    /// Why, for machines.
    public var cause: CommissioningCause
    /// Why, in plain words: one sentence without a full stop.
    public var message: String
    /// What the user should do: one sentence without a full stop.
    public var advice: String
    /// The same for machines.
    public var suggestedUserActions: [CommissioningUserAction]
    /// What the device itself said.
    public var peerStatus: CommissioningPeerStatus?
    /// What is left on the device now.
    public var deviceState = DeviceState.untouched
    /// When the device's fail-safe ends at the latest, if it may still be armed.
    public var failSafeEnds: MonotonicInstant?
    /// How long a busy device should be left alone.
    public var retryAfter: Duration?
    /// How many fabrics the device takes, when that is the limit.
    public var limit: Int?
    /// The verdict, when that is the reason.
    public var verdict: AttestationVerdict?
    /// The device's id, when it is on our fabric already.
    public var existingNode: NodeID?

    /// Makes a failure; advice and actions follow from the cause.
    public init(
        stage: CommissioningStage, cause: CommissioningCause, message: String,
        peerStatus: CommissioningPeerStatus? = nil
    ) {
        self.stage = stage
        self.cause = cause
        self.message = message
        self.peerStatus = peerStatus
        let (advice, actions) = cause.advice
        self.advice = advice
        suggestedUserActions = actions
    }
}

extension CommissioningCause {
    /// What a user should do, in words and in codes.
    var advice: (String, [CommissioningUserAction]) {
        switch self {
        case .deviceVanished:
            (
                "check that the device has power and is on this network, then try again",
                [.checkDeviceAvailability, .checkWifiNetwork]
            )
        case .deadline:
            ("try again; if the device stays slow, restart it", [.tryAgainLater, .checkDeviceAvailability])
        case .deviceBusy:
            ("wait until the other administrator is done, then try again", [.tryAgainLater])
        case .deviceRefused:
            (
                "try again; if the device refuses again, reset it to factory settings",
                [.tryAgainLater, .factoryResetDevice]
            )
        case .protocolError:
            ("update the device's software or report the message to its maker", [.factoryResetDevice])
        case .attestationRefused:
            (
                "use a certified device; for a device of your own, trust its attestation authority or turn the check "
                    + "into a warning", []
            )
        case .alreadyOnFabric:
            ("use the device that is there, or remove it first", [])
        case .deviceReset:
            ("commission it again, with the code that is printed on it", [.tryAgainLater])
        case .fabricTableFull:
            (
                "remove the device from another home or app first, or reset it to factory settings",
                [.factoryResetDevice]
            )
        case .sessionEnded:
            ("start again when ready", [.tryAgainLater])
        case .internalError:
            ("look at the hub's log", [.checkHubAvailability])
        default:
            ("try again", [.tryAgainLater])
        }
    }
}

/// Something that a person may want to know of a commissioning that goes on.
public enum CommissioningNote: Hashable, Sendable {
    /// The device refused its location; it goes on with its own.
    case locationRefused(CommissioningPeerStatus)
    /// The device refused the time; normal for devices with a better source.
    case timeRefused(CommissioningPeerStatus)
    /// Attestation was refused, and the policy is to go on.
    case attestationIgnored(AttestationVerdict)
    /// The device claimed to be this node of our fabric, which no longer counts; it was removed.
    case staleFabricRemoved(NodeID)
    /// An earlier commissioning of the device failed late.
    case earlierAttempt(breadcrumb: UInt64)
    /// The fail-safe was extended.
    case failSafeExtended
    /// The answer to CommissioningComplete was lost; the device is asked again over a new session.
    case outcomeUnknown
}

/// What must be durable before a commissioning goes on, so that a crash can be settled.
public struct CommissioningJournalEntry: Hashable, Sendable {
    /// The id that the device is about to get.
    public var nodeID: NodeID
    /// The stage that begins once this is written: ``CommissioningStage/addNOC`` or ``CommissioningStage/complete``.
    public var stage: CommissioningStage
    /// When the device's fail-safe ends at the latest, by the wall clock.
    public var failSafeEnds: EpochSeconds
    /// Makes an entry.
    public init(nodeID: NodeID, stage: CommissioningStage, failSafeEnds: EpochSeconds) {
        self.nodeID = nodeID
        self.stage = stage
        self.failSafeEnds = failSafeEnds
    }
}

/// A device that is on our fabric now.
public struct CommissionedDevice: Hashable, Sendable {
    /// Its id on the fabric.
    public var nodeID: NodeID
    /// The fabric's number on the device, when it told.
    public var fabricIndex: FabricIndex?
    /// Its maker.
    public var vendorID: VendorID?
    /// Its product.
    public var productID: ProductID?
    /// Its certificate, TLV.
    public var noc: [UInt8]
    /// The verdict on its attestation; `nil` when that is off.
    public var verdict: AttestationVerdict?
    /// What it showed for its attestation; `nil` when that is off.
    public var attestation: AttestationEvidence?
    /// The node of our fabric that it claimed to be before, and that was replaced.
    public var replacedNode: NodeID?
    /// From start to end.
    public var elapsed: Duration
}

/// Why the driver has no operational session.
public enum OperationalFailure: Error, Hashable, Sendable {
    /// Nobody answered at any address.
    case noAnswer
    /// The device knows no fabric of this root: it rolled back, or was reset.
    case noSharedTrustRoots
    /// The device asks to wait.
    case busy(Duration)
    /// The handshake failed otherwise; words for a person.
    case handshake(String)
}
