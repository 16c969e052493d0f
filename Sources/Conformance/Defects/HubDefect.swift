/// A way for a hub to be broken, which the conformance suite must see.
package struct HubDefect: Sendable {
    /// A short name, for example `answers-twice`.
    package let name: String
    /// What such a hub does.
    package let meaning: String
    /// Which cases must fail, and no other of the groups that are run.
    package let failing: Set<String>
    /// Patterns of the cases that are worth a run: those that could notice.
    package let cases: [String]
    let mutation: HubMutation

    init(
        _ name: String, _ meaning: String, failing: Set<String>, of cases: [String],
        _ change: (inout HubMutation) -> Void
    ) {
        self.name = name
        self.meaning = meaning
        self.failing = failing
        self.cases = cases
        var mutation = HubMutation()
        change(&mutation)
        self.mutation = mutation
    }

    /// Every defect.
    package static let all: [HubDefect] =
        HubDefects.connection + HubDefects.frames + HubDefects.requests + HubDefects.trust + HubDefects.session
        + HubDefects.rest

    /// - Returns: `nil` when there is none of this name.
    package static func named(_ name: String) -> HubDefect? { all.first { $0.name == name } }
}
