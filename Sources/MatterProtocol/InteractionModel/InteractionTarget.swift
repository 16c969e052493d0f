public import MatterWire

/// What an ``InteractionServer`` serves: a node's data and commands.
///
/// The target decides on access, wildcards, existence and values; the server on messages, chunks, timing and
/// subscriptions. Calls are synchronous: whatever must be stored before a peer may know of it is stored by the
/// driver before it performs the server's actions.
public protocol InteractionTarget {
    /// Reads attributes.
    ///
    /// - Parameters:
    ///   - paths: wildcards expand to what the subject may read, and say nothing of the rest; a path without
    ///     wildcards gives exactly one report, a status when there is no value.
    ///   - versionFilters: clusters to leave out, when they still have that version.
    mutating func read(
        _ paths: [AttributePath], fabricFiltered: Bool, versionFilters: [DataVersionFilter],
        context: InteractionContext
    ) -> [AttributeReport]
    /// Writes one attribute.
    ///
    /// - Returns: one result a written endpoint: exactly one for a path without wildcards.
    mutating func write(_ write: AttributeWrite, context: InteractionContext) -> [AttributeWriteResult]
    /// Invokes one command.
    ///
    /// - Returns: one outcome an endpoint, with the concrete path of the request: exactly one for a path without wildcards.
    mutating func invoke(
        _ path: CommandPath, fields: TLVValue, context: InteractionContext
    ) -> [(CommandPath, InvokeOutcome)]
    /// Reads events.
    ///
    /// - Returns: the events of `paths` that `filters` let through, by number; a status for a path without
    ///   wildcards that does not exist.
    mutating func events(
        _ paths: [EventPath], filters: [EventFilter], fabricFiltered: Bool, context: InteractionContext
    ) -> [EventReportIB]
}

extension InteractionTarget {
    /// No events.
    public mutating func events(
        _ paths: [EventPath], filters: [EventFilter], fabricFiltered: Bool, context: InteractionContext
    ) -> [EventReportIB] { [] }
}
