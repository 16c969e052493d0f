import HubClient
import MatterCrypto
import MatterNode
import MatterProtocol
import MatterWire
import TestSupport
import Testing

@testable import MatterSupport

@Suite("PhoneState, PhoneSettings") struct PhoneStateTests {
    private static func state() throws -> PhoneState {
        let secrets = SeededSecretSource(seed: 3)
        let root = try AdministeredFabric.newRoot(
            at: EpochSeconds(unixSeconds: 1_760_000_000), random: .seeded(1), secrets: secrets)
        return PhoneState(
            fabric: try .found(under: root, random: .seeded(2), secrets: secrets),
            rootKey: try #require(root.rootKey).rawValue,
            nodes: [
                NodeID(rawValue: 1): .init(standing: .journalled, address: "127.0.0.1:5540"),
                NodeID(rawValue: 2): .init(standing: .member, address: "[::1]:5541"),
                NodeID(rawValue: 3): .init(standing: .orphan, address: ""),
            ])
    }

    @Test func `comes back from its stored form`() throws {
        let state = try Self.state()
        #expect(try PhoneState(decoding: state.encoded()) == state)
        #expect(state.members == [NodeID(rawValue: 2)])
        #expect(state.leftovers == [NodeID(rawValue: 1), NodeID(rawValue: 3)])
    }

    @Test func `mutated bytes are another state or an error, never a trap`() throws {
        let good = try Self.state().encoded()
        var generator = SeededGenerator(seed: 9)
        for _ in 0..<500 {
            let bad = generator.mutated(good)
            do throws(TLVError) {
                _ = try PhoneState(decoding: bad)
            } catch {
                continue
            }
        }
    }

    @Test func `the environment sets policy, folder and discovery`() throws {
        let plain = try PhoneSettings(environment: ["MATTERHUB_STATE_DIR": "/s"])
        #expect(plain.folder == "/s/phone" && plain.attestation == .warn && plain.usesMulticast)
        for (text, policy) in [
            ("strict", CommissioningPlan.AttestationPolicy.strict), ("warn", .warn), ("off", .off), ("", .warn),
        ] {
            #expect(try PhoneSettings(environment: ["MATTERHUB_PHONE_ATTESTATION": text]).attestation == policy)
        }
        #expect(try !PhoneSettings(environment: ["MATTERHUB_PHONE_NO_MDNS": "1"]).usesMulticast)
        let error = #expect(throws: MatterSetupError.self) {
            try PhoneSettings(environment: ["MATTERHUB_PHONE_ATTESTATION": "yes"])
        }
        #expect(error?.code == .invalidScript)
    }
}
