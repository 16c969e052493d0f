public import Foundation
import MatterWire

/// The domain of ``MTRError``.
public let MTRErrorDomain = "MTRErrorDomain"

/// What went wrong on this side.
///
/// On Linux an `NSError` of ``MTRErrorDomain`` is not found by `as? MTRError`; such an error of this package is always an
/// `MTRError`, and `as NSError` works on it.
public struct MTRError: CustomNSError, LocalizedError, Hashable, Sendable {
    /// What went wrong; the header's numbers.
    public enum Code: Int, Hashable, Sendable, CaseIterable {
        /// Nothing more is known.
        case generalError = 1
        /// A text of a wrong length.
        case invalidStringLength = 2
        /// A number that is out of range.
        case invalidIntegerValue = 3
        /// An argument that makes no sense.
        case invalidArgument = 4
        /// A message of a wrong length.
        case invalidMessageLength = 5
        /// Nothing that can be done now.
        case invalidState = 6
        /// An address of a kind that does not fit.
        case wrongAddressType = 7
        /// A check digit, signature or code that does not fit.
        case integrityCheckFailed = 8
        /// Nothing came in time.
        case timeout = 9
        /// Too little room.
        case bufferTooSmall = 10
        /// The device is on this fabric already.
        case fabricExists = 11
        /// A cluster, attribute, event or command that is not known.
        case unknownSchema = 12
        /// Data of a kind that does not fit.
        case schemaMismatch = 13
        /// Malformed data.
        case tlvDecodeFailed = 14
        /// The app may not look for devices.
        case dnssdUnauthorized = 15
        /// It was called off.
        case cancelled = 16

        /// Whether an error is of this code, also when it is an `NSError`.
        public static func ~= (code: Code, error: any Error) -> Bool {
            let error = error as NSError
            return error.domain == MTRErrorDomain && error.code == code.rawValue
        }
    }

    /// What went wrong.
    public let code: Code
    /// What went wrong in words.
    public let message: String?

    /// Makes an error.
    public init(_ code: Code, message: String? = nil) {
        self.code = code
        self.message = message
    }

    /// The error for a code that could not be read.
    init(_ error: OnboardingPayloadError) {
        self.init(error.code == .checkDigit ? .integrityCheckFailed : .invalidArgument, message: error.message)
    }

    /// ``MTRErrorDomain``.
    public static var errorDomain: String { MTRErrorDomain }
    /// The code's number.
    public var errorCode: Int { code.rawValue }
    /// The message, as the description.
    public var errorUserInfo: [String: Any] { message.map { [NSLocalizedDescriptionKey: $0] } ?? [:] }
    /// The message.
    public var errorDescription: String? { message }
}

extension MTRError {
    /// See ``Code/generalError``.
    public static var generalError: Code { .generalError }
    /// See ``Code/invalidStringLength``.
    public static var invalidStringLength: Code { .invalidStringLength }
    /// See ``Code/invalidIntegerValue``.
    public static var invalidIntegerValue: Code { .invalidIntegerValue }
    /// See ``Code/invalidArgument``.
    public static var invalidArgument: Code { .invalidArgument }
    /// See ``Code/invalidState``.
    public static var invalidState: Code { .invalidState }
    /// See ``Code/integrityCheckFailed``.
    public static var integrityCheckFailed: Code { .integrityCheckFailed }
    /// See ``Code/timeout``.
    public static var timeout: Code { .timeout }
    /// See ``Code/fabricExists``.
    public static var fabricExists: Code { .fabricExists }
    /// See ``Code/cancelled``.
    public static var cancelled: Code { .cancelled }
}

/// The older name of ``MTRError/Code``.
public typealias MTRErrorCode = MTRError.Code
