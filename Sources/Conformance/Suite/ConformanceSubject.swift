/// What is examined: it gives each case a context of its own and tidies up behind it, so that no case spoils the next.
package protocol ConformanceSubject<Context>: Sendable {
    associatedtype Context: Sendable

    /// What is examined, for people and reports; no secret.
    var description: String { get }
    /// Texts that must not stand in a report (grants, passcodes).
    var secrets: [String] { get }

    /// Why something that a case needs is not there; `nil` when it is.
    func absence(of need: ConformanceNeed) -> String?

    /// A fresh context for one case. Waits for nothing: what takes time belongs in the case, which has a time limit.
    func begin() async throws -> Context

    /// Tidies up behind a case, however it ended, within a limit of its own; called once for each context.
    ///
    /// - Returns: what could not be tidied up, in words.
    func end(_ context: Context) async -> [String]

    /// Ends what lasted for the whole run; called once, after the last case.
    ///
    /// - Returns: what could not be tidied up, in words.
    func finish() async -> [String]
}

extension ConformanceSubject {
    package func finish() async -> [String] { [] }
}
