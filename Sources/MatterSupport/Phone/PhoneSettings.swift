package import HubClient
package import MatterCrypto
import MatterNode
package import MatterProtocol

/// How the phone of this machine commissions.
package struct PhoneSettings: Sendable {
    /// Where the phone keeps its fabric: `phone` in the state folder, never in an app group's.
    package var folder: String
    /// What to do with a device whose attestation is refused. `off` reads the attestation all the same: the app's
    /// extension judges it.
    package var attestation: CommissioningPlan.AttestationPolicy
    /// Whether devices are looked for by DNS-SD.
    package var usesMulticast: Bool
    /// Loads the authorities that the phone trusts: those that a hub with this state folder does. Blocks while the disk works.
    package var trust: @Sendable () throws -> AttestationTrustStore
    /// How long a device is looked for.
    package var searchTime = Duration.seconds(15)
    /// For a whole examination or commissioning.
    package var timeLimit = Duration.seconds(120)
    /// How long a window stays open.
    package var windowTime = Duration.seconds(480)
    /// How long a device that must leave the phone's fabric is sought before it becomes an orphan.
    package var removalLimit = Duration.seconds(8)

    package init(
        folder: StateFolder, attestation: CommissioningPlan.AttestationPolicy = .warn, usesMulticast: Bool = true,
        trustsTestDevices: Bool = false
    ) {
        self.folder = "\(folder.path)/phone"
        self.attestation = attestation
        self.usesMulticast = usesMulticast
        trust = { try AttestationTrustFolder.load("\(folder.path)/paa", trustsTestDevices: trustsTestDevices) }
    }

    /// Reads the environment.
    ///
    /// - `MATTERHUB_STATE_DIR`, `XDG_STATE_HOME`, `HOME`: as ``StateFolder/init(environment:)``.
    /// - `MATTERHUB_PHONE_ATTESTATION`: `strict`, `warn` (the default, since extension and hub judge too) or `off`.
    /// - `MATTERHUB_PHONE_TRUST_TEST_DEVICES`, `MATTERHUB_PHONE_NO_MDNS`: set and not empty to say yes.
    ///
    /// - Throws: ``MatterSetupError`` `invalidScript` for a policy that is none.
    package init(environment: [String: String]) throws(MatterSetupError) {
        func isSet(_ name: String) -> Bool { environment[name].map { !$0.isEmpty } ?? false }
        let policy: CommissioningPlan.AttestationPolicy
        switch environment["MATTERHUB_PHONE_ATTESTATION"] {
        case "strict": policy = .strict
        case nil, "", "warn": policy = .warn
        case "off": policy = .off
        case let other?:
            throw MatterSetupError(
                .invalidScript, "MATTERHUB_PHONE_ATTESTATION is “\(other)”, and must be strict, warn or off")
        }
        self.init(
            folder: StateFolder(environment: environment), attestation: policy,
            usesMulticast: !isSet("MATTERHUB_PHONE_NO_MDNS"),
            trustsTestDevices: isSet("MATTERHUB_PHONE_TRUST_TEST_DEVICES"))
    }
}
