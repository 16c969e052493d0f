import Foundation
import HubControl
import MatterCrypto
import MatterNode
import MatterWire
import NetIO
import TestSupport
import Testing
import VirtualHome

@testable import Hub

@Suite("Grant secrets and codes: made, kept, compared, never told (Protocols/security.md)", .timeLimit(.minutes(1)))
struct SecretTests {
    /// Every file under a folder, by its path there.
    private func files(_ folder: String) throws -> [String: Data] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder)
        var files: [String: Data] = [:]
        for name in names { files[name] = FileManager.default.contents(atPath: "\(folder)/\(name)") }
        return files
    }

    private func forms(_ secret: [UInt8]) -> [Data] {
        [
            Data(secret), Data(Base64URL.encode(secret).utf8), Data(Data(secret).base64EncodedString().utf8),
            Data(secret.hex.utf8), Data(secret.hex.uppercased().utf8),
        ]
    }

    @Test func `a secret has 256 bits out of the secret source, and no two are alike`() throws {
        let source = SystemSecretSource()
        let app = AppIdentity(appID: "a", appGroup: "g")
        let issued = try (0..<64).map { _ in
            try GrantBook.issue(
                app: app, structure: TestHub.structure, scopes: .admin, at: EpochSeconds(rawValue: 1), secrets: source)
        }
        #expect(issued.allSatisfy { $0.secret.secret.count == 32 })
        #expect(Set(issued.map(\.secret.secret)).count == 64)
        #expect(Set(issued.map(\.record.id)).count == 64)
        for (record, secret) in issued { #expect(record.secretHash == (try Hash.sha256(secret.secret))) }
        // Every bit is drawn: over 64 secrets each is set at least once, and clear at least once.
        for bit in 0..<256 {
            let values = Set(issued.map { $0.secret.secret[bit / 8] >> UInt8(bit % 8) & 1 })
            #expect(values == [0, 1], "bit \(bit)")
        }
    }

    @Test func `the database and its journal hold the hash and no form of the secret`() async throws {
        let folder = TemporaryFolder()
        let token = try await withHub(store: try SQLiteStore(directory: folder.path)) { hub in
            let token = try await hub.service.createGrant(
                app: TestHub.phone, structure: TestHub.structure, scopes: .commissioning)
            // While the hub runs the journal is there too.
            let open = try files(folder.path)
            #expect(open.keys.contains("hub.sqlite-wal"))
            for (name, content) in open {
                for form in forms(token.secret) { #expect(content.range(of: form) == nil, "\(name)") }
            }
            let hash = Data(try Hash.sha256(token.secret))
            #expect(open.values.contains { $0.range(of: hash) != nil }, "the hash is nowhere: the search finds nothing")
            await hub.ledger.close()
            return token
        }
        for (name, content) in try files(folder.path) {
            for form in forms(token.secret) { #expect(content.range(of: form) == nil, "\(name)") }
        }
    }

    @Test func `a secret is compared as a whole: any one bit that is wrong is refused alike`() async throws {
        try await withHub { hub in
            let token = try await hub.service.createGrant(
                app: TestHub.phone, structure: TestHub.structure, scopes: .commissioning)
            let state = await hub.ledger.state
            #expect(try GrantBook.verify(GrantSecret(id: token.id, secret: token.secret), in: state) != nil)
            for bit in 0..<256 {
                var wrong = token.secret
                wrong[bit / 8] ^= 1 << UInt8(bit % 8)
                #expect(try GrantBook.verify(GrantSecret(id: token.id, secret: wrong), in: state) == nil)
            }
            for wrong in [[], Array(token.secret.dropLast()), token.secret + [0]] {
                #expect(try GrantBook.verify(GrantSecret(id: token.id, secret: wrong), in: state) == nil)
            }
            // The hash is no secret of its own: who has read the database cannot come in with it.
            let stolen = try #require(state.grants[token.id]?.secretHash)
            #expect(try GrantBook.verify(GrantSecret(id: token.id, secret: stolen), in: state) == nil)
        }
    }

    @Test func `a refused grant is told apart by nothing, and not repeated`() async throws {
        try await withServer { server in
            let good = try await server.hub.service.createGrant(
                app: TestHub.phone, structure: TestHub.structure, scopes: .commissioning)
            var messages: Set<String> = []
            for (id, flip) in [(good.id, UInt8(1)), (GrantID(rawValue: 5), 0), (GrantID(rawValue: 5), 1)] {
                var secret = good.secret
                secret[31] ^= flip
                let token = GrantToken(authorityHash: good.authorityHash, id: id, secret: secret)
                let client = TestClient(try await server.tls())
                try await client.hello(token.text)
                let goaway = try #require(await client.end())
                #expect(goaway.code == .unauthenticated)
                #expect(!goaway.message.contains(Base64URL.encode(secret)))
                messages.insert(goaway.message)
            }
            #expect(messages.count == 1, "an unknown id and a wrong secret sound different")
            for line in server.log { #expect(!line.contains(Base64URL.encode(good.secret))) }
        }
    }

    @Test func `nothing of a commissioning but keys is kept: no passcode, no code`() async throws {
        let folder = TemporaryFolder()
        let home = try Home()
        let payload = home.identity.payload
        try await home.withLight { _ in
            try await LightHub.run(home, in: folder) { hub in
                var wrong = payload
                wrong.passcode = try #require(Passcode(rawValue: 87_654_320))
                try await hub.prepare()
                let heard = await hub.everythingHeard("wrong", payload: wrong)
                #expect(heard.contains("wrongPasscode"), "\(heard)")
                for code in [String(wrong.passcode.rawValue), try #require(wrong.qrCode)] {
                    #expect(!heard.contains(code))
                }
                _ = try await hub.commission("key")
                _ = try await hub.service.complete(by: hub.caller, clientKey: "key")
            }
        }
        let codes = [
            try #require(payload.qrCode), String(try #require(payload.qrCode).dropFirst(3)),
            try #require(payload.manualCode), String(payload.passcode.rawValue),
        ]
        for (name, content) in try files(folder.path) {
            for code in codes { #expect(content.range(of: Data(code.utf8)) == nil, "\(code) in \(name)") }
        }
    }
}

extension LightHub {
    /// Everything that a client hears of a commissioning that fails.
    fileprivate func everythingHeard(_ key: String, payload: OnboardingPayload) async -> String {
        do {
            let error = try await commissionError(key, payload: payload)
            return error.json.encoded().map { String(UnicodeScalar($0)) }.joined() + "\(error)"
        } catch {
            return "\(error)"
        }
    }
}
