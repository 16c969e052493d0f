import Foundation
import HubClient
import MatterCrypto
import MatterNode
import MatterProtocol
import MatterWire
import NetIO
import TestSupport
import VirtualHome

@testable import MatterSupport

/// A folder that goes with its owner.
final class PhoneFolder: Sendable {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("phone-\(UUID().uuidString)").path
    var state: StateFolder { StateFolder(path: path) }
    // Nothing depends on the removal of a temporary folder.
    deinit { try? FileManager.default.removeItem(atPath: path) }
}

extension Home {
    /// A phone on this home's network.
    func phone(
        _ folder: PhoneFolder, port: UInt16 = 61, attestation: CommissioningPlan.AttestationPolicy = .warn,
        trust: AttestationTrustStore? = nil, discovery: (any NodeDiscovery)? = nil
    ) -> PhoneFabric {
        var settings = PhoneSettings(folder: folder.state, attestation: attestation)
        if let trust { settings.trust = { trust } }
        return PhoneFabric(settings) { [self] _ in
            ControllerEnvironment(
                link: network.link(port: port), clock: driverClock, wallClock: wallClock,
                random: .seeded(UInt64(port)), secrets: SeededSecretSource(seed: UInt64(port)), discovery: discovery)
        }
    }

    var code: String { identity.payload.qrCode ?? "" }
    var place: String { MemoryNetwork.address(Self.devicePort).text }
}

/// Names of stages as they came, and a deed at one of them.
final class StageLog: Sendable {
    private let names = Locked<[String]>([])
    private let deeds = Locked<[String: @Sendable () -> Void]>([:])

    var all: [String] { names.withLock { $0 } }
    func at(_ stage: CommissioningStage, _ deed: @escaping @Sendable () -> Void) {
        deeds.withLock { $0[stage.rawValue] = deed }
    }
    func entered(_ name: String) {
        names.withLock { $0.append(name) }
        deeds.withLock { $0[name] }?()
    }
}
