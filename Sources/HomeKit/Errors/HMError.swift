public import Foundation

/// The domain of ``HMError``.
public let HMErrorDomain = "HMErrorDomain"

/// What HomeKit refuses or fails at.
///
/// On Linux an `NSError` of ``HMErrorDomain`` is not found by `as? HMError`; such an error of this package is always an
/// `HMError`, and `as NSError` works on it.
public struct HMError: CustomNSError, LocalizedError, Hashable, Sendable {
    /// What went wrong.
    public let code: Code

    /// Makes an error.
    public init(_ code: Code) { self.code = code }

    /// ``HMErrorDomain``.
    public static var errorDomain: String { HMErrorDomain }
    /// The code's number.
    public var errorCode: Int { code.rawValue }
    /// The code's name in words, as the description.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: code.words] }
    /// The code's name in words.
    public var errorDescription: String? { code.words }
}

extension HMError.Code {
    /// Whether an error is of this code, also when it is an `NSError`.
    public static func ~= (code: Self, error: any Error) -> Bool {
        let error = error as NSError
        return error.domain == HMErrorDomain && error.code == code.rawValue
    }

    /// The name in words.
    var words: String {
        var words = ""
        for character in String(describing: self) {
            if character.isUppercase { words += " " }
            words += character.lowercased()
        }
        return words.prefix(1).uppercased() + words.dropFirst() + " (HomeKit error \(rawValue))"
    }
}
