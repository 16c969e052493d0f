import Foundation
import NetIO
import OSLog
import Testing

/// Takes records and keeps them.
private final class Notebook: Sendable {
    private let taken = Locked<[LogRecord]>([])

    var records: [LogRecord] { taken.withLock { $0 } }
    var messages: [String] { records.map(\.message) }
    func take(_ record: LogRecord) { taken.withLock { $0.append(record) } }

    func output(_ environment: [String: String] = ["MATTERHUB_LOG": "trace"]) -> LogOutput {
        LogOutput(settings: LogSettings(environment: environment), sink: { self.take($0) })
    }
    func logger(_ environment: [String: String] = ["MATTERHUB_LOG": "trace"]) -> Logger {
        Logger(subsystem: "com.example.app", category: "flow", output: output(environment))
    }
}

private struct Place: CustomStringConvertible {
    var description: String { "a place" }
}
private struct Trouble: Error {}

@Suite("Logger") struct LoggerTests {
    @Test func `every level has its function`() {
        let notebook = Notebook()
        let logger = notebook.logger()
        logger.trace("a")
        logger.debug("b")
        logger.info("c")
        logger.notice("d")
        logger.log("e")
        logger.warning("f")
        logger.error("g")
        logger.critical("h")
        logger.fault("i")
        #expect(notebook.messages.joined() == "abcdefghi")
        #expect(
            notebook.records.map(\.level) == [
                .trace, .debug, .info, .notice, .notice, .warning, .error, .critical, .fault,
            ])
        #expect(notebook.records.allSatisfy { $0.subsystem == "com.example.app" && $0.category == "flow" })
    }

    @Test func `the system's types are levels`() {
        let notebook = Notebook()
        for type in [OSLogType.default, .info, .debug, .error, .fault, OSLogType(rawValue: 99)] {
            notebook.logger().log(level: type, "x")
        }
        #expect(notebook.records.map(\.level) == [.notice, .info, .debug, .error, .fault, .notice])
    }

    @Test(arguments: LogLevel.allCases) func `the variable names the lowest level`(_ lowest: LogLevel) {
        let notebook = Notebook()
        let logger = notebook.logger(["MATTERHUB_LOG": lowest.rawValue])
        for type in [OSLogType.debug, .info, .default, .error, .fault] { logger.log(level: type, "x") }
        logger.trace("x")
        #expect(notebook.records.allSatisfy { $0.level >= lowest })
        #expect(
            notebook.records.count == [LogLevel.trace, .debug, .info, .notice, .error, .fault].count { $0 >= lowest })
    }

    @Test func `off writes nothing, and no value is asked for`() {
        let notebook = Notebook()
        func value() -> String {
            Issue.record("the message is not written")
            return ""
        }
        notebook.logger(["MATTERHUB_LOG": "off"]).fault("x \(value())")
        notebook.logger(["MATTERHUB_LOG": "error"]).info("x \(value(), privacy: .public)")
        #expect(notebook.records.isEmpty)
    }

    @Test func `without the variable info is the lowest`() {
        #expect(LogSettings(environment: [:]) == LogSettings())
        #expect(LogSettings(environment: ["MATTERHUB_LOG": ""]).lowest == .info)
    }

    @Test func `a level that does not exist is said, and changes nothing`() {
        let settings = LogSettings(environment: ["MATTERHUB_LOG": "verbose"])
        #expect(settings.lowest == .info)
        #expect(settings.complaint?.contains("“verbose”") == true)
    }

    @Test func `a record is one line`() throws {
        let record = LogRecord(
            date: Date(timeIntervalSince1970: 1_764_499_445.25), level: .warning, subsystem: "com.example.app",
            category: "flow", message: "two\nlines\tand \u{1b}[31mred")
        #expect(
            record.line
                == "2025-11-30T10:44:05.250Z warning com.example.app/flow: two\\nlines\tand \\u{1b}[31mred")
        var nameless = record
        nameless.subsystem = ""
        nameless.category = ""
        nameless.message = "é 漢 👋🏽"
        #expect(nameless.line == "2025-11-30T10:44:05.250Z warning é 漢 👋🏽")
    }

    @Test func `a disabled log takes nothing`() {
        Logger(.disabled).fault("nobody sees this")
        #expect(!OSLog.disabled.isEnabled(type: .fault))
    }
}

@Suite("OSLogMessage") struct OSLogMessageTests {
    private func text(_ message: OSLogMessage, _ environment: [String: String] = [:]) -> String? {
        let notebook = Notebook()
        notebook.logger(environment).notice(message)
        return notebook.messages.first
    }

    @Test func `text and objects are private unless they are public`() {
        let name = "Ann", object = NSString("object"), place = Place(), error: any Error = Trouble()
        #expect(text("\(name)") == "<private>")
        #expect(text("\(name, privacy: .public)") == "Ann")
        #expect(text("\(name, privacy: .private)") == "<private>")
        #expect(text("\(name, privacy: .sensitive)") == "<private>")
        #expect(text("\(name, privacy: .auto)") == "<private>")
        #expect(text("\(object) \(object, privacy: .public)") == "<private> object")
        #expect(text("\(place) \(place, privacy: .public)") == "<private> a place")
        #expect(text("\(error) \(error, privacy: .public)") == "<private> Trouble()")
        #expect(text("\([name]) \(Set([1]), privacy: .public)") == "<private> [1]")
    }

    @Test func `numbers, truth values and types are public unless they are private`() {
        #expect(text("\(7) \(UInt8(8)) \(Int64(-9)) \(true) \(Place.self)") == "7 8 -9 true Place")
        #expect(
            text("\(7, privacy: .private) \(true, privacy: .private) \(1.5, privacy: .sensitive)")
                == "<private> <private> <private>")
        #expect(text("\(1.5) \(Float(2))") == "1.500000 2.000000")
    }

    @Test func `optional values are written too`() {
        let number: NSNumber? = 5, error: (any Error)? = nil, text: String? = nil
        #expect(
            self.text("\(number, privacy: .public) \(error, privacy: .public) \(text, privacy: .public)") == "5 nil nil"
        )
        #expect(self.text("\(number) \(error)") == "<private> <private>")
    }

    @Test func `errors that are more than errors have one reading`() {
        let error = NSError(domain: "D", code: 1)
        #expect(text("\(error, privacy: .public)")?.contains("D") == true)
    }

    @Test func `the user may see private values, not sensitive ones`() {
        let shown = ["MATTERHUB_LOG_PRIVATE": "show"]
        #expect(text("\("a") \("b", privacy: .private) \("c", privacy: .sensitive)", shown) == "a b <private>")
    }

    @Test func `a mask tells values apart and hides them`() throws {
        let one = try #require(text("\("one", privacy: .private(mask: .hash))"))
        #expect(one == text("\("one", privacy: .auto(mask: .hash))"))
        #expect(one != text("\("two", privacy: .sensitive(mask: .hash))"))
        #expect(one.hasPrefix("<mask.hash: '") && !one.contains("one"))
        #expect(text("\("one", privacy: .private(mask: .none))") == "<private>")
        #expect(text("\(12, privacy: .private(mask: .hash))")?.hasPrefix("<mask.hash") == true)
    }

    @Test func `formats and columns are kept`() {
        #expect(
            text("\(255, format: .hex) \(255, format: .hex(includePrefix: true, uppercase: true, minDigits: 4))")
                == "ff 0x00FF")
        #expect(text("\(8, format: .octal) \(8, format: .octal(includePrefix: true))") == "10 0o10")
        #expect(
            text("\(5, format: .decimal(explicitPositiveSign: true, minDigits: 3)) \(-5, format: .decimal)")
                == "+005 -5")
        #expect(text("\(Int8.min, format: .decimal) \(UInt64.max, format: .decimal)") == "-128 18446744073709551615")
        #expect(
            text("\(3.14159, format: .fixed(precision: 2)) \(12345.678, format: .exponential(precision: 1))")
                == "3.14 1.2e+04")
        #expect(text("\(true, format: .answer) \(false, format: .answer)") == "yes no")
        #expect(
            text("[\(7, align: .right(columns: 3))] [\("ab", align: .left(columns: 4), privacy: .public)]")
                == "[  7] [ab  ]")
        #expect(text("[\("abcdef", align: .right(columns: 2), privacy: .public)]") == "[abcdef]")
    }
}

/// An app's own extension, which must be chosen although the module has functions of these names.
extension Logger {
    static let viewCycle = Logger(subsystem: "com.example.app", category: "view")
    static func fault(_ message: String) -> String { "the app's: \(message)" }
}

@Suite("Static levels", .serialized) struct StaticLoggerTests {
    @Test func `the static functions write without names`() {
        let notebook = Notebook()
        let restore = LogOutput.standard.redirect(
            settings: LogSettings(environment: ["MATTERHUB_LOG": "trace"]), to: { notebook.take($0) })
        defer { restore() }
        Logger.info("one \(1)")
        Logger.error("two \("secret")")
        Logger.debug("three")
        os_log(.error, "four")
        os_log("five")
        Logger.viewCycle.info("six")
        #expect(notebook.messages == ["one 1", "two <private>", "three", "four", "five", "six"])
        #expect(notebook.records.map(\.category) == ["", "", "", "", "", "view"])
    }

    @Test func `an app's own function wins`() {
        #expect(Logger.fault("x \(1)") == "the app's: x 1")
    }
}
