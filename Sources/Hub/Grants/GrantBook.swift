package import HubControl
package import MatterCrypto
package import MatterWire

/// A grant's parts as its holder has them (Protocols/hub-control.md §2). Never logged.
package struct GrantSecret: Sendable {
    package var id: GrantID
    /// 32 bytes.
    package var secret: [UInt8]
    package init(id: GrantID, secret: [UInt8]) {
        self.id = id
        self.secret = secret
    }
}

/// Makes grants and checks them.
package enum GrantBook {
    /// Bytes of a secret.
    package static let secretLength = 32

    /// Makes a grant: the record to store, which has only the secret's hash, and the secret to hand out once.
    package static func issue(
        app: AppIdentity, structure: StructureID, scopes: GrantScopes, at time: EpochSeconds,
        replacingOlder: Bool = false, secrets: any SecretSource
    ) throws(CryptoError) -> (record: GrantRecord, secret: GrantSecret) {
        let secret = try secrets.bytes(secretLength)
        let id = GrantID(rawValue: try secrets.bytes(8).reduce(0) { $0 << 8 | UInt64($1) })
        let record = GrantRecord(
            id: id, structure: structure, app: app, scopes: scopes, secretHash: try Hash.sha256(secret),
            createdAt: time, replacesOlder: replacingOlder
        )
        return (record, GrantSecret(id: id, secret: secret))
    }

    /// The record that `presented` proves, if it is known, not revoked and the secret is right.
    ///
    /// Hashes and compares in constant time also when the id is unknown, so that timing tells nothing.
    package static func verify(_ presented: GrantSecret, in state: HubState) throws(CryptoError) -> GrantRecord? {
        let hash = try Hash.sha256(presented.secret)
        let record = state.grants[presented.id]
        let expected = record?.secretHash ?? [UInt8](repeating: 0, count: 32)
        guard ConstantTime.equal(hash, expected), let record, !record.isRevoked else { return nil }
        return record
    }
}
