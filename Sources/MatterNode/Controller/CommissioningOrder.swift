package import MatterCrypto
package import MatterProtocol
package import MatterWire

/// One device to commission.
package struct CommissioningOrder: Sendable {
    /// Validated.
    package var payload: OnboardingPayload
    /// The device's id on the fabric; never used before.
    package var nodeID: NodeID
    /// Where the device is, instead of a search.
    package var address: PeerAddress?
    package var attestationPolicy: CommissioningPlan.AttestationPolicy
    /// The fail-safe's length, seconds; `nil` takes the device's recommendation, at least 60.
    package var failSafeSeconds: UInt16?
    /// Two letters, for devices with radios.
    package var country = "XX"
    /// Ids of nodes of the fabric that still count.
    package var knownNodes: Set<NodeID>
    /// How long a device is looked for.
    package var searchTime: Duration
    /// For everything until the failure is reported; cleaning may take longer.
    package var timeLimit: Duration

    /// What is to be found.
    var search: DeviceSearch {
        DeviceSearch(payload: payload, address: address, searchTime: searchTime, timeLimit: timeLimit)
    }

    package init(
        payload: OnboardingPayload, nodeID: NodeID, address: PeerAddress? = nil,
        attestationPolicy: CommissioningPlan.AttestationPolicy = .strict, knownNodes: Set<NodeID> = [],
        searchTime: Duration = .seconds(15), timeLimit: Duration = .seconds(120)
    ) {
        self.payload = payload
        self.nodeID = nodeID
        self.address = address
        self.attestationPolicy = attestationPolicy
        self.knownNodes = knownNodes
        self.searchTime = searchTime
        self.timeLimit = timeLimit
    }
}

/// A device that is on the fabric, with where it answers and what it says of itself.
package struct CommissionedNodeReport: Sendable {
    package var device: CommissionedDevice
    package var address: PeerAddress
    package var description: NodeDescription
    package var notes: [CommissioningNote]
    /// How it was met on the fabric.
    package var operationalPath: OperationalPath
}

/// Where a new node was met on the fabric (Core §4.3.4).
package enum OperationalPath: String, Hashable, Sendable {
    /// At the address that PASE used: nothing had to be looked up.
    case knownAddress
    /// Where the operational browse found it.
    case browse
}

/// What went wrong before the commissioner machine had anything to do: no device, or no PASE session.
package struct DiscoveryFailure: Error, Sendable {
    package enum Cause: Hashable, Sendable {
        /// Nothing that fits the payload was found in the time allowed.
        case noDeviceFound
        /// Candidates were found and none took the passcode.
        case wrongPasscode
        /// Candidates were found and none answered.
        case noAnswer
        /// A candidate is busy with another commissioner.
        case busy
        /// A candidate ended the handshake in another way.
        case refused(String)
        /// A candidate answered with something that makes no sense; what.
        case broken(String)
        /// The network cannot be searched; what is missing.
        case cannotSearch(String)
        /// The commission was cancelled.
        case cancelled
        /// The time for the whole commission is over.
        case deadline
    }
    package var cause: Cause
    package var candidates: [CandidateReport]
    /// `discover` until a candidate was tried, then `pase`.
    package var stage: CommissioningStage
}

/// Whoever follows a commissioning. Calls come one after another.
package protocol CommissioningObserver: Sendable {
    func entered(_ stage: CommissioningStage) async
    /// Returns when the entry is durable.
    func journal(_ entry: CommissioningJournalEntry, address: PeerAddress) async throws
    /// Decides whether a device is let in, under the policy `ask`; cancelled when the answer is no longer wanted.
    ///
    /// - Parameter verdict: this side's judgement.
    func decide(_ evidence: AttestationEvidence, _ verdict: AttestationVerdict) async -> Bool
}

extension CommissioningObserver {
    /// Follows the verdict.
    package func decide(_ evidence: AttestationEvidence, _ verdict: AttestationVerdict) async -> Bool {
        verdict.accepted
    }
}

/// A PASE session that is open for a commissioning, with where the device is.
package struct CommissioningSession: Sendable {
    let handle: SessionHandle
    /// Where the device answered.
    package let address: PeerAddress
}
