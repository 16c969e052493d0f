/// One message between an app and the process of its extension (MatterSupport.md tells the whole dialogue).
package enum DialogueMessage: Hashable, Sendable {
    /// The first of either side, with the version of the dialogue that it speaks.
    case hello(version: Int)
    /// From the app: call the handler. One at a time, each with a new number.
    case call(id: Int, ExtensionCall)
    /// From the extension: what the call came to.
    case answer(id: Int, ExtensionResult)
    /// From the app: cancel the request; the running call still answers.
    case cancel

    /// The version that is spoken here.
    package static let version = 1
    /// No message is longer, in bytes; a longer one ends the dialogue before it is read.
    package static let maximumLength = 1 << 20
}

/// What a call of the extension came to: its answer, or what it threw.
package typealias ExtensionResult = Result<ExtensionAnswer, PortableError>
