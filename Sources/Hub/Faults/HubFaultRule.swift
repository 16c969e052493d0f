package import HubControl
import MatterProtocol

/// One fault of the hub itself: where, what, how often. Text form `WHERE:KIND[=MS][@N][xM]`.
package struct HubFaultRule: Hashable, Sendable, CustomStringConvertible {
    /// What goes wrong.
    package enum Kind: String, CaseIterable, Hashable, Sendable {
        /// The next write to the store fails.
        case storageFails
        /// The next write takes longer, by the argument in ms.
        case storageSlow
        /// The hub plays an unreachable one from then on.
        case offline
        /// The process kills itself.
        case crash
        /// The client's connection is cut as soon as the request has come; the request goes on.
        case cutAfterRequest
        /// The client's connection is cut in the place of the answer.
        case cutBeforeResponse

        /// What it does, in words.
        package var meaning: String {
            switch self {
            case .storageFails: "the next write to the store fails"
            case .storageSlow: "the next write to the store takes MS longer (2000)"
            case .offline: "the hub plays an unreachable one from then on"
            case .crash: "the process kills itself"
            case .cutAfterRequest: "the connection is cut when the request has come; the request goes on"
            case .cutBeforeResponse: "the connection is cut in the place of the answer"
            }
        }

        /// Whether it is about a connection, so that only a method can be its place.
        package var needsMethod: Bool { self == .cutAfterRequest || self == .cutBeforeResponse }
    }

    /// A stage of commissioning or a method of the control protocol.
    package let place: String
    package let kind: Kind
    /// For ``Kind/storageSlow``.
    package let delay: Duration
    /// From the Nth time on, counted from 1.
    package let from: Int
    /// So many times; `nil` for always.
    package let times: Int?

    /// Reads the text form.
    ///
    /// - Throws: `invalidArgument` that names what is wrong.
    package init(_ text: String) throws(ControlError) {
        let refused = { (reason: String) in
            ControlError(
                .invalidArgument, "the fault “\(text)” is not valid: \(reason)", details: ["reason": "invalidFault"])
        }
        guard let colon = text.lastIndex(of: ":") else { throw refused("the form is WHERE:KIND[=MS][@N][xM]") }
        place = String(text[..<colon])
        var rest = text[text.index(after: colon)...]
        func number(_ digits: Substring, _ most: Int) throws(ControlError) -> Int {
            guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = Int(digits),
                (1...most).contains(value)
            else { throw refused("“\(digits)” is no number from 1 to \(most)") }
            return value
        }
        var times: Int? = 1
        // An x without a count behind it belongs to a name.
        if let cross = rest.lastIndex(of: "x"), case let digits = rest[rest.index(after: cross)...],
            digits == "*" || digits.first?.isNumber == true
        {
            times = digits == "*" ? nil : try number(digits, 65_535)
            rest = rest[..<cross]
        }
        self.times = times
        if let at = rest.lastIndex(of: "@") {
            from = try number(rest[rest.index(after: at)...], 65_535)
            rest = rest[..<at]
        } else {
            from = 1
        }
        let parts = rest.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let kind = Kind(rawValue: String(parts[0])) else {
            throw refused("there is no “\(parts[0])”, only \(Kind.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        self.kind = kind
        guard parts.count == 1 || kind == .storageSlow else { throw refused("\(kind.rawValue) has no argument") }
        delay = .milliseconds(parts.count == 2 ? try number(parts[1], 600_000) : 2_000)
        let isMethod = ControlMethod.all.contains(ControlMethod(rawValue: place))
        guard isMethod || CommissioningStage(rawValue: place) != nil else {
            throw refused("“\(place)” is neither a stage nor a method")
        }
        guard isMethod || !kind.needsMethod else { throw refused("\(kind.rawValue) needs a method as its place") }
    }

    package var description: String {
        let argument = kind == .storageSlow ? "=\(delay.milliseconds)" : ""
        let count = times.map { $0 == 1 ? "" : "x\($0)" } ?? "x*"
        return "\(place):\(kind.rawValue)\(argument)" + (from == 1 ? "" : "@\(from)") + count
    }
}
