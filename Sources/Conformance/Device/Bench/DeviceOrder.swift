package import MatterCrypto
package import MatterWire

/// What device is examined, and how far.
package struct DeviceOrder: Sendable {
    /// Validated.
    package var payload: OnboardingPayload
    /// Where the device is, instead of a search.
    package var address: PeerAddress?
    /// Who is trusted to attest devices.
    package var trust: AttestationTrustStore
    /// How many wrong passcodes may be spent. A device closes its window after 20 (Core §5.5).
    package var passcodeAttempts = 25
    /// The fail-safe whose expiry is waited for, seconds.
    package var failSafe: UInt16 = 10
    /// How long the device is looked for.
    package var searchTime = Duration.seconds(15)

    package init(payload: OnboardingPayload, address: PeerAddress? = nil, trust: AttestationTrustStore) {
        self.payload = payload
        self.address = address
        self.trust = trust
    }

    /// What must not stand in a report.
    var secrets: [String] {
        let digits = String(payload.passcode.rawValue)
        let padded = String(repeating: "0", count: max(0, 8 - digits.count)) + digits
        // A passcode of few digits is in every other number too.
        let passcodes = digits.count > 4 ? [padded, digits] : [padded]
        return [payload.qrCode, payload.manualCode(long: false), payload.manualCode(long: true)].compactMap(\.self)
            + passcodes
    }
}
