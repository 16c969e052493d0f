import Foundation

/// Writes messages to standard error, one line each: time, level, subsystem and category, message.
///
/// `MATTERHUB_LOG` names the lowest level that is written (`info` without it), `off` writes none. Values are hidden as
/// their ``OSLogPrivacy`` says; `MATTERHUB_LOG_PRIVATE=show` shows the private ones.
public struct Logger: Sendable {
    private let subsystem: String
    private let category: String
    private let output: LogOutput?

    /// A logger for one part of a program.
    ///
    /// - Parameters:
    ///   - subsystem: usually the app's id in reverse DNS.
    ///   - category: the part.
    public init(subsystem: String, category: String) {
        self.init(subsystem: subsystem, category: category, output: .standard)
    }

    /// A logger without names.
    public init() { self.init(subsystem: "", category: "") }

    /// A logger for a named place.
    public init(_ log: OSLog) {
        self.init(subsystem: log.subsystem, category: log.category, output: log.isDisabled ? nil : .standard)
    }

    /// A logger with an output of its own; `nil` writes nothing.
    package init(subsystem: String, category: String, output: LogOutput?) {
        self.subsystem = subsystem
        self.category = category
        self.output = output
    }

    /// Writes a message at the default level.
    public func log(_ message: OSLogMessage) { write(.notice, message) }
    /// Writes a message at the level of the system's type.
    public func log(level: OSLogType, _ message: OSLogMessage) { write(LogLevel(level), message) }
    /// Writes what only helps to follow the program step by step.
    public func trace(_ message: OSLogMessage) { write(.trace, message) }
    /// Writes what only a developer wants to see.
    public func debug(_ message: OSLogMessage) { write(.debug, message) }
    /// Writes what helps, but is not essential.
    public func info(_ message: OSLogMessage) { write(.info, message) }
    /// Writes what may matter when something is looked for later.
    public func notice(_ message: OSLogMessage) { write(.notice, message) }
    /// Writes what may become a failure.
    public func warning(_ message: OSLogMessage) { write(.warning, message) }
    /// Writes a failure.
    public func error(_ message: OSLogMessage) { write(.error, message) }
    /// Writes a failure that needs attention at once.
    public func critical(_ message: OSLogMessage) { write(.critical, message) }
    /// Writes a failure of the program itself.
    public func fault(_ message: OSLogMessage) { write(.fault, message) }

    private func write(_ level: LogLevel, _ message: OSLogMessage) {
        guard let output else { return }
        let settings = output.settings
        guard let lowest = settings.lowest, level >= lowest else { return }
        output.write(
            LogRecord(
                date: Date(), level: level, subsystem: subsystem, category: category,
                message: message.rendered(showsPrivate: settings.showsPrivate)))
    }
}
