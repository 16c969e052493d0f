import MatterWire

/// An onboarding code, with what it says of the device.
package struct SetupCode: Hashable, Sendable {
    /// The text as it was given.
    package var payload: String
    /// `host:port` of the device; `nil` to look for it.
    package var address: String?
    /// What the code says of the device.
    package var device: MatterAddDeviceRequest.DeviceCriteria.KnownDevice

    /// Reads a QR text or a manual code.
    ///
    /// - Throws: ``MatterSetupError`` `invalidCode` with the exact fault.
    package init(_ text: String, address: String? = nil) throws(MatterSetupError) {
        let payload: OnboardingPayload
        do throws(OnboardingPayloadError) {
            payload = try ParsedOnboardingPayload(text, blanks: .ignored).validated()
        } catch {
            throw MatterSetupError(.invalidCode, "“\(text)” is no onboarding code: \(error.message)")
        }
        self.payload = text
        self.address = address
        device = .init(
            vendorID: payload.statedVendorID.map { Int($0.rawValue) },
            productID: payload.statedProductID.map { Int($0.rawValue) }, serialNumber: payload.serialNumber)
    }
}
