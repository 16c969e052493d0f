package import MatterProtocol
package import MatterWire

/// Why a node could not be asked, or refused.
package enum NodeRequestFailure: Error, Sendable {
    /// No session: nobody answered, or the node is no longer on the fabric.
    case unreachable(RaceFailure)
    /// The interaction failed on a live session.
    case interaction(InteractionFailure)
    /// The node refused this path.
    case refused(StatusIB)
}

extension ControllerNode {
    /// How long an answer may take on top of its delivery.
    static let answerTime: Duration = .seconds(10)

    /// Reads attributes of a node.
    package func read(_ paths: [AttributePath], of node: NodeID) async throws -> [AttributeReport] {
        try await interact(with: node) { session in
            try await self.conduct(ReadTransaction(paths), on: session, allowance: Self.answerTime).attributes
        }
    }

    /// Writes one attribute of a node.
    ///
    /// - Parameter timeout: ms of a timed interaction; `nil` for an untimed one.
    package func write(_ write: AttributeWrite, timeout: UInt16? = nil, to node: NodeID) async throws {
        let results = try await interact(with: node) { session in
            try await self.conduct(
                WriteTransaction([write], timeout: timeout), on: session, allowance: Self.answerTime)
        }
        if let refused = results.first(where: { !$0.status.isSuccess }) {
            throw NodeRequestFailure.refused(refused.status)
        }
    }

    /// Invokes one command on a node.
    ///
    /// - Parameter timeout: ms of a timed interaction; `nil` for an untimed one.
    package func invoke(
        _ path: CommandPath, fields: TLVValue = .structure([]), timeout: UInt16? = nil, on node: NodeID
    ) async throws -> InvokeOutcome {
        let result = try await interact(with: node) { session in
            try await self.conduct(
                InvokeTransaction(path, fields: fields, timeout: timeout), on: session, allowance: Self.answerTime)
        }
        guard let outcome = result.outcome else {
            throw NodeRequestFailure.interaction(InteractionFailure(.mismatchedAnswer))
        }
        if case .status(let status) = outcome, !status.isSuccess { throw NodeRequestFailure.refused(status) }
        return outcome
    }

    /// Runs an interaction on the node's session; once again on a new session when the old one turns out dead.
    ///
    /// Only requests that the node never acknowledged are repeated, so that no command runs twice.
    func interact<Value: Sendable>(
        with node: NodeID, _ body: (SessionHandle) async throws -> Value
    ) async throws -> Value {
        do {
            let value = try await attemptInteraction(with: node, body)
            silentNodes.remove(node)
            nodeAnswered(node)
            return value
        } catch NodeRequestFailure.unreachable(let failure) {
            silentNodes.insert(node)
            throw NodeRequestFailure.unreachable(failure)
        }
    }

    private func attemptInteraction<Value: Sendable>(
        with node: NodeID, _ body: (SessionHandle) async throws -> Value
    ) async throws -> Value {
        let hadSession = link.layer.operationalSession(with: node, on: fabric.fabricIndex) != nil
        do {
            return try await body(try await operationalSession(with: node))
        } catch let failure as InteractionFailure {
            guard hadSession, failure.code == .unreachable || failure.code == .sessionClosed else {
                throw NodeRequestFailure.interaction(failure)
            }
        } catch let failure as RaceFailure {
            throw NodeRequestFailure.unreachable(failure)
        }
        dropSessions(with: node)
        do {
            return try await body(try await operationalSession(with: node))
        } catch let failure as InteractionFailure {
            throw NodeRequestFailure.interaction(failure)
        } catch let failure as RaceFailure {
            throw NodeRequestFailure.unreachable(failure)
        }
    }

    /// Forgets the sessions with a node, so that the next request makes a new one.
    func dropSessions(with node: NodeID) {
        while let session = link.layer.operationalSession(with: node, on: fabric.fabricIndex) {
            process(link.layer.closeSession(session, notifyPeer: true, now: link.now))
        }
    }

    /// Whether the node answered the last time; `nil` when it was not asked yet.
    package func isReachable(_ node: NodeID) -> Bool? {
        if silentNodes.contains(node) { return false }
        guard let session = link.layer.operationalSession(with: node, on: fabric.fabricIndex) else { return nil }
        return link.layer.session(session).map { !$0.isSuspect }
    }
}
