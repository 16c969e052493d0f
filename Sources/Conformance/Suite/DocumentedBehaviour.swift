/// One thing that a contract says, which cases can exercise.
package struct DocumentedBehaviour: Hashable, Sendable {
    /// A short stable name, for example `limits.depth`.
    package let id: String
    /// Where it is written, for example `hub-control.md §1`.
    package let reference: String
    /// What is written, in one sentence.
    package let text: String

    /// Makes a behaviour.
    package init(_ id: String, _ reference: String, _ text: String) {
        self.id = id
        self.reference = reference
        self.text = text
    }
}
