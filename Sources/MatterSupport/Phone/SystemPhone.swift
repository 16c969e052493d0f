import Foundation

/// The phone that ``MatterAddDeviceRequest/perform()`` uses.
enum SystemPhone {
    /// The phone of this machine, as the environment has it; it takes its folder and a port at the first use.
    ///
    /// - Throws: ``MatterSetupError`` when the environment says what cannot be understood.
    static func phone() throws -> any SetupPhone {
        PhoneFabric(try PhoneSettings(environment: ProcessInfo.processInfo.environment))
    }
}
