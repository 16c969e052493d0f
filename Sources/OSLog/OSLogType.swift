/// How important a message is, in the system's five steps.
public struct OSLogType: RawRepresentable, Hashable, Sendable {
    /// The system's number for the step.
    public let rawValue: UInt8

    /// Makes a type of the system's number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// What may matter when something is looked for later; ``Logger/notice(_:)``.
    public static let `default` = OSLogType(rawValue: 0)
    /// What helps, but is not essential.
    public static let info = OSLogType(rawValue: 1)
    /// What only a developer wants to see.
    public static let debug = OSLogType(rawValue: 2)
    /// A failure.
    public static let error = OSLogType(rawValue: 16)
    /// A failure of the program itself.
    public static let fault = OSLogType(rawValue: 17)
}
