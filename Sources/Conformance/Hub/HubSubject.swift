import HubControl
import NetIO

/// A hub, reached as any client reaches it.
package final class HubSubject: ConformanceSubject {
    private let setup: HubSetup
    /// Virtual devices of all cases: a hub may still clean one when its case is over.
    private let devices: VirtualDevices

    package init(_ setup: HubSetup) {
        self.setup = setup
        devices = VirtualDevices(clock: setup.clock)
    }

    package var description: String { "hub at \(setup.address)" }

    package var secrets: [String] {
        [setup.grant.text, Base64URL.encode(setup.grant.secret)] + (setup.device.map { [$0.code] } ?? [])
    }

    package func absence(of need: ConformanceNeed) -> String? {
        switch need {
        case .device where setup.device == nil && !setup.playsDevices:
            "there is no device: give one with --device CODE, or let the suite play one with --virtual-device"
        case .virtualDevice where !setup.playsDevices:
            "it needs a device that goes wrong on purpose: --virtual-device plays one"
        case .patience where !setup.isPatient: "it takes 10 s to 2 min: --patient tries it"
        case .mdns:
            if case .absent(let reason) = setup.directory { reason } else { nil }
        default: nil
        }
    }

    package func begin() async throws -> HubContext { HubContext(setup, devices) }

    package func end(_ context: HubContext) async -> [String] { await context.tidy() }

    package func finish() async -> [String] {
        await devices.stop(within: .seconds(5))
        return await HubContext(setup, devices).forgetOrphans()
    }

    /// Connects once, to find out whether a run makes sense.
    ///
    /// - Throws: ``ConformanceFailure`` when the hub cannot be reached or the grant is no admin's, `NetError`.
    package func check() async throws {
        let context = HubContext(setup, devices)
        let admin = try await context.admin()
        let scopes = await admin.welcome["grant"]?.object?["scopes"]?.array ?? []
        await context.closeAll()
        guard scopes.contains("admin") else {
            throw ConformanceFailure(
                expected: "a grant with the scope admin", seen: scopes.compactMap(\.string).joined(separator: ", "))
        }
    }
}
