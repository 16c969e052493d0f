import HubControl
import MatterWire
import NetIO
import TestSupport
import Testing

@testable import Hub

@Suite("ControlServer: requests (Protocols/hub-control.md §4, §5)", .timeLimit(.minutes(1)))
struct ControlRequestTests {
    func error(_ body: () async throws -> JSONObject) async -> ControlError? {
        do {
            _ = try await body()
            return nil
        } catch {
            return error as? ControlError
        }
    }

    // MARK: - Permission

    @Test func `without a grant only what needs none is answered`() async throws {
        try await withServer { server in
            let client = try await server.client(scopes: nil)
            #expect(try await client.call(.hubInfo)["reachable"]?.bool == true)
            for method in ControlMethod.all where ![.hubInfo, .cancel, .grantsRequest].contains(method) {
                let error = await error { try await client.call(method) }
                #expect(error?.code == .unauthenticated, "\(method.rawValue)")
                #expect(error?.reason == "noGrant")
                #expect(error?.message.contains("grants.request") == true)
            }
        }
    }

    @Test func `a scope that is missing is named`() async throws {
        try await withServer { server in
            let client = try await server.client(scopes: .automation)
            for method in ControlMethod.all {
                guard case .scope(let scope)? = method.requirement else { continue }
                let error = await error { try await client.call(method) }
                #expect(error?.code == .permissionDenied, "\(method.rawValue)")
                #expect(error?.reason == "missingScope")
                #expect(error?.message.contains(scope.names[0]) == true)
            }
            let phone = try await server.client(scopes: .commissioning)
            let forced = await error { try await phone.call(.sessionCancel, ["force": true]) }
            #expect(forced?.code == .permissionDenied)
            #expect(forced?.reason == "missingScope")
        }
    }

    @Test func `another structure is out of reach, and unknown methods and wrong params say what is wrong`()
        async throws
    {
        try await withServer { server in
            let client = try await server.client()
            let other = await error { try await client.call(.sessionPrepare, ["structure": "00000000000000ff"]) }
            #expect(other?.code == .permissionDenied)
            #expect(other?.reason == "otherStructure")
            #expect(await error { try await client.call(.init(rawValue: "a.b")) }?.code == .unimplemented)
            let missing = await error { try await client.call(.sessionCommission, ["payload": "x"]) }
            #expect(missing?.code == .invalidArgument)
            #expect(missing?.message.contains("clientKey") == true)
            let wrong = await error { try await client.call(.sessionPrepare, ["lifetimeMs": 1]) }
            #expect(wrong?.code == .invalidArgument)
            #expect(wrong?.message.contains("lifetimeMs") == true)
        }
    }

    @Test func `an administrator takes the hub offline and back`() async throws {
        try await withServer { server in
            let client = try await server.client(scopes: .admin)
            #expect(try await client.call(.hubSetReachable, ["reachable": false]) == ["reachable": false])
            #expect(try await client.call(.hubInfo)["reachable"]?.bool == false)
            #expect(await error { try await client.call(.sessionPrepare) }?.reason == "hubOffline")
            #expect(try await client.call(.hubSetReachable, ["reachable": true]) == ["reachable": true])
            _ = try await client.call(.sessionPrepare)
            #expect(await error { try await client.call(.hubSetReachable) }?.code == .invalidArgument)
        }
    }

    // MARK: - One answer each

    @Test func `every request has exactly one answer, whatever it was`() async throws {
        try await withServer { server in
            let client = try await server.client(scopes: .admin)
            var random = SeededGenerator(seed: 5)
            let methods = ControlMethod.all.filter { ![.grantsRequest].contains($0) }
                .sorted { $0.rawValue < $1.rawValue }
            let values: [JSONValue] = [
                1, "x", true, .null, [], [:], "00000000000000a1", .string(TestHub.payload()), "key",
            ]
            let names = [
                "id", "structure", "payload", "clientKey", "name", "room", "deviceName", "endpoint", "cluster",
                "attribute", "command", "value", "fields", "from", "cursor", "limit", "orphans", "force", "scopes",
                "appId", "appGroup", "lifetimeMs", "timeoutSeconds",
            ]
            var ids: [RequestID] = []
            for _ in 0..<400 {
                var params = JSONObject()
                for _ in 0..<Int.random(in: 0...4, using: &random) {
                    params[names.randomElement(using: &random)!] = values.randomElement(using: &random)!
                }
                ids.append(try await client.send(methods.randomElement(using: &random)!, params))
                // Not more at once than the protocol allows.
                if ids.count.isMultiple(of: 16) {
                    for id in ids.suffix(16) { _ = await error { try await client.answer(to: id) } }
                }
            }
            _ = try await client.call(.hubInfo)
            let answers = await client.answers
            for id in ids { #expect(answers[id]?.count == 1) }
            #expect(await client.goaway == nil)
        }
    }

    @Test func `the 33rd request at once is refused and the others go on`() async throws {
        try await withServer { server in
            let client = try await server.client(scopes: nil)
            var ids: [RequestID] = []
            for number in 0..<32 {
                ids.append(
                    try await client.send(
                        .grantsRequest,
                        ["appId": .string("app\(number)"), "appGroup": "g", "scopes": ["commissioning"]]))
            }
            await eventually("all wait") { await server.hub.service.pendingGrants.count == 32 }
            let error = await error { try await client.call(.hubInfo) }
            #expect(error?.code == .resourceExhausted)
            for pending in await server.hub.service.pendingGrants {
                try await server.hub.service.decideGrant(pending.id, approved: true, in: TestHub.structure)
            }
            for id in ids { #expect(try await client.answer(to: id)["grant"]?.string?.hasPrefix("mh1.") == true) }
            #expect(try await client.call(.hubInfo)["name"]?.string == "Hub")
        }
    }

    @Test func `a deadline ends a request that waits`() async throws {
        try await withServer { server in
            let client = try await server.client(scopes: nil)
            let id = try await client.send(
                .grantsRequest, ["appId": "a", "appGroup": "g", "scopes": ["commissioning"]], deadlineMs: 1_000)
            await eventually("it waits") { await server.hub.service.pendingGrants.count == 1 }
            await server.hub.clock.advance(by: .seconds(1))
            #expect(await error { try await client.answer(to: id) }?.code == .deadlineExceeded)
            #expect(await server.hub.service.pendingGrants.isEmpty)
        }
    }

    @Test func `the shorter deadline of a commission, in the request or its params, is its time`() async throws {
        try await withServer { server in
            let client = try await server.client()
            _ = try await client.call(.sessionPrepare)
            func params(_ key: String, _ limit: Int64?) -> JSONObject {
                [
                    "payload": .string(TestHub.payload()), "clientKey": .string(key),
                    "deadlineMs": limit.map { .integer($0) },
                ]
            }
            _ = try await client.call(.sessionCommission, params("a", nil))
            _ = try await client.call(.sessionCommission, params("b", 30_000))
            _ = try await client.call(.sessionCommission, params("c", nil), deadlineMs: 20_000)
            _ = try await client.call(.sessionCommission, params("d", 30_000), deadlineMs: 40_000)
            #expect(
                await server.hub.matter.orders.map(\.timeLimit)
                    == [.seconds(120), .seconds(30), .seconds(20), .seconds(30)])
        }
    }

    // MARK: - Commissioning over a connection

    @Test func `cancel stops a running commission, and its request answers cancelled`() async throws {
        try await withServer { server in
            let client = try await server.client()
            _ = try await client.call(.sessionPrepare)
            let door = Door()
            await server.hub.matter.script(Script.hold(at: "csr", door))
            let id = try await client.send(
                .sessionCommission, ["payload": .string(TestHub.payload()), "clientKey": "k"])
            await door.reached()
            #expect(try await client.call(.cancel, ["id": .integer(id.rawValue)])["cancelled"]?.bool == true)
            #expect(await error { try await client.answer(to: id) }?.code == .cancelled)
            #expect(try await client.call(.cancel, ["id": .integer(id.rawValue)])["cancelled"]?.bool == false)
            #expect(try await client.call(.sessionGet)["state"]?.string == "prepared")
            #expect(await error { try await client.call(.cancel) }?.code == .invalidArgument)
        }
    }

    @Test func `a dropped connection does not end a commission, and another one brings the answer`() async throws {
        try await withServer { server in
            let grant = try await server.hub.service.createGrant(
                app: TestHub.phone, structure: TestHub.structure, scopes: [.commissioning, .structureRead])
            let first = TestClient(try await server.tls())
            try await first.hello(grant.text)
            _ = try await first.call(.sessionPrepare)
            let door = Door()
            await server.hub.matter.script(Script.hold(at: "addNOC", door))
            let params: JSONObject = ["payload": .string(TestHub.payload()), "clientKey": "k"]
            _ = try await first.send(.sessionCommission, params)
            await door.reached()
            await first.drop()
            await eventually("it is gone") { server.server.connectionCount == 0 }
            let second = TestClient(try await server.tls())
            try await second.hello(grant.text)
            let info = try await second.call(.sessionGet)
            #expect(info["state"]?.string == "commissioning")
            #expect(info["stage"]?.string == "addNOC")
            let again = try await second.send(.sessionCommission, params)
            door.open()
            #expect(try await second.answer(to: again)["vendorId"]?.integer == 0xFFF1)
            #expect(try await second.call(.sessionComplete, ["clientKey": "k"])["deviceIds"]?.array?.count == 1)
            #expect(await server.hub.matter.orders.count == 1)
        }
    }

    @Test func `a lost connection ends requests for a grant that nobody waits for`() async throws {
        try await withServer { server in
            let client = try await server.client(scopes: nil)
            _ = try await client.send(.grantsRequest, ["appId": "a", "appGroup": "g", "scopes": ["commissioning"]])
            await eventually("it waits") { await server.hub.service.pendingGrants.count == 1 }
            await client.drop()
            await eventually("nobody waits") { await server.hub.service.pendingGrants.isEmpty }
            #expect(await server.hub.ledger.state.grants.isEmpty)
        }
    }

    @Test func `an administrator approves, refuses and lists requests`() async throws {
        try await withServer { server in
            let admin = try await server.client(scopes: .admin)
            let client = try await server.client(scopes: nil)
            let params: JSONObject = [
                "appId": "org.example.new", "appGroup": "g", "appName": "New", "scopes": ["commissioning"],
            ]
            let refused = try await client.send(.grantsRequest, params)
            await eventually("it waits") { await server.hub.service.pendingGrants.count == 1 }
            let first = try await admin.call(.grantsList)["pending"]?.array?.first?.object
            #expect(first?["appName"]?.string == "New")
            _ = try await admin.call(.grantsDeny, ["id": first?["id"]])
            #expect(await error { try await client.answer(to: refused) }?.reason == "grantRefused")
            let approved = try await client.send(.grantsRequest, params)
            await eventually("it waits") { await server.hub.service.pendingGrants.count == 1 }
            let second = try await admin.call(.grantsList)["pending"]?.array?.first?.object
            _ = try await admin.call(.grantsApprove, ["id": second?["id"]])
            let answer = try await client.answer(to: approved)
            let newcomer = TestClient(try await server.tls())
            try await newcomer.hello(answer["grant"]?.string)
            #expect(await newcomer.welcome?.grant?.app.appID == "org.example.new")
            #expect(await error { try await admin.call(.grantsApprove, ["id": second?["id"]]) }?.reason == "noGrant")
        }
    }

    // MARK: - Revocation

    @Test func `revoking a grant ends its connections at once, in the middle of a session`() async throws {
        try await withServer { server in
            let admin = try await server.client(AppIdentity(appID: "admin", appGroup: "g"), scopes: .admin)
            let phone = try await server.client()
            let other = try await server.client(TestHub.other)
            let grant = try #require(await phone.welcome?.grant?.id)
            _ = try await phone.call(.eventsSubscribe)
            _ = try await phone.call(.sessionPrepare)
            let door = Door()
            await server.hub.matter.script(Script.hold(at: "csr", door))
            let id = try await phone.send(
                .sessionCommission, ["payload": .string(TestHub.payload()), "clientKey": "k"])
            await door.reached()
            _ = try await admin.call(.grantsRevoke, ["id": grant.json])
            #expect(await error { try await phone.answer(to: id) }?.reason == "sessionEnded")
            #expect(await phone.end()?.code == .unauthenticated)
            #expect(await phone.event { $0.name == "room.added" } == nil)
            #expect(try await other.call(.sessionPrepare)["session"] != nil)
            await phone.drop()
            await eventually("the connection is gone") { await server.hub.service.connections.count == 2 }
        }
    }

    @Test func `whoever revokes the own grant gets the answer first`() async throws {
        try await withServer { server in
            let admin = try await server.client(scopes: .admin)
            let grant = try #require(await admin.welcome?.grant?.id)
            #expect(try await admin.call(.grantsRevoke, ["id": grant.json]).isEmpty)
            #expect(await admin.end()?.code == .unauthenticated)
        }
    }

    @Test func `a request that comes after the revocation is refused`() async throws {
        try await withServer { server in
            let phone = try await server.client()
            let caller = try #require(await server.hub.service.connections.values.first?.caller)
            try await server.hub.service.revokeGrant(caller.grant, in: TestHub.structure)
            let error = await error { try await phone.call(.sessionPrepare) }
            #expect([.permissionDenied, .unauthenticated].contains(error?.code))
            #expect(await !server.hub.sessionIsActive)
        }
    }

    // MARK: - Lists and events

    @Test func `a list is given in pages that stay right when an item goes`() async throws {
        try await withServer { server in
            let client = try await server.client(scopes: .admin)
            for number in 0..<5 {
                _ = try await client.call(.sessionPrepare)
                _ = try await client.call(
                    .sessionCommission,
                    ["payload": .string(TestHub.payload(UInt16(number))), "clientKey": .string("\(number)")])
                _ = try await client.call(.sessionComplete, ["clientKey": .string("\(number)")])
                await server.hub.clock.advance(by: .seconds(1))
            }
            let all = await server.hub.devices.map(\.id.text)
            let first = try await client.call(.devicesList, ["limit": 2])
            #expect(first["devices"]?.array?.map { $0.object?["id"]?.string } == Array(all[0..<2]))
            _ = try await client.call(.devicesRemove, ["id": .string(all[1])])
            let second = try await client.call(.devicesList, ["limit": 2, "cursor": first["next"]])
            #expect(second["devices"]?.array?.map { $0.object?["id"]?.string } == Array(all[2..<4]))
            let third = try await client.call(.devicesList, ["limit": 2, "cursor": second["next"]])
            #expect(third["devices"]?.array?.map { $0.object?["id"]?.string } == [all[4]])
            #expect(third["next"] == nil)
            let bad = await error { try await client.call(.devicesList, ["cursor": "nonsense"]) }
            #expect(bad?.code == .invalidArgument)
            #expect(bad?.message.contains("cursor") == true)
        }
    }

    @Test func `events come in order, are replayed and announce a gap`() async throws {
        try await withServer { server in
            let client = try await server.client()
            for name in ["A", "B", "C"] { _ = try await client.call(.roomsCreate, ["name": .string(name)]) }
            let answer = try await client.call(.eventsSubscribe, ["from": 2])
            #expect(answer["next"]?.integer == 2)
            #expect(answer["gap"]?.bool == false)
            #expect(answer["epoch"]?.string == server.hub.service.eventEpoch)
            _ = try await client.call(.roomsCreate, ["name": "D"])
            _ = await client.event { $0.number == 4 }
            #expect(await client.events.map(\.number) == [2, 3, 4])
            let ahead = try await client.call(.eventsSubscribe, ["from": 99])
            #expect(ahead["gap"]?.bool == true)
        }
    }

    @Test func `orphans are listed apart`() async throws {
        try await withServer { server in
            let client = try await server.client(scopes: .admin)
            await server.hub.matter.onSettle { _, _ in .unreachable("nobody answers") }
            _ = try await client.call(.sessionPrepare)
            _ = try await client.call(
                .sessionCommission, ["payload": .string(TestHub.payload()), "clientKey": "k"])
            let ids = try await client.call(.sessionComplete, ["clientKey": "k"])
            let id = ids["deviceIds"]?.array?.first
            let refused = await error { try await client.call(.devicesRemove, ["id": id]) }
            #expect(refused?.code == .unavailable)
            let removed = try await client.call(.devicesRemove, ["id": id, "force": true])
            #expect(removed["removed"]?.array?.count == 1)
            #expect(removed["orphaned"]?.array?.count == 1)
            #expect(try await client.call(.devicesList)["devices"]?.array?.isEmpty == true)
            let orphans = try await client.call(.devicesList, ["orphans": true])["devices"]?.array
            #expect(orphans?.first?.object?["state"]?.string == "orphan")
            #expect(orphans?.first?.object?["lastError"]?.string == "nobody answers")
            let node = removed["orphaned"]?.array?.first
            _ = try await client.call(.orphansForget, ["id": node])
            #expect(try await client.call(.devicesList, ["orphans": true])["devices"]?.array?.isEmpty == true)
        }
    }
}
