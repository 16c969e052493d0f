/// One named check of a subject: a hub, a device.
///
/// The body returns when everything was as documented, throws ``ConformanceFailure`` when something was not, and
/// ``ConformanceSkip`` when it turns out that the case cannot be tried here. Any other error fails the case too. It must
/// end when its task is cancelled.
package struct ConformanceCase<Context: Sendable>: Sendable {
    /// Stable, in lower case, its group first: `session.cancel.in-pase`.
    package let name: String
    /// What is shown, as a sentence.
    package let title: String
    /// Ids of the ``DocumentedBehaviour``s that it exercises; the first one is cited where a failure cites none.
    package let behaviours: [String]
    /// What must be there for it to be tried.
    package let needs: [ConformanceNeed]
    /// How long it may take; `nil` for the run's limit.
    package let timeLimit: Duration?
    let body: @Sendable (Context) async throws -> Void

    /// Makes a case.
    package init(
        _ name: String, _ title: String, _ behaviours: [String], needs: [ConformanceNeed] = [],
        timeLimit: Duration? = nil, _ body: @escaping @Sendable (Context) async throws -> Void
    ) {
        self.name = name
        self.title = title
        self.behaviours = behaviours
        self.needs = needs
        self.timeLimit = timeLimit
        self.body = body
    }

    /// What stands before the first dot of the name.
    package var group: String { String(name.prefix { $0 != "." }) }
}

/// Something that a case needs and that not every run has: a device, mDNS, an admin grant.
package struct ConformanceNeed: Hashable, Sendable {
    /// A short name, for example `device`.
    package let name: String
    /// Makes a need.
    package init(_ name: String) { self.name = name }
}
