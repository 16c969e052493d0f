import HubControl
import NetIO
import TestSupport
import Testing

@testable import Hub

@Suite("HubFaultRule: the text of a fault (Protocols/hub-control.md §4)")
struct HubFaultRuleTests {
    @Test(
        arguments: [
            "addNOC:storageFails", "complete:crash", "session.prepare:cutBeforeResponse@2",
            "session.commission:cutAfterRequestx*", "csr:offline@3x2", "pase:storageSlow=50x4",
        ] as [String])
    func `a rule is written as it was read`(text: String) throws {
        #expect("\(try HubFaultRule(text))" == text)
    }

    @Test func `what is left out has its default`() throws {
        let rule = try HubFaultRule("discover:storageSlow")
        #expect(rule.delay == .milliseconds(2_000))
        #expect(rule.from == 1)
        #expect(rule.times == 1)
    }

    @Test(
        arguments: [
            ("addNOC", "WHERE:KIND"), ("", "WHERE:KIND"), ("addNOC:explode", "there is no “explode”"),
            ("addNOC:crash=5", "crash has no argument"), ("addNOC:storageSlow=0", "no number from 1 to 600000"),
            ("addNOC:storageSlow=600001", "600001"), ("addNOC:storageSlow=-5", "-5"),
            ("addNOC:storageSlow=99999999999999999999", "no number"), ("addNOC:crash@0", "“0”"),
            ("addNOC:crash@", "“”"), ("addNOC:crashx65536", "65536"), ("addNOC:crashxx", "there is no “crashxx”"),
            ("addNOC:crashx5x", "there is no “crashx5x”"), ("addNOC:crashx0", "“0”"),
            ("addNOC:cutBeforeResponse", "needs a method"), ("session.undo:crash", "neither a stage nor a method"),
            ("x:x:x", "there is no “x”"), (":crash", "neither a stage nor a method"),
        ] as [(String, String)])
    func `a wrong rule is refused, and the reason says why`(text: String, part: String) throws {
        let error = try #require(throws: ControlError.self) { try HubFaultRule(text) }
        #expect(error.code == .invalidArgument)
        #expect(error.reason == "invalidFault")
        #expect(error.message.contains(part), "\(error.message)")
    }

    @Test(arguments: 0..<300 as Range<UInt64>) func `mutated rules are read or refused`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var bytes = Array("session.commission:storageSlow=50@12x34".utf8)
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        do throws(ControlError) {
            let rule = try HubFaultRule(String(decoding: bytes, as: UTF8.self))
            #expect(try HubFaultRule(rule.description) == rule)
        } catch {
            #expect(error.reason == "invalidFault")
        }
    }
}

@Suite("HubFaults: what a hub does wrong when told to", .timeLimit(.minutes(1)))
struct HubFaultTests {
    @Test func `a rule applies at its place, from the Nth time on, M times`() throws {
        let faults = HubFaults([try HubFaultRule("csr:offline@2x2"), try HubFaultRule("csr:storageFails@3")])
        #expect(faults.reached("csr") == [])
        #expect(faults.reached("addNOC") == [])
        #expect(faults.reached("csr") == [.offline])
        #expect(faults.reached("csr") == [.offline, .storageFails])
        #expect(faults.reached("csr") == [])
        #expect(faults.list.map(\.met) == [2, 1])
        faults.set([try HubFaultRule("csr:offlinex*")])
        for _ in 0..<5 { #expect(faults.reached("csr") == [.offline]) }
        #expect(faults.list.map(\.met) == [5])
    }

    @Test func `a crash ends the process there and then`() throws {
        let died = Locked(0)
        let faults = HubFaults([try HubFaultRule("addNOC:crash")]) { died.withLock { $0 += 1 } }
        #expect(faults.reached("csr") == [])
        #expect(died.withLock { $0 } == 0)
        #expect(faults.reached("addNOC") == [.crash])
        #expect(died.withLock { $0 } == 1)
    }

    @Test func `a write that fails is told as such, and nothing was changed`() async throws {
        let faults = HubFaults([try HubFaultRule("rooms.create:storageFails")])
        try await withServer(faults: faults) { server in
            let client = try await server.client()
            let error = try await #require(throws: ControlError.self) {
                try await client.call(.roomsCreate, ["name": "Attic"])
            }
            #expect(error.reason == "storage")
            #expect(try await client.call(.roomsList)["rooms"] == .array([]))
            #expect(try await client.call(.roomsCreate, ["name": "Attic"])["name"]?.string == "Attic")
        }
    }

    @Test func `a slow write holds up its request for as long as it says, and nobody else`() async throws {
        let faults = HubFaults([try HubFaultRule("rooms.create:storageSlow=5000")])
        try await withServer(faults: faults) { server in
            let client = try await server.client()
            let start = server.hub.clock.now
            let slow = try await client.send(.roomsCreate, ["name": "Attic"])
            await server.hub.sleeper(within: .seconds(5))
            #expect(try await client.call(.hubInfo)["name"]?.string == "Hub")
            #expect(await client.answers[slow] == nil)
            while await client.answers[slow] == nil {
                await server.hub.clock.advanceToNextDeadline()
                // The connection is read while another answer is awaited.
                _ = try await client.call(.hubInfo)
            }
            #expect(start.duration(to: server.hub.clock.now) >= .seconds(5))
            #expect(try await client.answer(to: slow)["name"]?.string == "Attic")
        }
    }

    @Test(arguments: ["cutAfterRequest", "cutBeforeResponse"])
    func `a connection is cut, and what was asked is done all the same`(kind: String) async throws {
        let faults = HubFaults([try HubFaultRule("rooms.create:\(kind)")])
        try await withServer(faults: faults) { server in
            let client = try await server.client()
            let id = try await client.send(.roomsCreate, ["name": "Attic"])
            #expect(await client.end() == nil)
            #expect(await client.answers[id] == nil)
            let second = try await server.client()
            await eventually("the room is there") {
                await server.hub.ledger.state.rooms(of: TestHub.structure).count == 1
            }
            // The rule has been used up.
            #expect(try await second.call(.roomsCreate, ["name": "Cellar"])["name"]?.string == "Cellar")
        }
    }

    @Test func `a hub that goes offline at a request refuses what needs the network`() async throws {
        let faults = HubFaults([try HubFaultRule("session.prepare:offline")])
        try await withServer(faults: faults) { server in
            let client = try await server.client()
            let error = try await #require(throws: ControlError.self) { try await client.call(.sessionPrepare) }
            #expect(error.reason == "hubOffline")
        }
    }

    @Test func `faults are set over the protocol only where the hub allows it, by an admin`() async throws {
        try await withServer { server in
            let admin = try await server.client(scopes: [.admin])
            let error = try await #require(throws: ControlError.self) {
                try await admin.call(.faultsSet, ["rules": ["csr:offline"]])
            }
            #expect(error.reason == "faultsNotAllowed")
        }
        try await withServer(faults: HubFaults(isAllowed: true)) { server in
            let app = try await server.client()
            let refused = try await #require(throws: ControlError.self) {
                try await app.call(.faultsSet, ["rules": ["csr:offline"]])
            }
            #expect(refused.reason == "missingScope")
            let admin = try await server.client(TestHub.other, scopes: [.admin])
            let set = try await admin.call(.faultsSet, ["rules": ["hub.info:offline@2", "csr:crash"]])
            #expect(set["faults"]?.array?.count == 2)
            let wrong = try await #require(throws: ControlError.self) {
                try await admin.call(.faultsSet, ["rules": ["csr:offline", "csr:explode"]])
            }
            #expect(wrong.reason == "invalidFault")
            let many = JSONValue.array(Array(repeating: "csr:offline", count: HubFaults.limit + 1))
            let tooMany = try await #require(throws: ControlError.self) {
                try await admin.call(.faultsSet, ["rules": many])
            }
            #expect(tooMany.code == .invalidArgument)
            _ = try await admin.call(.hubInfo)
            _ = try await admin.call(.hubInfo)
            let list = try await admin.call(.faultsList)["faults"]?.array
            #expect(list?.first?.object?["rule"]?.string == "hub.info:offline@2")
            #expect(list?.first?.object?["met"]?.integer == 1)
            #expect(list?.last?.object?["met"]?.integer == 0)
            #expect(try await admin.call(.hubInfo)["reachable"]?.bool == false)
            #expect(try await admin.call(.faultsSet, ["rules": .array([])])["faults"] == .array([]))
        }
    }
}
