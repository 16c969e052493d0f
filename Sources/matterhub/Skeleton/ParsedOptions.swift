import CGetopt
import Glibc
import HubControl

/// The options and arguments of one command line, with the environment and the configuration file behind them.
struct ParsedOptions {
    /// What is no option, in order; `-` is one of these.
    let arguments: [String]
    private var given: [String: [String]] = [:]
    private let known: [String: CommandOption]
    private let environment: [String: String]
    private let configuration: JSONObject

    /// Parses with `getopt_long`: `--name value`, `--name=value`, unambiguous beginnings of names, `--` ends options.
    init(
        _ words: [String], options: [CommandOption], environment: [String: String] = [:],
        configuration: JSONObject = JSONObject()
    ) throws(UsageError) {
        known = Dictionary(uniqueKeysWithValues: options.map { ($0.name, $0) })
        self.environment = environment
        self.configuration = configuration
        let scan = CommandLineScan(words, options: options)
        defer { scan.free() }
        while let (index, value) = try scan.next() { given[options[index].name, default: []].append(value ?? "") }
        arguments = scan.rest
    }

    /// Whether a flag was given.
    func flag(_ name: String) -> Bool { given[name] != nil }

    /// The value of an option, the last one when it was given several times; `nil` when no source gives one.
    func string(_ name: String) throws(UsageError) -> String? {
        if let value = given[name]?.last { return value }
        guard let option = known[name], option.isConfigurable else { return nil }
        if let value = environment[option.environmentName] { return value }
        switch configuration[name] {
        case nil, .null?: return nil
        case .string(let text)?: return text
        case .integer(let number)?: return String(number)
        case .bool(let value)?: return String(value)
        case .number?, .array?, .object?:
            throw UsageError("the configuration file's “\(name)” is neither text nor a whole number")
        }
    }

    /// Every value of an option that may be given several times.
    func strings(_ name: String) -> [String] { given[name] ?? [] }

    /// A whole number, decimal or hexadecimal after `0x`.
    func integer<T: FixedWidthInteger>(
        _ name: String, as: T.Type = T.self, in range: ClosedRange<T> = T.min...T.max
    ) throws(UsageError) -> T? {
        guard let text = try string(name) else { return nil }
        let number = text.lowercased().hasPrefix("0x") ? T(text.dropFirst(2), radix: 16) : T(text)
        guard let number, range.contains(number) else {
            throw UsageError(
                "--\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound), not “\(text)”")
        }
        return number
    }

    /// The value of an option that must be given.
    func required(_ name: String) throws(UsageError) -> String {
        guard let value = try string(name) else { throw UsageError("--\(name) is missing") }
        return value
    }
}

/// One run of `getopt_long` over a command line.
private final class CommandLineScan {
    private let words: [UnsafeMutablePointer<CChar>?]
    private let argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let names: UnsafeMutablePointer<option>
    private let options: [CommandOption]
    private let letters: String
    /// Long options without a letter are numbered from here on, beyond every letter.
    private static let firstNumber: Int32 = 256

    init(_ words: [String], options: [CommandOption]) {
        // getopt begins behind the program's name.
        self.words = ([""] + words).map { strdup($0) } + [nil]
        argv = .allocate(capacity: self.words.count)
        argv.initialize(from: self.words, count: self.words.count)
        names = .allocate(capacity: options.count + 1)
        for (index, each) in options.enumerated() {
            let argument = each.placeholder == nil ? no_argument : required_argument
            (names + index).initialize(
                to: option(name: strdup(each.name), has_arg: argument, flag: nil, val: Self.firstNumber + Int32(index)))
        }
        (names + options.count).initialize(to: option(name: nil, has_arg: 0, flag: nil, val: 0))
        self.options = options
        // The colon in front makes a missing value distinguishable from an unknown option.
        letters = options.reduce(into: ":") { text, option in
            if let letter = option.letter { text += "\(letter)\(option.placeholder == nil ? "" : ":")" }
        }
        getopt_restart()
    }

    func free() {
        for index in options.indices { Glibc.free(UnsafeMutableRawPointer(mutating: names[index].name)) }
        for word in words { Glibc.free(word) }
        names.deallocate()
        argv.deallocate()
    }

    /// The next option's index and value; `nil` behind the last.
    func next() throws(UsageError) -> (index: Int, value: String?)? {
        let code = getopt_next(Int32(words.count - 1), argv, letters, names)
        switch code {
        case -1: return nil
        case Int32(UInt8(ascii: ":")): throw UsageError("\(rejected) needs a value")
        case Int32(UInt8(ascii: "?")): throw UsageError("\(rejected) is no option, takes no value or is ambiguous")
        default:
            let index =
                code >= Self.firstNumber
                ? Int(code - Self.firstNumber)
                : options.firstIndex { $0.letter?.asciiValue.map(Int32.init) == code } ?? 0
            return (index, getopt_argument().map { String(cString: $0) })
        }
    }

    var rest: [String] {
        (Int(getopt_position())..<words.count - 1).compactMap { argv[$0].map { String(cString: $0) } }
    }

    private var rejected: String {
        let code = getopt_rejected()
        if code > 0, code < Self.firstNumber, let scalar = Unicode.Scalar(UInt32(code)) { return "-\(scalar)" }
        return argv[max(1, Int(getopt_position()) - 1)].map { String(cString: $0) } ?? "an option"
    }
}
