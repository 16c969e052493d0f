package import HubControl
import MatterCrypto
import MatterWire
import NetIO

extension HubService {
    /// Sets what happens to requests for a grant.
    package func setApprovalPolicy(_ policy: ApprovalPolicy) { approvals.policy = policy }

    /// The caller that a token proves.
    ///
    /// - Throws: `unauthenticated` for a wrong or revoked one.
    package func authenticate(_ token: GrantToken) async throws(ControlError) -> Caller {
        let state = await ledger.state
        let record: GrantRecord?
        do throws(CryptoError) {
            record = try GrantBook.verify(GrantSecret(id: token.id, secret: token.secret), in: state)
        } catch {
            throw ControlError(.internal, "the grant could not be checked")
        }
        guard let record else {
            throw ControlError(
                .unauthenticated, "this grant is unknown, wrong or revoked", details: ["reason": "badGrant"])
        }
        if record.replacesOlder { try await replaceOlder(than: record) }
        return Caller(record)
    }

    /// A grant that an app asked for anew is used: its older ones have done their work.
    private func replaceOlder(than record: GrantRecord) async throws(ControlError) {
        let older = try await change { state in
            var record = record
            record.replacesOlder = false
            let older = state.grants.values.filter { other in
                other.structure == record.structure && other.app == record.app && other.id != record.id
                    && !other.isRevoked
                    && (other.createdAt.rawValue < record.createdAt.rawValue
                        || other.createdAt == record.createdAt && !other.replacesOlder)
            }
            let revoked = older.map { grant in
                var grant = grant
                grant.isRevoked = true
                return grant
            }
            return ([.putGrant(record)] + revoked.map { .putGrant($0) }, revoked)
        }
        for grant in older.sorted(by: { $0.id.rawValue < $1.id.rawValue }) { cutOff(grant) }
        if !older.isEmpty { await endIfPermissionIsGone(record.app, in: record.structure) }
    }

    /// Ends what is connected with a grant that was revoked.
    private func cutOff(_ grant: GrantRecord) {
        emit("grant.revoked", ["id": grant.id.json], in: grant.structure)
        for connection in connections.values where connection.caller.grant == grant.id {
            connection.revocation.finish()
        }
    }

    /// Whether a grant still stands.
    package func isValid(_ grant: GrantID) async -> Bool {
        await ledger.state.grants[grant].map { !$0.isRevoked } ?? false
    }

    /// Makes a grant and gives its text, once.
    ///
    /// - Parameter replacingOlder: the app's other grants are revoked when this one is used first.
    package func createGrant(
        app: AppIdentity, structure: StructureID, scopes: GrantScopes, replacingOlder: Bool = false
    ) async throws(ControlError) -> GrantToken {
        let state = await ledger.state
        guard let home = state.structures[structure] else { throw .noStructure(structure) }
        do {
            let (record, secret) = try GrantBook.issue(
                app: app, structure: structure, scopes: scopes, at: environment.wallClock(),
                replacingOlder: replacingOlder, secrets: environment.secrets)
            let hash = try ControlCA(certificate: home.controlCACertificate, privateKey: home.controlCAKey).pin
            try await ledger.commit([.putGrant(record)])
            return GrantToken(authorityHash: hash, id: record.id, secret: secret.secret)
        } catch {
            throw .storage(error)
        }
    }

    /// Asks for a grant and waits for the decision. An app that has one already gets the new one in its place.
    package func requestGrant(
        app: AppIdentity, appName: String?, structure: StructureID, scopes: GrantScopes
    ) async throws(ControlError) -> GrantToken {
        guard runtimes[structure] != nil else { throw .noStructure(structure) }
        switch approvals.policy {
        case .auto: break
        case .deny: throw .grantRefused
        case .ask:
            let request = PendingGrant(
                id: GrantID(rawValue: environment.random.next()), app: app, appName: appName, structure: structure,
                scopes: scopes)
            guard let decision = approvals.wait(request) else {
                throw ControlError(
                    .resourceExhausted, "\(GrantApprovals.limit) requests for grants wait already",
                    suggestedUserActions: [.tryAgainLater])
            }
            defer { approvals.drop(request.id) }
            var isApproved: Bool?
            for await answer in decision { isApproved = answer }
            guard let isApproved else { throw ControlError(.cancelled, "the request for a grant was withdrawn") }
            guard isApproved else { throw .grantRefused }
        }
        return try await createGrant(app: app, structure: structure, scopes: scopes, replacingOlder: true)
    }

    /// The requests that wait, oldest app first.
    package var pendingGrants: [PendingGrant] {
        approvals.pending.sorted { ($0.app.appID, $0.id.rawValue) < ($1.app.appID, $1.id.rawValue) }
    }

    /// Decides a request for a grant of `structure` that waits.
    package func decideGrant(
        _ id: GrantID, approved: Bool, in structure: StructureID
    ) throws(ControlError) {
        guard approvals.pending.contains(where: { $0.id == id && $0.structure == structure }),
            approvals.decide(id, approved: approved)
        else {
            throw ControlError(.notFound, "no request for a grant waits under \(id)", details: ["reason": "noGrant"])
        }
    }

    /// Revokes a grant of `structure`: at once, also for what runs with it. Idempotent.
    package func revokeGrant(_ id: GrantID, in structure: StructureID) async throws(ControlError) {
        let record: GrantRecord? = try await change { state in
            guard var record = state.grants[id], record.structure == structure else {
                throw ControlError(.notFound, "there is no grant \(id)", details: ["reason": "noGrant"])
            }
            if record.isRevoked { return ([], nil) }
            record.isRevoked = true
            return ([.putGrant(record)], record)
        }
        guard let record else { return }
        cutOff(record)
        await endIfPermissionIsGone(record.app, in: structure)
    }
}

extension ControlError {
    static let grantRevoked = ControlError(
        .permissionDenied, "the grant was revoked", details: ["reason": "grantRevoked"])
    static let grantRefused = ControlError(
        .permissionDenied, "the request for a grant was refused", details: ["reason": "grantRefused"])
}
