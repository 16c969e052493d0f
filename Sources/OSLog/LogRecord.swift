import Foundation

/// One message on its way out, rendered.
package struct LogRecord: Sendable {
    /// When it was logged.
    package var date: Date
    /// How important it is.
    package var level: LogLevel
    /// The subsystem of the logger, usually the app's id in reverse DNS; empty for a logger without one.
    package var subsystem: String
    /// The category of the logger; empty for a logger without one.
    package var category: String
    /// The text, with private values already hidden.
    package var message: String

    /// Takes everything as it is.
    package init(date: Date, level: LogLevel, subsystem: String, category: String, message: String) {
        self.date = date
        self.level = level
        self.subsystem = subsystem
        self.category = category
        self.message = message
    }

    /// The record as one line without a line feed: time (UTC, milliseconds), level, subsystem and category, message.
    ///
    /// Control characters in the message are escaped, so that a record stays one line.
    package var line: String {
        let time = date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        let source = [subsystem, category].filter { !$0.isEmpty }.joined(separator: "/")
        return "\(time) \(level.rawValue) " + (source.isEmpty ? "" : "\(source): ") + Self.escaped(message)
    }

    private static func escaped(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": escaped.append(contentsOf: "\\n".unicodeScalars)
            case "\t": escaped.append(scalar)
            case _ where scalar.properties.generalCategory == .control:
                escaped.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }
}
