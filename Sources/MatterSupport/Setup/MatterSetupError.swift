/// Why the setup of a device failed in MatterHub itself, and not in the app's extension.
///
/// ``MatterAddDeviceRequest/perform()`` throws it as the `NSError` under an `NSError` of domain `com.apple.MatterSupport`;
/// ``init(in:)`` takes it out.
public struct MatterSetupError: Error, CustomNSError, LocalizedError, Hashable, Sendable {
    /// The kind of failure; more may be added.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// A stable name.
        public let rawValue: String
        /// Takes a name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// No extension is registered and none is named.
        public static let noExtension = Self(rawValue: "noExtension")
        /// The extension's executable cannot be started, or is none.
        public static let extensionUnusable = Self(rawValue: "extensionUnusable")
        /// The extension's process ended before it had answered.
        public static let extensionEnded = Self(rawValue: "extensionEnded")
        /// The extension's process says what the dialogue does not allow.
        public static let extensionGarbled = Self(rawValue: "extensionGarbled")
        /// A step took too long.
        public static let timedOut = Self(rawValue: "timedOut")
        /// The person's answer to a question is not set, and there is no terminal to ask in.
        public static let missingAnswer = Self(rawValue: "missingAnswer")
        /// A setup script, or a variable, says what cannot be understood.
        public static let invalidScript = Self(rawValue: "invalidScript")
        /// The code is no onboarding code.
        public static let invalidCode = Self(rawValue: "invalidCode")
        /// The device is none of those that the request shows.
        public static let deviceNotShown = Self(rawValue: "deviceNotShown")
        /// The chosen home or room is none of those offered.
        public static let unknownChoice = Self(rawValue: "unknownChoice")
        /// The app group's name is none.
        public static let invalidAppGroup = Self(rawValue: "invalidAppGroup")
        /// The phone's fabric is there already, or the phone cannot reach the device.
        public static let phoneFailed = Self(rawValue: "phoneFailed")
        /// Not built.
        public static let unimplemented = Self(rawValue: "unimplemented")
    }

    /// The domain of the `NSError` form.
    public static let errorDomain = "MatterHubSetup"
    /// Key in ``errorUserInfo``: the name of the code.
    public static let codeKey = "MatterHubSetupCode"

    /// The kind of failure.
    public let code: Code
    /// The cause in plain words, and what mends it.
    public let message: String

    /// Makes an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Finds the failure in what ``MatterAddDeviceRequest/perform()`` threw; `nil` when the cause is another one.
    ///
    /// Follows `NSUnderlyingErrorKey`, at most ten steps.
    public init?(in error: any Error) {
        var current = error as NSError
        for _ in 0..<10 {
            if current.domain == Self.errorDomain, let name = current.userInfo[Self.codeKey] as? String {
                self.init(Code(rawValue: name), current.localizedDescription)
                return
            }
            guard let next = current.userInfo[NSUnderlyingErrorKey] as? NSError else { return nil }
            current = next
        }
        return nil
    }

    /// The message.
    public var errorDescription: String? { message }
    /// Always 1: ``code`` says more.
    public var errorCode: Int { 1 }
    /// Description and the code's name.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: message, Self.codeKey: code.rawValue] }
}
