package import MatterWire

/// What setting up a device needs of the phone's own Matter controller.
///
/// Cancelling the calling task ends the first three early; they then throw. Where one throws, nothing of the phone's is
/// left on the device, or it is kept as an orphan and taken off later.
package protocol SetupPhone: Sendable {
    /// With the phone's fabric switched off: opens PASE, reads the device's certificates, its certification declaration
    /// and which networks it needs, disarms the fail-safe, closes.
    ///
    /// - Parameters:
    ///   - payload: a QR text or a manual code.
    ///   - address: `host:port` of the device; `nil` to look for it.
    func examine(_ payload: String, address: String?) async throws -> PhoneExamination

    /// Commissions the device onto the phone's own fabric.
    ///
    /// - Parameter progress: called with the name of each stage as it begins.
    func commission(
        _ payload: String, address: String?, progress: @Sendable (String) -> Void
    ) async throws -> PhoneDevice

    /// Opens an enhanced commissioning window on the device.
    ///
    /// - Returns: the QR text of the window's code.
    func openWindow(on device: PhoneDevice) async throws -> String

    /// Takes the phone's fabric off the device again.
    ///
    /// A device that cannot be reached is kept as an orphan, and tried at the next use.
    func remove(_ device: PhoneDevice) async
}

/// What the phone finds on a device without commissioning it.
package struct PhoneExamination: Hashable, Sendable {
    /// The device's attestation; `nil` when the device shows none, or takes no second PASE after it has.
    package var credential: MatterAddDeviceExtensionRequestHandler.DeviceCredential?
    /// Why there is no credential; `nil` when there is one.
    package var credentialMissing: String?
    /// Which networks the device needs to be told.
    package var networks: NetworkNeeds

    /// Takes what was found.
    package init(
        credential: MatterAddDeviceExtensionRequestHandler.DeviceCredential?, credentialMissing: String? = nil,
        networks: NetworkNeeds = []
    ) {
        self.credential = credential
        self.credentialMissing = credentialMissing
        self.networks = networks
    }
}

/// A device on the phone's fabric.
package struct PhoneDevice: Hashable, Sendable {
    /// Its node id there.
    package var nodeID: NodeID
    /// Its attestation.
    package var credential: MatterAddDeviceExtensionRequestHandler.DeviceCredential
    /// Which networks it needs to be told.
    package var networks: NetworkNeeds

    /// Takes what commissioning found.
    package init(
        nodeID: NodeID, credential: MatterAddDeviceExtensionRequestHandler.DeviceCredential, networks: NetworkNeeds = []
    ) {
        self.nodeID = nodeID
        self.credential = credential
        self.networks = networks
    }
}

/// The networks that a device must be told before it can work: those that its network commissioning cluster can join and
/// that it is not on yet. None for Ethernet.
package struct NetworkNeeds: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Wi-Fi.
    package static let wifi = Self(rawValue: 1)
    /// Thread.
    package static let thread = Self(rawValue: 2)
}
