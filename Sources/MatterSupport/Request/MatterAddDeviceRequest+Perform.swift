extension MatterAddDeviceRequest {
    /// Sets up one device: what the system does on a phone, with the app's extension as ``MatterExtensionHost`` has it, and
    /// with the answers of ``MatterSetupScript`` for what a person does.
    ///
    /// Cancelling the task cancels the running step, waits until it has ended, and undoes what was done to the device.
    ///
    /// - Throws: an `NSError` of domain `com.apple.MatterSupport` and code 1, with the cause under `NSUnderlyingErrorKey`:
    ///   `NSUserCancelledError` of `NSCocoaErrorDomain`; what the extension threw; 33 of `HFErrorDomain`, over what the
    ///   extension threw, for a device that is in the home already; a ``MatterSetupError`` for everything else.
    public func perform() async throws {
        let environment: SetupEnvironment
        do throws(MatterSetupError) {
            environment = try .current()
        } catch {
            throw SetupFailure(.setup(error), at: .scan).error
        }
        _ = try await perform(in: environment)
    }

    /// Sets up one device with the given extension, person and phone; see ``perform()``.
    @discardableResult
    package func perform(in environment: SetupEnvironment) async throws -> SetupReport {
        let code: SetupCode?
        do throws(MatterSetupError) {
            let text = try payloadText()
            code = if let text { try SetupCode(text, address: environment.assistant.script.address) } else { nil }
        } catch {
            throw SetupFailure(.setup(error), at: .scan).error
        }
        do throws(SetupFailure) {
            return try await SetupRun(self, code, environment).run()
        } catch {
            throw error.error
        }
    }
}
