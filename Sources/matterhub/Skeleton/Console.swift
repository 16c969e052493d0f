import Foundation
import Glibc
import HubControl

/// Standard output and standard error.
///
/// Results go to standard output; messages and progress to standard error, so that a pipe gets results only.
struct Console: Sendable {
    let environment: [String: String]
    /// Whether standard output is a terminal.
    let isTerminal: Bool
    private let isErrorTerminal: Bool

    init() {
        environment = ProcessInfo.processInfo.environment
        isTerminal = isatty(STDOUT_FILENO) == 1
        isErrorTerminal = isatty(STDERR_FILENO) == 1
    }

    /// Whether standard output takes colours: a terminal, and no `NO_COLOR` (https://no-color.org).
    var hasColors: Bool { isTerminal && allowsColors }
    private var allowsColors: Bool { (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb" }

    /// Writes a result and a line end.
    func print(_ text: String) { Self.write(PlainText.lines(text) + "\n", to: STDOUT_FILENO) }

    /// Writes a picture that has colours of our own, and a line end.
    func print(drawing: String) { Self.write(drawing + "\n", to: STDOUT_FILENO) }

    /// Writes a result as JSON on one line.
    func print(_ json: JSONObject) {
        Self.write(PlainText.json(JSONValue.object(json).text()) + "\n", to: STDOUT_FILENO)
    }

    /// Writes an error message.
    func error(_ message: String) {
        let (start, end) = isErrorTerminal && allowsColors ? ("\u{1B}[31m", "\u{1B}[0m") : ("", "")
        Self.write("\(clearing)\(start)error:\(end) \(PlainText.lines(message))\n", to: STDERR_FILENO)
    }

    /// Writes a remark for people.
    func note(_ message: String) { Self.write("\(clearing)\(PlainText.lines(message))\n", to: STDERR_FILENO) }

    /// Writes one line of a log: what it tells of a peer cannot begin another.
    func log(_ message: String) { Self.write("\(clearing)\(PlainText.line(message))\n", to: STDERR_FILENO) }

    /// Shows what is going on, over what was shown before; nothing unless standard error is a terminal.
    func progress(_ text: String) {
        guard isErrorTerminal else { return }
        Self.write("\(clearing)\(PlainText.line(text))", to: STDERR_FILENO)
    }

    /// Takes the progress line away.
    func endProgress() { Self.write(clearing, to: STDERR_FILENO) }

    private var clearing: String { isErrorTerminal ? "\r\u{1B}[K" : "" }

    private static func write(_ text: String, to descriptor: Int32) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if errno != EINTR {
                // Nobody reads any more (or the disk is full): there is nowhere left to say so.
                exit(ExitStatus.failed.rawValue)
            }
        }
    }
}
