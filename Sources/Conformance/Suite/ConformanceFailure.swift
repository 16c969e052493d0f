/// Why a case failed, in words that help whoever builds the subject.
package struct ConformanceFailure: Error, Hashable, Sendable {
    /// What should have happened.
    package var expected: String
    /// What happened.
    package var seen: String
    /// The rule that asks for it, for example `hub-control.md §1`; `nil` for that of the case's first behaviour.
    package var rule: String?
    /// What it likely means, or where to look; `nil` where seen and expected say it all.
    package var meaning: String?

    /// Makes a failure.
    package init(expected: String, seen: String, rule: String? = nil, meaning: String? = nil) {
        self.expected = expected
        self.seen = seen
        self.rule = rule
        self.meaning = meaning
    }

    /// All of it on one line.
    package var summary: String {
        "expected \(expected)\(rule.map { " (\($0))" } ?? ""), seen: \(seen)\(meaning.map { ". \($0)" } ?? "")"
    }
}

/// Why a case could not be tried.
package struct ConformanceSkip: Error, Hashable, Sendable {
    /// The reason, in plain words.
    package var reason: String
    /// Makes a skip.
    package init(_ reason: String) { self.reason = reason }
}
