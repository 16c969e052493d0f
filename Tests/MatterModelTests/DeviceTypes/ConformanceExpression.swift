/// A conformance as the data model writes it (Core §7.3), as far as the tests need it: lists, choices, brackets, not, and, or.
struct ConformanceExpression {
    enum Verdict { case mandatory, optional, absent, unknown }

    let text: String

    /// What it means for an instance with these features and attributes, by their codes and names.
    ///
    /// Provisional and deprecated elements, choices and words that describe are optional or unknown: never mandatory.
    func verdict(_ present: Set<String>, known: Set<String>) -> Verdict {
        for part in Self.parts(text) {
            switch part {
            case "M": return .mandatory
            case "D", "P": return .optional
            case "X": return .absent
            case let part where part == "O" || part.hasPrefix("O."): return .optional
            default: break
            }
            let isOptional = part.hasPrefix("[")
            let body = isOptional ? String(part.dropFirst().prefix { $0 != "]" }) : part
            var reader = Reader(body, present, known)
            guard let holds = reader.alternatives(), reader.isAtEnd else { return .unknown }
            if holds { return isOptional ? .optional : .mandatory }
        }
        return .absent
    }

    /// Split at commas outside brackets.
    private static func parts(_ text: String) -> [String] {
        var parts = [""]
        var depth = 0
        for letter in text {
            if "([".contains(letter) { depth += 1 }
            if ")]".contains(letter) { depth -= 1 }
            if letter == ",", depth == 0 { parts.append("") } else { parts[parts.count - 1].append(letter) }
        }
        return parts.map { $0.trimmingPrefix { $0 == " " } }.map(String.init)
    }

    private struct Reader {
        private let tokens: [String]
        private let present: Set<String>
        private let known: Set<String>
        private var place = 0

        init(_ text: String, _ present: Set<String>, _ known: Set<String>) {
            var tokens: [String] = []
            for letter in text {
                if letter == " " { continue }
                if "&|!()<>=".contains(letter) {
                    tokens.append(String(letter))
                } else if let last = tokens.last, last.first?.isLetter == true {
                    tokens[tokens.count - 1].append(letter)
                } else {
                    tokens.append(String(letter))
                }
            }
            self.tokens = tokens
            self.present = present
            self.known = known
        }

        var isAtEnd: Bool { place == tokens.count }
        private var next: String? { place < tokens.count ? tokens[place] : nil }

        mutating func alternatives() -> Bool? {
            guard var holds = conjunction() else { return nil }
            while next == "|" {
                place += 1
                guard let other = conjunction() else { return nil }
                holds = holds || other
            }
            return holds
        }

        private mutating func conjunction() -> Bool? {
            guard var holds = term() else { return nil }
            while next == "&" {
                place += 1
                guard let other = term() else { return nil }
                holds = holds && other
            }
            return holds
        }

        private mutating func term() -> Bool? {
            guard let token = next else { return nil }
            place += 1
            switch token {
            case "!": return term().map { !$0 }
            case "(":
                let inside = alternatives()
                guard next == ")" else { return nil }
                place += 1
                return inside
            default: return known.contains(token) ? present.contains(token) : nil
            }
        }
    }
}
