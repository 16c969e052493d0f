package import HubControl

/// What happens to a request for a grant (`serve --approve`).
package enum ApprovalPolicy: String, Hashable, Sendable {
    /// Someone with an admin grant decides.
    case ask
    /// Granted at once.
    case auto
    /// Refused at once.
    case deny
}

/// A request for a grant that waits.
package struct PendingGrant: Hashable, Sendable {
    package var id: GrantID
    package var app: AppIdentity
    package var appName: String?
    package var structure: StructureID
    package var scopes: GrantScopes
}

/// Requests for grants that wait for someone's decision. At most ``limit``.
struct GrantApprovals {
    /// How many may wait at once; a flood of requests costs no more memory.
    static let limit = 32
    var policy = ApprovalPolicy.ask
    private var waiting: [GrantID: (request: PendingGrant, decision: AsyncStream<Bool>.Continuation)] = [:]

    /// In no order.
    var pending: [PendingGrant] { waiting.values.map(\.request) }

    /// - Returns: a stream of exactly one decision; `nil` when too many wait.
    mutating func wait(_ request: PendingGrant) -> AsyncStream<Bool>? {
        guard waiting.count < Self.limit else { return nil }
        let (stream, continuation) = AsyncStream<Bool>.makeStream(bufferingPolicy: .bufferingOldest(1))
        waiting[request.id] = (request, continuation)
        return stream
    }

    /// - Returns: whether such a request waited.
    mutating func decide(_ id: GrantID, approved: Bool) -> Bool {
        guard let entry = waiting.removeValue(forKey: id) else { return false }
        entry.decision.yield(approved)
        entry.decision.finish()
        return true
    }

    mutating func drop(_ id: GrantID) { waiting.removeValue(forKey: id)?.decision.finish() }
}
