@_exported public import Foundation

/// A named place that messages come from, for ``Logger/init(_:)`` and ``os_log(_:log:_:)``.
public final class OSLog: Sendable {
    /// The place of messages that name none.
    public static let `default` = OSLog(subsystem: "", category: "")
    /// Takes no messages.
    public static let disabled = OSLog(subsystem: "", category: "", isDisabled: true)

    let subsystem: String
    let category: String
    let isDisabled: Bool

    /// Names a place.
    public convenience init(subsystem: String, category: String) {
        self.init(subsystem: subsystem, category: category, isDisabled: false)
    }

    private init(subsystem: String, category: String, isDisabled: Bool) {
        self.subsystem = subsystem
        self.category = category
        self.isDisabled = isDisabled
    }

    /// Whether a message of this type would be written.
    public func isEnabled(type: OSLogType) -> Bool {
        guard !isDisabled, let lowest = LogOutput.standard.settings.lowest else { return false }
        return LogLevel(type) >= lowest
    }
}

/// Writes a message.
public func os_log(_ type: OSLogType, log: OSLog = .default, _ message: OSLogMessage) {
    Logger(log).log(level: type, message)
}

/// Writes a message of the default type.
public func os_log(_ message: OSLogMessage) {
    Logger().log(message)
}
