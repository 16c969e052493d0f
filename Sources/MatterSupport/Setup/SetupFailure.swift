/// Why a setup ended without a device, and at which step.
package struct SetupFailure: Error, Hashable, Sendable {
    /// Whose failure it is.
    package enum Cause: Hashable, Sendable {
        /// The person, or the app's task, gave up.
        case cancelled
        /// The extension threw.
        case handler(PortableError)
        /// The phone could not do its part.
        case phone(PortableError)
        /// MatterHub's own failure.
        case setup(MatterSetupError)
    }

    /// Whose failure it is.
    package var cause: Cause
    /// The step that was running.
    package var step: MatterSetupStep

    /// Makes a failure.
    package init(_ cause: Cause, at step: MatterSetupStep) {
        self.cause = cause
        self.step = step
    }
}

extension SetupFailure {
    /// The domain of every error that ``MatterAddDeviceRequest/perform()`` throws. Its only code is 1, which says nothing.
    package static let domain = "com.apple.MatterSupport"
    /// The domain of the system's home framework, whose code 33 says that the device is in this home already.
    package static let homeDomain = "HFErrorDomain"
    /// `alreadyInHome` of ``homeDomain``.
    package static let alreadyInHome = 33
    /// Key in the outer error's user info: the step that failed, as ``MatterSetupStep`` spells it.
    package static let stepKey = "MatterHubSetupStep"

    /// GoogleHomeSDK's error for a device that the home has.
    private static let homeErrorDomain = "com.google.home.HomeError"
    private static let alreadyExists = 6

    /// The error that an app sees: the system's, with the cause nested in it.
    package var error: NSError {
        let (inner, text) = nested
        return NSError(
            domain: Self.domain, code: 1,
            userInfo: [
                NSLocalizedDescriptionKey: "The device was not added (\(step.rawValue)): \(text)",
                Self.stepKey: step.rawValue, NSUnderlyingErrorKey: inner,
            ])
    }

    private var nested: (error: any Error, text: String) {
        switch cause {
        case .cancelled:
            let text = "the setup was cancelled"
            let error = NSError(
                domain: NSCocoaErrorDomain, code: CocoaError.userCancelled.rawValue,
                userInfo: [NSLocalizedDescriptionKey: text])
            return (error, text)
        // As an NSError: on Linux, apps that look for one under NSUnderlyingErrorKey find no other error.
        case .setup(let error): return (error as NSError, error.message)
        case .handler(let error), .phone(let error):
            let text = error.info[NSLocalizedDescriptionKey] ?? "\(error.domain) \(error.code)"
            let isThere = error.contains(domain: Self.homeErrorDomain, code: Self.alreadyExists)
            guard isThere, !error.contains(domain: Self.homeDomain, code: Self.alreadyInHome) else {
                return (error.nsError, text)
            }
            let already = NSError(
                domain: Self.homeDomain, code: Self.alreadyInHome,
                userInfo: [NSLocalizedDescriptionKey: text, NSUnderlyingErrorKey: error.nsError])
            return (already, text)
        }
    }
}
