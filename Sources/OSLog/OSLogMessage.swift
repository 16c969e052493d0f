public import Foundation

/// A message that decides value by value what may be seen of it.
///
/// Values are asked for only when the message is written.
public struct OSLogMessage: ExpressibleByStringInterpolation {
    private let parts: [OSLogInterpolation.Part]

    /// A message without values.
    public init(stringLiteral value: String) { parts = [.text(value)] }
    /// A message with values.
    public init(stringInterpolation: OSLogInterpolation) { parts = stringInterpolation.parts }

    /// The text to write.
    func rendered(showsPrivate: Bool) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .value(let text, let privacy, let isHarmless):
                privacy.shown(text(), isHarmless: isHarmless, showsPrivate: showsPrivate)
            }
        }.joined()
    }
}

/// What stands between the quotes of an ``OSLogMessage``.
public struct OSLogInterpolation: StringInterpolationProtocol {
    enum Part {
        case text(String)
        case value(() -> String, OSLogPrivacy, isHarmless: Bool)
    }

    var parts: [Part] = []

    /// Makes an empty one.
    public init(literalCapacity: Int, interpolationCount: Int) { parts.reserveCapacity(2 * interpolationCount + 1) }

    /// Adds text.
    public mutating func appendLiteral(_ literal: String) { parts.append(.text(literal)) }

    /// Adds a string; `auto` hides it.
    public mutating func appendInterpolation(
        _ string: @autoclosure @escaping () -> String, align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto
    ) {
        parts.append(.value({ align.applied(to: string()) }, privacy, isHarmless: false))
    }

    /// Adds what describes itself, or `nil`; `auto` hides it.
    @_disfavoredOverload
    public mutating func appendInterpolation(
        _ value: @autoclosure @escaping () -> (any CustomStringConvertible)?, align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto
    ) {
        parts.append(.value({ align.applied(to: value()?.description ?? "nil") }, privacy, isHarmless: false))
    }

    /// Adds an object's description, or `nil`; `auto` hides it.
    public mutating func appendInterpolation(
        _ object: @autoclosure @escaping () -> NSObject?, privacy: OSLogPrivacy = .auto
    ) {
        parts.append(.value({ object()?.description ?? "nil" }, privacy, isHarmless: false))
    }

    /// Adds an error's description, or `nil`; `auto` hides it.
    @_disfavoredOverload
    public mutating func appendInterpolation(
        _ error: @autoclosure @escaping () -> (any Error)?, privacy: OSLogPrivacy = .auto
    ) {
        parts.append(.value({ error().map { String(describing: $0) } ?? "nil" }, privacy, isHarmless: false))
    }

    /// Adds a type's name; `auto` shows it.
    public mutating func appendInterpolation(
        _ type: @autoclosure @escaping () -> any Any.Type, align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto
    ) {
        parts.append(.value({ align.applied(to: String(describing: type())) }, privacy, isHarmless: true))
    }

    /// Adds a whole number; `auto` shows it.
    public mutating func appendInterpolation<Number: FixedWidthInteger>(
        _ number: @autoclosure @escaping () -> Number, format: OSLogIntegerFormatting = .decimal,
        align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto
    ) {
        parts.append(.value({ align.applied(to: format.text(of: number())) }, privacy, isHarmless: true))
    }

    /// Adds a floating-point number; `auto` shows it.
    public mutating func appendInterpolation<Number: BinaryFloatingPoint>(
        _ number: @autoclosure @escaping () -> Number, format: OSLogFloatFormatting = .fixed,
        align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto
    ) {
        parts.append(.value({ align.applied(to: format.text(of: Double(number()))) }, privacy, isHarmless: true))
    }

    /// Adds a truth value; `auto` shows it.
    public mutating func appendInterpolation(
        _ boolean: @autoclosure @escaping () -> Bool, format: OSLogBoolFormat = .truth,
        privacy: OSLogPrivacy = .auto
    ) {
        let words = format == .truth ? ("true", "false") : ("yes", "no")
        parts.append(.value({ boolean() ? words.0 : words.1 }, privacy, isHarmless: true))
    }
}
