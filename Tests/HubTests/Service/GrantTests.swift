import HubControl
import MatterWire
import NetIO
import TestSupport
import Testing

@testable import Hub

@Suite("HubService: grants (Protocols/hub-control.md §2)", .timeLimit(.minutes(1))) struct GrantTests {
    func request(_ hub: TestHub, _ app: AppIdentity = TestHub.other) async throws -> GrantToken {
        try await hub.service.requestGrant(
            app: app, appName: "Example", structure: TestHub.structure, scopes: [.commissioning])
    }

    @Test func `a grant waits for a decision, and only the right one lets in`() async throws {
        try await withHub { hub in
            let asking = Task { try await request(hub) }
            await eventually("it waits") { await hub.service.pendingGrants.count == 1 }
            let pending = try #require(await hub.service.pendingGrants.first)
            #expect(pending.app == TestHub.other)
            #expect(pending.appName == "Example")
            try await hub.service.decideGrant(pending.id, approved: true, in: TestHub.structure)
            let token = try await asking.value
            #expect(token.authorityHash == TestHub.authority.pin)
            let caller = try await hub.service.authenticate(token)
            #expect(caller.app == TestHub.other)
            #expect(caller.scopes == [.commissioning])
            #expect(await hub.service.pendingGrants.isEmpty)
            #expect(
                await hub.refusal {
                    try await hub.service.decideGrant(pending.id, approved: true, in: TestHub.structure)
                } == "noGrant")
        }
    }

    @Test func `a refusal says so and leaves no grant`() async throws {
        try await withHub { hub in
            let asking = Task { try await request(hub) }
            await eventually("it waits") { await hub.service.pendingGrants.count == 1 }
            let pending = try #require(await hub.service.pendingGrants.first)
            try await hub.service.decideGrant(pending.id, approved: false, in: TestHub.structure)
            let error = await #expect(throws: ControlError.self) { try await asking.value }
            #expect(error?.code == .permissionDenied)
            #expect(error?.reason == "grantRefused")
            #expect(await hub.ledger.state.grants.isEmpty)
        }
    }

    @Test func `auto grants at once and deny refuses at once`() async throws {
        try await withHub { hub in
            await hub.service.setApprovalPolicy(.auto)
            _ = try await hub.service.authenticate(try await request(hub))
            await hub.service.setApprovalPolicy(.deny)
            #expect(await hub.refusal { _ = try await request(hub) } == "grantRefused")
        }
    }

    @Test func `a stopped request waits no longer`() async throws {
        try await withHub { hub in
            let asking = Task { try await request(hub) }
            await eventually("it waits") { await hub.service.pendingGrants.count == 1 }
            asking.cancel()
            let error = await #expect(throws: ControlError.self) { try await asking.value }
            #expect(error?.code == .cancelled)
            #expect(await hub.service.pendingGrants.isEmpty)
        }
    }

    @Test func `at most 32 requests wait`() async throws {
        try await withHub { hub in
            let waiting = (0..<32).map { number in
                Task { try await request(hub, AppIdentity(appID: "app\(number)", appGroup: "g")) }
            }
            await eventually("all wait") { await hub.service.pendingGrants.count == 32 }
            let error = await #expect(throws: ControlError.self) { try await request(hub) }
            #expect(error?.code == .resourceExhausted)
            #expect(error?.message.contains("32") == true)
            for task in waiting { task.cancel() }
            for task in waiting { _ = await task.result }
            #expect(await hub.service.pendingGrants.isEmpty)
        }
    }

    @Test func `a revoked grant opens nothing any more, and revoking twice is one event`() async throws {
        try await withHub { hub in
            let token = try await hub.service.createGrant(
                app: TestHub.phone, structure: TestHub.structure, scopes: [.commissioning])
            let caller = try await hub.service.authenticate(token)
            try await hub.service.revokeGrant(caller.grant, in: TestHub.structure)
            try await hub.service.revokeGrant(caller.grant, in: TestHub.structure)
            #expect(await hub.events(named: "grant.revoked").count == 1)
            #expect(await !hub.service.isValid(caller.grant))
            let error = await #expect(throws: ControlError.self) { try await hub.service.authenticate(token) }
            #expect(error?.code == .unauthenticated)
        }
    }

    @Test func `an app that asks again gets a new grant in place of the old, once it uses it`() async throws {
        try await withHub { hub in
            await hub.service.setApprovalPolicy(.auto)
            let first = try await hub.service.authenticate(try await request(hub))
            let other = try await hub.app()
            let connection = await hub.service.connected(first)
            let token = try await hub.service.requestGrant(
                app: TestHub.other, appName: nil, structure: TestHub.structure,
                scopes: [.commissioning, .deviceControl])
            // A lost answer loses nothing: the old one stands until the new one is used.
            #expect(await hub.service.isValid(first.grant))
            _ = try await hub.prepare(first)
            let second = try await hub.service.authenticate(token)
            #expect(second.scopes == [.commissioning, .deviceControl])
            #expect(await !hub.service.isValid(first.grant))
            #expect(await hub.service.isValid(other.grant))
            #expect(await hub.events(named: "grant.revoked").map { $0["id"] } == [first.grant.json])
            // The old connection has to go; the session is the app's, and goes on.
            for await _ in connection.revocation {}
            #expect(await hub.sessionIsActive)
            _ = try await hub.service.authenticate(token)
            #expect(await hub.events(named: "grant.revoked").count == 1)
        }
    }

    @Test func `a new grant without the scope of a running session ends it`() async throws {
        try await withHub { hub in
            await hub.service.setApprovalPolicy(.auto)
            let first = try await hub.service.authenticate(try await request(hub))
            _ = try await hub.prepare(first)
            let token = try await hub.service.requestGrant(
                app: TestHub.other, appName: nil, structure: TestHub.structure, scopes: [.structureRead])
            #expect(await hub.sessionIsActive)
            _ = try await hub.service.authenticate(token)
            #expect(await !hub.sessionIsActive)
            #expect(await hub.events(named: "session.ended").first?["reason"]?.string == "revoked")
        }
    }

    @Test func `of two grants that were asked for anew the one used last stands`() async throws {
        try await withHub { hub in
            await hub.service.setApprovalPolicy(.auto)
            let one = try await request(hub)
            await hub.clock.advance(by: .seconds(2))
            let two = try await request(hub)
            let first = try await hub.service.authenticate(one)
            let second = try await hub.service.authenticate(two)
            #expect(await !hub.service.isValid(first.grant))
            #expect(await hub.service.isValid(second.grant))
            // Grants that an administrator made replace nothing.
            let made = try await hub.app(TestHub.other)
            #expect(await hub.service.isValid(made.grant))
            #expect(await hub.service.isValid(second.grant))
        }
    }

    @Test func `a replacement survives a restart before its first use`() async throws {
        let folder = TemporaryFolder()
        let (token, old) = try await withHub(store: try SQLiteStore(directory: folder.path)) { hub in
            await hub.service.setApprovalPolicy(.auto)
            let old = try await hub.service.authenticate(try await request(hub))
            await hub.clock.advance(by: .seconds(2))
            return (try await request(hub), old)
        }
        try await withHub(store: try SQLiteStore(directory: folder.path), seed: 2) { hub in
            #expect(await hub.service.isValid(old.grant))
            _ = try await hub.service.authenticate(token)
            #expect(await !hub.service.isValid(old.grant))
        }
    }

    @Test func `a grant of another structure is out of reach`() async throws {
        try await withHub { hub in
            let caller = try await hub.app()
            let elsewhere = StructureID(rawValue: 0xBEEF)
            #expect(
                await hub.refusal { try await hub.service.revokeGrant(caller.grant, in: elsewhere) } == "noGrant")
            #expect(await hub.service.isValid(caller.grant))
        }
    }

    @Test func `a secret with one wrong bit, or for another id, is refused`() async throws {
        try await withHub { hub in
            let token = try await hub.service.createGrant(
                app: TestHub.phone, structure: TestHub.structure, scopes: [.commissioning])
            var secret = token.secret
            secret[31] ^= 1
            for bad in [
                GrantToken(authorityHash: token.authorityHash, id: token.id, secret: secret),
                GrantToken(
                    authorityHash: token.authorityHash, id: GrantID(rawValue: token.id.rawValue ^ 1),
                    secret: token.secret),
            ] {
                let error = await #expect(throws: ControlError.self) { try await hub.service.authenticate(bad) }
                #expect(error?.code == .unauthenticated)
            }
        }
    }
}

@Suite("HubService: events (Protocols/hub-control.md §5)", .timeLimit(.minutes(1))) struct HubEventTests {
    @Test func `events are numbered without gaps, and replay begins where it is asked to`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            for number in 0..<5 { _ = try await hub.service.createRoom(named: "Room \(number)", by: phone) }
            let (stream, next, gap) = try await hub.service.subscribe(to: TestHub.structure, from: 3)
            #expect(next == 3)
            #expect(!gap)
            _ = try await hub.service.createRoom(named: "One more", by: phone)
            var numbers: [UInt64] = []
            for await event in stream {
                numbers.append(event.number)
                if numbers.count == 4 { break }
            }
            #expect(numbers == [3, 4, 5, 6])
            #expect(await hub.service.eventRange(of: TestHub.structure) == (1, 6))
        }
    }

    @Test func `what the ring no longer has is a gap, and so is another run's number`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            let room = try await hub.service.createRoom(named: "Room", by: phone)
            _ = room
            for reachable in 0..<1_100 { await hub.service.setReachable(reachable % 2 == 1) }
            let range = await hub.service.eventRange(of: TestHub.structure)
            #expect(range == (78, 1_101))
            let old = try await hub.service.subscribe(to: TestHub.structure, from: 1)
            #expect(old.gap)
            #expect(old.next == 78)
            let ahead = try await hub.service.subscribe(to: TestHub.structure, from: 5_000)
            #expect(ahead.gap)
            let fresh = try await hub.service.subscribe(to: TestHub.structure, from: nil)
            #expect(!fresh.gap)
            #expect(fresh.next == 1_102)
        }
    }

    @Test func `a subscriber that never reads loses its stream and costs no more memory`() async throws {
        try await withHub { hub in
            let (stream, _, _) = try await hub.service.subscribe(to: TestHub.structure, from: nil)
            for round in 0..<1_030 { await hub.service.setReachable(round % 2 == 1) }
            #expect(await hub.service.runtimes[TestHub.structure]?.subscribers.isEmpty == true)
            var count = 0
            for await _ in stream { count += 1 }
            #expect(count == 1_024)
        }
    }

    @Test func `runs have different epochs`() async throws {
        let one = try await withHub(seed: 1) { $0.service.eventEpoch }
        let two = try await withHub(seed: 2) { $0.service.eventEpoch }
        #expect(one != two)
    }
}
