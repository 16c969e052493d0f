extension MatterAddDeviceRequest {
    /// Sets up one device: what the system does on a phone, with the app's extension as ``MatterExtensionHost`` has it.
    ///
    /// - Throws: an `NSError` of domain `com.apple.MatterSupport`, with the cause under `NSUnderlyingErrorKey`.
    public func perform() async throws {
        throw MatterSetupError(.unimplemented, "perform() is not there yet")
    }
}
