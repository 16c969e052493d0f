/// What was chosen and done in a setup.
package struct SetupReport: Hashable, Sendable {
    /// The code that was scanned.
    package var code: String?
    /// The home that was chosen.
    package var home: MatterAddDeviceRequest.Home?
    /// Why the extension was not asked about the device's attestation; `nil` when it was.
    package var skippedValidation: String?
    /// The device on the phone's fabric, where it stays after a success.
    package var phone: PhoneDevice?
    /// The Wi-Fi network that the extension chose.
    package var wifi: MatterAddDeviceExtensionRequestHandler.WiFiNetworkAssociation?
    /// The Thread network that the extension chose.
    package var thread: MatterAddDeviceExtensionRequestHandler.ThreadNetworkAssociation?
    /// The room that was chosen.
    package var room: MatterAddDeviceRequest.Room?
    /// The name that was typed.
    package var name: String?
    /// The code that the extension got: the scanned one, or that of the phone's window.
    package var commissionedWith: String?

    /// The report of a setup that has not begun.
    package init() {}
}
