import HubClient
import HubControl

extension HomeDevice {
    /// Whether a device can be taken out of the home, and what else goes with it.
    public enum DecommissionEligibility: Hashable, Sendable {
        /// It can, alone.
        case eligible
        /// It can, and others go with it.
        case eligibleWithSideEffects(DecommissionSideEffect)
        /// It cannot.
        case ineligible(reason: DecommissionIneligibleReason)
    }

    /// What goes with a device.
    public enum DecommissionSideEffect: Hashable, Sendable {
        /// The device is a bridge: the ids of the devices behind it.
        case bridge(Set<String>)
        /// The ids of the other devices of the same Matter node.
        case multipleAffectedDevices(Set<String>)
    }

    /// Why a device cannot be taken out.
    public enum DecommissionIneligibleReason: Hashable, Sendable {
        /// The app's permission does not cover it.
        case notAuthorized
        /// It does not speak Matter; not so with a MatterHub.
        case nonMatterDevice
        /// It is behind a bridge, whose maker removes it.
        case bridgedDevice
        /// It is connected in several ways; not so with a MatterHub.
        case multiSourceDevice
        /// Another reason, in words.
        case other(String?)
    }

    /// Whether the device can be taken out of the home now.
    ///
    /// - Throws: ``HomeError``: `notFound` when it is gone already, `unavailable` without a hub.
    public var decommissionEligibility: DecommissionEligibility {
        get async throws {
            let connection = try await HomeError.translating { () async throws(ControlError) in
                try await link.app.connection()
            }
            let device = try await link.call(.device(record.id))
            guard !device.isBridged else { return .ineligible(reason: .bridgedDevice) }
            guard connection.welcome.grant?.scopes.allows(.commissioning) == true else {
                return .ineligible(reason: .notAuthorized)
            }
            let structure = structureID.flatMap { StructureID(text: $0) }
            let all = try await HomeError.translating { () async throws(ControlError) in
                try await connection.devices(of: structure)
            }
            let others = all.filter { $0.nodeID == device.nodeID && $0.id != device.id }
            guard !others.isEmpty else { return .eligible }
            let bridged = Set(others.filter(\.isBridged).map(\.id.text))
            return .eligibleWithSideEffects(
                bridged.isEmpty ? .multipleAffectedDevices(Set(others.map(\.id.text))) : .bridge(bridged))
        }
    }

    /// Takes the device out of the home, and whatever ``decommissionEligibility`` says that goes with it.
    ///
    /// - Returns: the ids of the devices that are gone.
    /// - Throws: ``HomeError``: `failedPrecondition` with subtype ``HomeError/Subtype/decommission(_:)`` when it must not
    ///   be, `unavailable` when the device does not answer; then it stays.
    @discardableResult
    public func decommission() async throws -> Set<String> {
        if case .ineligible(let reason) = try await decommissionEligibility {
            throw HomeError(
                code: reason == .notAuthorized ? .permissionDenied : .failedPrecondition,
                message: "the device cannot be decommissioned: \(reason.words)",
                subtype: .decommission(.ineligible(reason: reason)))
        }
        do throws(ControlError) {
            return Set(try await link.app.callOnce(.remove(record.id), deadline: DeviceAccess.limit).removed)
        } catch {
            throw HomeError(error, subtype: .decommission(.other(error.message)))
        }
    }
}

extension HomeDevice.DecommissionIneligibleReason {
    fileprivate var words: String {
        switch self {
        case .notAuthorized: "the app's permission does not cover it"
        case .nonMatterDevice: "it does not speak Matter"
        case .bridgedDevice: "it is behind a bridge, which removes it"
        case .multiSourceDevice: "it is connected in several ways"
        case .other(let words): words ?? "no reason is known"
        }
    }
}
