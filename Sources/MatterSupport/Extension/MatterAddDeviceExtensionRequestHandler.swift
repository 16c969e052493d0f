/// What an app's extension does for a device that is being set up; to be subclassed.
///
/// Mirrors Apple's class of the same name. One object serves one request, and its methods are called one at a time, in
/// this order: validate, select a network, rooms, commission, configure. Overrides don't call `super`.
///
/// Apple documents no behaviour of the base methods. Here each does what an extension without wishes would: it accepts the
/// device, takes the system's network, has no rooms; only ``commissionDevice(in:onboardingPayload:commissioningID:)``
/// throws, since a device that nobody commissions was not added.
///
/// The class is not Sendable: MatterHub makes the object in the task that calls it.
open class MatterAddDeviceExtensionRequestHandler: NSObject {
    /// Makes a handler; the system does so anew for each request.
    public override init() { super.init() }

    /// Looks at the device's attestation; the first call of a request, before anybody has commissioned the device.
    ///
    /// Not called when the phone's fabric is switched off and the device shows its credential only once.
    ///
    /// - Throws: to refuse the device. On a phone the user may go on after a warning; here the setup ends.
    open func validateDeviceCredential(_ deviceCredential: DeviceCredential) async throws {}

    /// Chooses the Wi-Fi network that the device joins.
    ///
    /// - Parameter wifiScanResults: what the device sees; empty when the request asks for no scan.
    /// - Returns: by default the system's own network.
    open func selectWiFiNetwork(
        from wifiScanResults: [WiFiScanResult]
    ) async throws -> WiFiNetworkAssociation { .defaultSystemNetwork }

    /// Chooses the Thread network that the device joins.
    ///
    /// - Parameter threadScanResults: what the device sees; empty when the request asks for no scan.
    /// - Returns: by default the system's own network.
    open func selectThreadNetwork(
        from threadScanResults: [ThreadScanResult]
    ) async throws -> ThreadNetworkAssociation { .defaultSystemNetwork }

    /// Commissions the device into the app's ecosystem; must be overridden.
    ///
    /// - Parameters:
    ///   - home: the home that the user chose; `nil` when the request has none.
    ///   - onboardingPayload: what the ecosystem's commissioner needs, a QR text or a manual code.
    ///   - commissioningID: names this commissioning, for the app to find it again.
    open func commissionDevice(
        in home: MatterAddDeviceRequest.Home?, onboardingPayload: String, commissioningID: UUID
    ) async throws {
        throw MatterSetupError(
            .unimplemented,
            "\(type(of: self)) does not override commissionDevice(in:onboardingPayload:commissioningID:)")
    }

    /// The rooms of a home, for the user to choose from.
    ///
    /// - Parameter home: the home that the user chose; `nil` when the request has none.
    /// - Returns: by default none; then the user is not asked.
    open func rooms(in home: MatterAddDeviceRequest.Home?) async -> [MatterAddDeviceRequest.Room] { [] }

    /// Gives the commissioned device its name and room; by default does nothing.
    ///
    /// - Parameters:
    ///   - name: what the user typed.
    ///   - room: the room that the user chose; `nil` when there was none to choose.
    open func configureDevice(named name: String, in room: MatterAddDeviceRequest.Room?) async {}
}
