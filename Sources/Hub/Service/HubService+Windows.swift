package import HubControl
import MatterWire
import NetIO

/// A commissioning window that this hub opened on a node, or is opening.
struct CommissioningWindow: Sendable {
    let number: Int
    let opening: Task<OpenedWindow, any Error>
    /// On the hub's clock.
    let ends: Duration
}

extension HubService {
    /// Opens a commissioning window on a device's node; gives the codes of one that this hub opened and that is open still.
    ///
    /// - Parameter timeout: of a new window; the one that is open keeps its own.
    /// - Throws: ``ControlError``; `unavailable` when another administrator's window is open.
    package func openWindow(
        on id: DeviceID, timeout: Duration, by caller: Caller
    ) async throws(ControlError) -> OpenedWindow {
        let (device, matter) = try await reach(id, caller)
        let key = HubState.NodeKey(caller.structure, device.node)
        return try await controlErrors {
            while let window = windows[key] {
                let opened = try await window.opening.value
                if window.ends > environment.clock.now, try await isOurWindowOpen(on: device.node, matter) {
                    return OpenedWindow(payload: opened.payload, timeout: window.ends - environment.clock.now)
                }
                forget(window, key)
            }
            lastWindow += 1
            let window = CommissioningWindow(
                number: lastWindow, opening: Task { try await matter.openWindow(on: device.node, timeout: timeout) },
                ends: environment.clock.now + timeout)
            windows[key] = window
            do {
                return try await window.opening.value
            } catch {
                forget(window, key)
                throw error
            }
        }
    }

    private func forget(_ window: CommissioningWindow, _ key: HubState.NodeKey) {
        if windows[key]?.number == window.number { windows[key] = nil }
    }

    /// Whether the node says that a window with a passcode of its own is open, and that our fabric opened it (Core
    /// §11.19.8): it may have been used or revoked meanwhile.
    private func isOurWindowOpen(on node: NodeID, _ matter: any FabricOperator) async throws -> Bool {
        let paths: [(ClusterID, UInt32)] = [
            (.administratorCommissioning, 0), (.administratorCommissioning, 1), (.operationalCredentials, 5),
        ]
        let reports = try await matter.read(
            paths.map { AttributePath(endpoint: .root, cluster: $0, attribute: AttributeID(rawValue: $1)) }, of: node)
        func number(_ cluster: ClusterID, _ attribute: UInt32) -> UInt64? {
            for case .data(let path, _, let value) in reports
            where path.cluster == cluster && path.attribute.rawValue == attribute { return value.unsigned }
            return nil
        }
        guard let fabric = number(.operationalCredentials, 5) else { return false }
        return number(.administratorCommissioning, 0) == 1 && number(.administratorCommissioning, 1) == fabric
    }
}
