import Foundation
package import HubClient
import HubControl
public import MatterSupport

/// The commissioner of an app's extension: what the system's handler calls come down to.
///
/// It uses the permission and the session of the app, which it knows by the app group.
public final class HomeMatterCommissioner: Sendable {
    /// Names the variable with the device's `host:port`, for where there is no DNS-SD. The setup script has the same answer.
    package static let addressVariable = "MATTERHUB_SETUP_ADDRESS"

    private let link: AppLink
    private let deviceAddress: String?

    /// Finds what the app left for its group.
    ///
    /// - Throws: ``HomeError``: `invalidArgument` for a name that is no app group, `permissionDenied` when the app has no
    ///   permission yet.
    public convenience init(appGroup: String) throws {
        try self.init(
            appGroup: appGroup, settings: Home.settings(),
            deviceAddress: ProcessInfo.processInfo.environment[Self.addressVariable])
    }

    /// See ``init(appGroup:)``.
    ///
    /// - Parameter deviceAddress: `host:port` of the device; empty or `nil` for the hub to look for it.
    package init(appGroup: String, settings: ClientSettings, deviceAddress: String? = nil) throws(HomeError) {
        self.deviceAddress = deviceAddress.flatMap { $0.isEmpty ? nil : $0 }
        link = try HomeError.translating { () throws(ControlError) in
            let link = try AppLink(group: appGroup, settings: settings)
            guard try link.group.grant() != nil else { throw ControlError.noPermission(appGroup) }
            return link
        }
    }

    /// Commissions a device in the session that the app prepared.
    ///
    /// When the connection breaks meanwhile, the hub is asked for the outcome over another one. Cancelling the task stops
    /// the commissioning.
    ///
    /// - Parameter onboardingPayload: a QR text or a manual code.
    /// - Throws: ``HomeError``; the app's ``Structure/markMatterCommissioningFailed(error:)`` knows it too.
    public func commissionMatterDevice(onboardingPayload: String) async throws {
        let call = HubCall<ProvisionalDevice>.commission(
            onboardingPayload, clientKey: .random(), address: deviceAddress, limit: HubSession.commissionLimit)
        try await HomeError.translating { () async throws(ControlError) in
            do throws(ControlError) {
                _ = try await link.call(
                    call, deadline: HubSession.commissionLimit, grace: HubSession.commissionGrace)
                note(nil)
            } catch {
                note(error)
                throw error
            }
        }
    }

    /// Leaves the outcome for the app.
    private func note(_ failure: ControlError?) {
        do throws(ControlError) {
            try link.group.update { state throws(ControlError) in state.failure = failure }
        } catch {
            // The app then knows only what the system tells it.
        }
    }

    /// The rooms of the structure, for the user to choose from.
    ///
    /// Blocks the caller, at most three seconds.
    public func fetchRooms() throws -> [MatterAddDeviceRequest.Room] {
        try HomeError.translating { () throws(ControlError) in
            let rooms = try link.blocking().call(.rooms(of: try link.group.state().structure))
            return rooms.map { MatterAddDeviceRequest.Room(displayName: $0.name) }
        }
    }

    /// Names the device that was commissioned last and puts it into the first room of that name.
    ///
    /// A failure takes nothing away from the device: it keeps the name that it had, and no room.
    public func configureMatterDevice(deviceName: String, roomName: String?) async {
        do throws(ControlError) {
            do throws(ControlError) {
                try await link.call(.configure(deviceName: deviceName, roomName: roomName))
            } catch  where error.reason == "noRoom" {
                try await link.call(.configure(deviceName: deviceName))
            }
        } catch {
            // The SDK's call throws nothing.
        }
    }
}

extension ControlError {
    fileprivate static func noPermission(_ group: String) -> ControlError {
        ControlError(
            .unauthenticated, "the app group “\(group)” has no permission yet: call Home.connect in the app first",
            details: ["reason": .string(ClientReason.noGrant)])
    }
}
