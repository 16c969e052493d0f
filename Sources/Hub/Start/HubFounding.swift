import Foundation
import HubControl
import MatterCrypto
import MatterNode
import MatterWire
import NetIO

/// What a first start makes, and later ones find.
struct HubFounding {
    let random: RandomSource
    let secrets: any SecretSource
    let now: EpochSeconds

    /// The hub's leaf certificate is good for 90 days; each start issues a new one.
    var leafValidity: CertificateValidity {
        CertificateValidity(notBefore: now.unixSeconds - 3_600, notAfter: now.unixSeconds + 90 * 86_400)
    }

    /// The structure served, with its control CA and its fabric.
    func structure(in ledger: HubLedger, options: HubOptions) async throws -> StructureRecord {
        let state = await ledger.state
        if let found = state.structures.values.min(by: { $0.id.rawValue < $1.id.rawValue }) {
            if let name = options.hubName, name != state.hubName, let hub = state.hub {
                try await ledger.commit([.setHub(hub, name: name)])
            }
            return found
        }
        let authority = try ControlCA.create(
            commonName: "MatterHub control CA",
            validity: CertificateValidity(
                notBefore: now.unixSeconds - 3_600, notAfter: now.unixSeconds + 20 * 365 * 86_400))
        let structure = StructureRecord(
            id: StructureID(rawValue: random.next()), name: options.structureName,
            controlCAKey: authority.privateKey, controlCACertificate: authority.certificate)
        let fabric = try FabricFounder.found(for: structure, at: now, random: random, secrets: secrets)
        let hub = HubID(rawValue: random.next())
        try await ledger.commit([
            .setHub(hub, name: options.hubName ?? "MatterHub \(hub.text.suffix(4).uppercased())"),
            .putStructure(structure),
            .putFabric(fabric),
        ])
        return structure
    }

    /// Writes `admin.grant` (0600) when it is not there, or no longer stands.
    ///
    /// - Returns: its path.
    func writeAdminGrant(_ service: HubService, structure: StructureRecord, options: HubOptions) async throws -> String
    {
        let path = options.stateDirectory + "/admin.grant"
        // A file that holds no grant is written anew.
        if let data = FileManager.default.contents(atPath: path),
            let token = try? GrantToken(parsing: String(decoding: data, as: UTF8.self)),
            await service.isValid(token.id)
        {
            try PrivateFiles.ensure(path)
            return path
        }
        let token = try await service.createGrant(
            app: AppIdentity(appID: "matterhub", appGroup: "matterhub"), structure: structure.id,
            scopes: [.admin, .structureRead, .deviceControl, .commissioning, .automation])
        try PrivateFiles.replace(path, with: Array("\(token.text)\n".utf8))
        return path
    }
}

/// Which attestation authorities a hub trusts.
enum TrustFolder {
    /// Where further authorities are.
    static func path(_ options: HubOptions) -> String { options.stateDirectory + "/paa" }

    /// Our own test authority, `paa/*.der` of the state folder, and public test material when asked for.
    static func load(_ options: HubOptions) throws -> AttestationTrustStore {
        do {
            return try AttestationTrustFolder.load(path(options), trustsTestDevices: options.trustsTestDevices)
        } catch let failure as AttestationTrustFolder.Failure {
            throw StoreError(
                code: failure.isDamaged ? .corrupt : .cannotOpen, path: failure.path, reason: failure.reason)
        }
    }
}
