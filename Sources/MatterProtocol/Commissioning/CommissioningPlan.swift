public import MatterCrypto
public import MatterWire

/// Everything that a commissioning is to do and to go by; decided before it begins.
public struct CommissioningPlan: Sendable {
    /// What to do with a device whose attestation is refused.
    public enum AttestationPolicy: Hashable, Sendable {
        /// Fail.
        case strict
        /// Say so and go on.
        case warn
        /// Let the owner decide, on good devices too.
        case ask
        /// Ask for nothing. The certificate request is then not tied to an attestation key either.
        case off
    }

    /// The device's id on the fabric; drawn at random and never given out before.
    public var nodeID: NodeID
    /// The fabric.
    public var fabricID: FabricID
    /// The fabric's root certificate, TLV.
    public var rootCertificate: [UInt8]
    /// The key in it, 65 bytes; with ``fabricID`` it tells whether the device is on our fabric.
    public var rootPublicKey: [UInt8]
    /// Group key set 0's epoch key, 16 bytes.
    public var ipkEpochKey: [UInt8]
    /// Who administers the device: our node id, or a tag's subject.
    public var adminSubject: UInt64
    /// Our vendor id.
    public var adminVendor: VendorID
    /// The PASE session's attestation challenge, 16 bytes.
    public var attestationChallenge: [UInt8]
    /// What to do when attestation is refused.
    public var attestationPolicy: AttestationPolicy
    /// Where devices that can be anywhere are used; `nil` leaves what the device says.
    public var location: RegulatoryLocation?
    /// Two letters; "XX" when unknown.
    public var country: String
    /// The fail-safe's length, seconds; `nil` takes the device's recommendation, at least 60.
    public var failSafeSeconds: UInt16?
    /// Nodes of our fabric that still count: a device that is one of them is refused; any other membership of our
    /// fabric that a device claims is stale, and replaced.
    public var knownNodes: Set<NodeID>
    /// Wall-clock time at ``CommissionerMachine/start(now:)``.
    public var wallClock: EpochSeconds
    /// How long steps may take.
    public var timeouts: CommissioningTimeouts

    /// Makes a plan; what has a default is what a hub does when its user says nothing.
    public init(
        nodeID: NodeID, fabricID: FabricID, rootCertificate: [UInt8], rootPublicKey: [UInt8], ipkEpochKey: [UInt8],
        adminSubject: UInt64, adminVendor: VendorID, attestationChallenge: [UInt8],
        attestationPolicy: AttestationPolicy = .strict, location: RegulatoryLocation? = nil, country: String = "XX",
        failSafeSeconds: UInt16? = nil, knownNodes: Set<NodeID> = [], wallClock: EpochSeconds,
        timeouts: CommissioningTimeouts = CommissioningTimeouts()
    ) {
        self.nodeID = nodeID
        self.fabricID = fabricID
        self.rootCertificate = rootCertificate
        self.rootPublicKey = rootPublicKey
        self.ipkEpochKey = ipkEpochKey
        self.adminSubject = adminSubject
        self.adminVendor = adminVendor
        self.attestationChallenge = attestationChallenge
        self.attestationPolicy = attestationPolicy
        self.location = location
        self.country = country
        self.failSafeSeconds = failSafeSeconds
        self.knownNodes = knownNodes
        self.wallClock = wallClock
        self.timeouts = timeouts
    }
}

/// How long the steps of a commissioning may take.
public struct CommissioningTimeouts: Hashable, Sendable {
    /// One request that a device answers at once.
    public var request = Duration.seconds(15)
    /// CSRRequest, AddNOC and CommissioningComplete: slow devices make keys and write flash.
    public var slowRequest = Duration.seconds(30)
    /// One attempt at the operational session.
    public var operationalAttempt = Duration.seconds(30)
    /// All attempts at it.
    public var operational = Duration.seconds(90)
    /// One journal entry.
    public var journal = Duration.seconds(10)
    /// After a failure: how long cleaning may take before the failure is reported without its end.
    public var report = Duration.milliseconds(800)
    /// After the fail-safe's end: how long a device whose outcome is unknown is sought.
    public var settling = Duration.seconds(60)
    /// The times that suit every device that is known.
    public init() {}
}

/// What a commissioning needs of the fabric's keys and of attestation: direct, synchronous calls.
public protocol CommissioningAuthority: Sendable {
    /// 32 unpredictable bytes.
    func nonce() throws(CryptoError) -> [UInt8]
    /// Judges a device's attestation.
    func judge(_ evidence: AttestationEvidence) -> AttestationVerdict
    /// Checks a certificate request.
    ///
    /// - Throws: ``CSRProblem``.
    func check(_ request: CSREvidence) throws(CSRProblem) -> P256PublicKey
    /// Signs the device's operational certificate.
    func issue(_ key: P256PublicKey, nodeID: NodeID) throws(CryptoError) -> IssuedCertificates
}

/// What a device answered to CSRRequest, and what it must match.
public struct CSREvidence: Hashable, Sendable {
    /// NOCSRElements, TLV as it was signed.
    public var elements: [UInt8]
    /// The device's signature over the elements and the challenge, 64 bytes.
    public var signature: [UInt8]
    /// Our nonce, 32 bytes.
    public var nonce: [UInt8]
    /// The session's attestation challenge, 16 bytes.
    public var challenge: [UInt8]
    /// The device attestation certificate, DER; `nil` when attestation is off, and then the signature is not checked.
    public var dac: [UInt8]?
    /// Puts the parts together.
    public init(elements: [UInt8], signature: [UInt8], nonce: [UInt8], challenge: [UInt8], dac: [UInt8]?) {
        self.elements = elements
        self.signature = signature
        self.nonce = nonce
        self.challenge = challenge
        self.dac = dac
    }
}

/// Why a certificate request is refused.
public struct CSRProblem: Error, Hashable, Sendable {
    /// What is wrong, in words.
    public var reason: String
    /// Makes a problem.
    public init(_ reason: String) { self.reason = reason }
}

/// A device's certificates, TLV.
public struct IssuedCertificates: Hashable, Sendable {
    /// The node's.
    public var noc: [UInt8]
    /// The intermediate's; `nil` when the root signed.
    public var icac: [UInt8]?
    /// Makes a pair.
    public init(noc: [UInt8], icac: [UInt8]? = nil) {
        self.noc = noc
        self.icac = icac
    }
}
