/// The phone that ``MatterAddDeviceRequest/perform()`` uses.
enum SystemPhone {
    /// Takes the phone of this machine into use.
    ///
    /// - Throws: ``MatterSetupError`` when there is none.
    static func phone() throws -> any SetupPhone {
        throw MatterSetupError(.unimplemented, "the phone's own controller (PhoneFabric) is not there yet")
    }
}
