import FakeHub
import Foundation
import HubControl
import NetIO
import Testing

@testable import HubClient

/// A state folder of its own that is removed with this value.
final class TemporaryFolder: Sendable {
    let folder: StateFolder
    init() {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("matterhub-\(UUID().uuidString)")
        folder = StateFolder(path: path.path)
    }
    deinit {
        // What a test left behind is of no interest; often there is nothing.
        try? FileManager.default.removeItem(atPath: folder.path)
    }
}

@Suite("What clients keep in the state folder") struct StateFolderTests {
    @Test func `the folder's place`() {
        #expect(StateFolder(environment: ["MATTERHUB_STATE_DIR": "/a", "XDG_STATE_HOME": "/b"]).path == "/a")
        #expect(StateFolder(environment: ["XDG_STATE_HOME": "/b", "HOME": "/c"]).path == "/b/matterhub")
        #expect(StateFolder(environment: ["XDG_STATE_HOME": "", "HOME": "/c"]).path == "/c/.local/state/matterhub")
        #expect(StateFolder(path: "/x").adminGrantPath == "/x/admin.grant")
    }

    @Test(arguments: [
        "", ".", "a/b", "/a", "a/../b", "x..y", "a\0b", "../x", "..", "a\nb", "a\u{1B}[2J", "\u{9B}x",
        String(repeating: "n", count: 201),
    ])
    func `a group name that is no folder name is refused`(name: String) {
        let error = #expect(throws: ControlError.self) { try StateFolder(path: "/x").group(name) }
        #expect(error?.code == .invalidArgument)
    }

    @Test func `a group's grant and state last, for the owner only`() throws {
        let temporary = TemporaryFolder()
        let group = try temporary.folder.group("group.com.example.app")
        #expect(try group.grant() == nil)
        #expect(try group.state() == GroupState())
        let grant = GrantToken(
            authorityHash: [UInt8](repeating: 1, count: 32), id: GrantID(rawValue: 2),
            secret: [UInt8](repeating: 3, count: 32))
        try group.setGrant(grant)
        try group.update { state throws(ControlError) in
            state.hubs = [HubAddress(host: "fe80::1%lo", port: 1), .local]
            state.structure = StructureID(rawValue: 4)
            state.session = CommissioningSessionID(rawValue: 5)
            state.failure = ControlError(.notFound, "none", stage: "discover", suggestedUserActions: [.tryAgainLater])
        }
        let again = try temporary.folder.group("group.com.example.app")
        #expect(try again.grant() == grant)
        let state = try again.state()
        #expect(state.hubs == [HubAddress(host: "fe80::1%lo", port: 1), .local])
        #expect(state.session == CommissioningSessionID(rawValue: 5))
        #expect(state.failure?.stage == "discover")
        let manager = FileManager.default
        #expect(try manager.contentsOfDirectory(atPath: group.path).sorted() == ["grant", "lock", "state.json"])
        for (name, mode) in [("grant", 0o600), ("state.json", 0o600), ("lock", 0o600), ("", 0o700)] {
            let attributes = try manager.attributesOfItem(atPath: "\(group.path)/\(name)")
            #expect(attributes[.posixPermissions] as? Int == mode, "\(name)")
        }
        try group.setGrant(nil)
        #expect(try again.grant() == nil)
    }

    @Test func `nobody's change is lost`() async throws {
        let temporary = TemporaryFolder()
        let group = try temporary.folder.group("g")
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask {
                    do {
                        try temporary.folder.group("g").update { state throws(ControlError) in
                            state.hubs.append(HubAddress(host: "h\(number)"))
                        }
                    } catch {
                        Issue.record("\(error)")
                    }
                }
            }
        }
        #expect(try Set(group.state().hubs).count == 40)
    }

    @Test func `damaged files are named`() throws {
        let temporary = TemporaryFolder()
        let group = try temporary.folder.group("g")
        try group.setGrant(nil)
        try Data("{".utf8).write(to: URL(fileURLWithPath: "\(group.path)/state.json"))
        try Data("mh1.nonsense".utf8).write(to: URL(fileURLWithPath: "\(group.path)/grant"))
        let state = #expect(throws: ControlError.self) { try group.state() }
        #expect(state?.message.contains("state.json is damaged") == true)
        let grant = #expect(throws: ControlError.self) { try group.grant() }
        #expect(grant?.message.contains("holds no grant") == true)
        #expect(try temporary.folder.adminGrant() == nil)
    }

    @Test func `a file where the folder should be`() throws {
        let temporary = TemporaryFolder()
        try Data().write(to: URL(fileURLWithPath: temporary.folder.path))
        let error = #expect(throws: ControlError.self) { try temporary.folder.group("g").setGrant(nil) }
        #expect(error?.reason == ClientReason.state)
    }
}

@Suite("An app's link to its hub", .timeLimit(.minutes(1))) struct AppLinkTests {
    private let temporary = TemporaryFolder()
    private let app = AppIdentity(appID: "com.example", appGroup: "g")

    private func link(_ hub: FakeHub?) throws -> AppLink {
        try AppLink(group: "g", settings: ClientSettings(hub: hub?.hubAddress, folder: temporary.folder))
    }

    @Test func `a grant is asked for, kept and used`() async throws {
        let hub = try FakeHub()
        let grant = hub.grant
        hub.on(.grantsRequest) { _ in
            .result([
                "grant": .string(grant.text), "grantId": grant.id.json, "structure": FakeHub.structure.json,
                "scopes": ["commissioning"],
            ])
        }
        let link = try link(hub)
        #expect(await controlError { try await link.connection() }?.reason == ClientReason.noGrant)
        #expect(await controlError { try link.blocking() }?.reason == ClientReason.noGrant)
        try await link.requestGrant(for: app, appName: "Example", scopes: [.commissioning, .structureRead])
        let asked = hub.requests.first { $0.method == .grantsRequest }?.params
        #expect(
            asked == [
                "appId": "com.example", "appGroup": "g", "appName": "Example",
                "scopes": ["structure.read", "commissioning"],
            ])
        #expect(hub.hellos.map(\.grant) == [nil])
        #expect(try await link.connection().welcome.grant?.id == grant.id)
        #expect(try link.group.state().structure == FakeHub.structure)
        // Another process of the group, which has only the folder.
        let extensionLink = try AppLink(group: "g", settings: ClientSettings(folder: temporary.folder))
        #expect(try extensionLink.blocking().call(.rooms()).count == 2)
        #expect(try await extensionLink.connection().call(.rooms()).count == 2)
        await extensionLink.close()
        await link.close()
    }

    @Test func `a grant for another authority than the hub's is refused`() async throws {
        let (hub, other) = (try FakeHub(), try FakeHub())
        let grant = other.grant
        hub.on(.grantsRequest) { _ in .result(["grant": .string(grant.text), "grantId": grant.id.json]) }
        let link = try link(hub)
        let error = await controlError { try await link.requestGrant(for: app, appName: nil, scopes: .commissioning) }
        #expect(error?.reason == ClientReason.wrongHub)
        #expect(try link.group.grant() == nil)
    }

    @Test func `callers share one connection, and get a new one after its end`() async throws {
        let hub = try FakeHub()
        let link = try link(hub)
        try link.group.setGrant(hub.grant)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<6 { group.addTask { _ = try await link.connection() } }
            try await group.waitForAll()
        }
        #expect(hub.connectionCount == 1)
        hub.on(.hubInfo) { _ in .drop }
        let lost = await controlError { try await link.connection().call(.hubInfo) }
        #expect(lost?.code == .unavailable)
        #expect(try await link.connection().call(.rooms()).count == 2)
        #expect(hub.connectionCount == 2)
        await link.close()
    }

    @Test func `a call is repeated once when the connection was dead already`() async throws {
        let hub = try FakeHub()
        let link = try link(hub)
        try link.group.setGrant(hub.grant)
        _ = try await link.connection()
        let drops = Locked(1)
        hub.on(.roomsList) { _ in
            let isFirst = drops.withLock { left in
                defer { left -= 1 }
                return left > 0
            }
            return isFirst ? .drop : .result(["rooms": []])
        }
        #expect(try await link.call(.rooms()).isEmpty)
        drops.withLock { $0 = 2 }
        #expect(await controlError { try await link.call(.rooms()) }?.code == .unavailable)
        await link.close()
    }

    @Test func `without any known hub a synchronous call says so`() async throws {
        let hub = try FakeHub()
        let link = try link(nil)
        try link.group.setGrant(hub.grant)
        #expect(await controlError { try link.blocking() }?.reason == ClientReason.hubUnreachable)
    }
}
