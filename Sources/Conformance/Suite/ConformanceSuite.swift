/// Cases in the order in which they run, and the behaviours that a contract documents.
package struct ConformanceSuite<Context: Sendable>: Sendable {
    /// What it examines: `hub`, `device`.
    package let name: String
    /// Everything that the contract says and that could be exercised; also what no case exercises.
    package let behaviours: [DocumentedBehaviour]
    package let cases: [ConformanceCase<Context>]

    /// Makes a suite.
    ///
    /// - Precondition: names of cases and ids of behaviours are distinct, and cases cite behaviours that there are.
    package init(name: String, behaviours: [DocumentedBehaviour], cases: [ConformanceCase<Context>]) {
        let ids = Set(behaviours.map(\.id))
        precondition(ids.count == behaviours.count, "two behaviours have the same id")
        precondition(Set(cases.map(\.name)).count == cases.count, "two cases have the same name")
        for each in cases {
            precondition(!each.behaviours.isEmpty, "\(each.name) exercises nothing")
            for id in each.behaviours {
                precondition(ids.contains(id), "\(each.name) exercises \(id), which is nothing")
            }
        }
        self.name = name
        self.behaviours = behaviours
        self.cases = cases
    }

    /// The groups of the cases, in their order.
    package var groups: [String] {
        cases.reduce(into: []) { groups, each in if !groups.contains(each.group) { groups.append(each.group) } }
    }

    /// The cases that one of the patterns means; all of them without patterns.
    ///
    /// A pattern is a whole name, a beginning of one up to a dot (`session.cancel`), or has `*` for any characters.
    ///
    /// - Parameter exceptions: patterns of cases that are left out.
    package func selected(_ patterns: [String], except exceptions: [String] = []) -> [ConformanceCase<Context>] {
        cases.filter { each in
            (patterns.isEmpty || patterns.contains { Self.matches(each.name, $0) })
                && !exceptions.contains { Self.matches(each.name, $0) }
        }
    }

    /// The first pattern that means no case; `nil` when all do.
    package func uselessPattern(_ patterns: [String]) -> String? { patterns.first { selected([$0]).isEmpty } }

    static func matches(_ name: String, _ pattern: String) -> Bool {
        guard pattern.contains("*") else { return name == pattern || name.hasPrefix(pattern + ".") }
        var parts = pattern.split(separator: "*", omittingEmptySubsequences: false)[...]
        var rest = name[...]
        guard let first = parts.popFirst(), rest.hasPrefix(first) else { return false }
        rest = rest.dropFirst(first.count)
        guard let last = parts.popLast() else { return rest.isEmpty }
        for part in parts where !part.isEmpty {
            guard let range = rest.firstRange(of: part) else { return false }
            rest = rest[range.upperBound...]
        }
        return rest.hasSuffix(last)
    }
}
