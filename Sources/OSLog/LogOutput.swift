import Foundation
import NetIO

/// Where the messages of a logger go, and which of them.
package final class LogOutput: Sendable {
    /// Takes one record; called by one thread at a time.
    package typealias Sink = @Sendable (LogRecord) -> Void

    /// What loggers use that were not told otherwise: standard error, with the settings of the environment.
    package static let standard: LogOutput = {
        let settings = LogSettings(environment: ProcessInfo.processInfo.environment)
        let output = LogOutput(settings: settings, sink: writeToStandardError)
        if let complaint = settings.complaint {
            output.write(
                LogRecord(date: Date(), level: .warning, subsystem: "matterhub", category: "log", message: complaint))
        }
        return output
    }()

    private struct State: Sendable {
        var settings: LogSettings
        var sink: Sink
    }

    private let state: Locked<State>

    /// Makes an output of its own, for instance for a test.
    package init(settings: LogSettings, sink: @escaping Sink) {
        state = Locked(State(settings: settings, sink: sink))
    }

    /// Which messages are wanted.
    package var settings: LogSettings { state.withLock { $0.settings } }

    /// Puts another sink and other settings in the place of what was; returns a function that puts the old ones back.
    package func redirect(settings: LogSettings, to sink: @escaping Sink) -> @Sendable () -> Void {
        let old = state.withLock { state in
            defer { state = State(settings: settings, sink: sink) }
            return state
        }
        return { self.state.withLock { $0 = old } }
    }

    /// Hands one record to the sink, whatever its level.
    package func write(_ record: LogRecord) {
        state.withLock { $0.sink(record) }
    }

    private static func writeToStandardError(_ record: LogRecord) {
        // Nobody can be told that standard error is closed.
        try? FileHandle.standardError.write(contentsOf: Data((record.line + "\n").utf8))
    }
}
