/// What the environment says about logging.
package struct LogSettings: Hashable, Sendable {
    /// Names the lowest level that is written: `trace` to `fault`, or `off`.
    package static let levelVariable = "MATTERHUB_LOG"
    /// `show` writes private values as they are.
    package static let privacyVariable = "MATTERHUB_LOG_PRIVATE"

    /// The lowest level that is written; `nil` for none at all.
    package var lowest: LogLevel? = .info
    /// Whether private values are written as they are.
    package var showsPrivate = false
    /// What was said and not understood, in a sentence.
    package var complaint: String?

    /// The settings without any variable: from `info` on, private values hidden.
    package init() {}

    /// Reads the variables; one that is not understood leaves its default and a ``complaint``.
    package init(environment: [String: String]) {
        if let name = environment[Self.levelVariable], !name.isEmpty {
            if name == "off" {
                lowest = nil
            } else if let level = LogLevel(rawValue: name) {
                lowest = level
            } else {
                let names = LogLevel.allCases.map(\.rawValue).joined(separator: ", ")
                complaint = "\(Self.levelVariable) is “\(name)”; it can be off, \(names)"
            }
        }
        showsPrivate = environment[Self.privacyVariable] == "show"
    }
}
