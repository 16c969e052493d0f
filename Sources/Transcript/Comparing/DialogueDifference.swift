package import HubControl

/// One value that is not what it should be.
package struct ValueDifference: Hashable, Sendable {
    /// The way to the member within the payload, for example `result.devices[0].name`.
    package var path: String
    /// `nil` where it is not there.
    package var left: JSONValue?
    /// `nil` where it is not there.
    package var right: JSONValue?

    package init(path: String, left: JSONValue?, right: JSONValue?) {
        self.path = path
        self.left = left
        self.right = right
    }
}

/// How two dialogues differ at one frame.
package struct DialogueDifference: Hashable, Sendable {
    /// The frame in the first dialogue; `nil` when only the other one has it.
    package var left: Dialogue.Placed<DialogueFrame>?
    /// The frame in the second dialogue; `nil` when only the other one has it.
    package var right: Dialogue.Placed<DialogueFrame>?
    /// What differs in a frame that both have.
    package var values: [ValueDifference] = []

    package init(
        left: Dialogue.Placed<DialogueFrame>?, right: Dialogue.Placed<DialogueFrame>?, values: [ValueDifference] = []
    ) {
        self.left = left
        self.right = right
        self.values = values
    }
}
