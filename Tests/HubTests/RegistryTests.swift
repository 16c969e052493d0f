import HubControl
import MatterCrypto
import HubControl
import MatterWire
import NetIO
import TestSupport
import Testing

@testable import Hub

/// A store in memory that can be told to fail.
actor MemoryStore: HubStore {
    var snapshot = HubSnapshot()
    var committed: [[StoreChange]] = []
    var failsNext = false

    func load() -> HubSnapshot { snapshot }
    func commit(_ changes: [StoreChange]) throws {
        if failsNext {
            failsNext = false
            throw StoreError(code: .statement, path: "memory", reason: "told to fail")
        }
        committed.append(changes)
    }
    func close() {}
    func failNext() { failsNext = true }
}

@Suite("HubLedger") struct HubLedgerTests {
    @Test func `a change is visible only after the store has it`() async throws {
        let store = MemoryStore()
        let ledger = try await HubLedger(store: store)
        await store.failNext()
        let change = StoreChange.setHub(.init(rawValue: 1), name: "x")
        await #expect(throws: StoreError.self) { try await ledger.commit([change]) }
        #expect(await ledger.state.hub == nil)
        try await ledger.commit([change])
        #expect(await ledger.state.hub == HubID(rawValue: 1))
    }

    @Test func `changes are computed one after another`() async throws {
        let ledger = try await HubLedger(store: MemoryStore())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    try await ledger.change { state in
                        let count = (Int(state.hubName) ?? 0) + 1
                        return ([.setHub(.init(rawValue: 1), name: String(count))], ())
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(await ledger.state.hubName == "200")
    }
}

@Suite("HubState") struct HubStateTests {
    @Test func `ids are never given out twice, not even after removal or in another structure's fabric`() {
        let structure = StructureID(rawValue: 1)
        // A source that repeats each draw once.
        let draws = DrawList([5, 5, 6])
        let random = RandomSource { draws.next() }
        var state = HubState()
        let first = state.unusedNodeID(in: structure, random: random)
        state.apply(
            .putNode(
                NodeRecord(
                    id: first, structure: structure, state: .journalled, session: nil, address: "", stage: "",
                    failSafeEnds: nil, info: .init(), createdAt: .init(rawValue: 0))))
        state.apply(.deleteNode(first, of: structure))
        #expect(state.unusedNodeID(in: structure, random: random) != first)
    }

    @Test func `16 hexadecimal digits are an id and nothing else is`() {
        #expect(DeviceID(text: "00000000000000ff")?.rawValue == 255)
        #expect(DeviceID(rawValue: 255).text == "00000000000000ff")
        for bad in ["", "ff", "00000000000000fg", "+0000000000000ff", "000000000000000ff", "０000000000000ff"] {
            #expect(DeviceID(text: bad) == nil)
        }
    }
}

@Suite("EventRing (Protocols/hub-control.md §5)") struct EventRingTests {
    @Test func `numbers go on and old events are dropped with a gap`() {
        var ring = EventRing<String>(capacity: 2)
        #expect(ring.oldest == 1)
        #expect(ring.replay(from: 1).events.isEmpty)
        #expect(!ring.replay(from: 1).gap)
        for text in ["a", "b", "c"] { _ = ring.append(text) }
        #expect(ring.newest == 3)
        #expect(ring.oldest == 2)
        #expect(ring.replay(from: 3).events.map(\.event) == ["c"])
        #expect(!ring.replay(from: 4).gap)
        #expect(ring.replay(from: 1).gap)
        #expect(ring.replay(from: 1).events.map(\.number) == [2, 3])
        #expect(ring.replay(from: 9).gap)
    }
}

@Suite("GrantBook (Protocols/hub-control.md §2)") struct GrantBookTests {
    let app = AppIdentity(appID: "app", appGroup: "group")

    @Test func `only the right secret of a live grant is accepted`() throws {
        let (record, secret) = try GrantBook.issue(
            app: app, structure: .init(rawValue: 1), scopes: .commissioning, at: .init(rawValue: 0),
            secrets: SystemSecretSource())
        #expect(secret.secret.count == 32)
        #expect(record.secretHash != secret.secret)
        var state = HubState()
        #expect(try GrantBook.verify(secret, in: state) == nil)
        state.apply(.putGrant(record))
        #expect(try GrantBook.verify(secret, in: state) == record)
        var wrong = secret
        wrong.secret[31] ^= 1
        #expect(try GrantBook.verify(wrong, in: state) == nil)
        wrong.secret = []
        #expect(try GrantBook.verify(wrong, in: state) == nil)
        var revoked = record
        revoked.isRevoked = true
        state.apply(.putGrant(revoked))
        #expect(try GrantBook.verify(secret, in: state) == nil)
    }

    @Test func `scope names are those of the contract`() {
        let all: GrantScopes = [.structureRead, .deviceControl, .commissioning, .automation, .admin]
        #expect(all.names == ["structure.read", "device.control", "commissioning", "automation", "admin"])
        #expect(GrantScopes(names: all.names) == all)
        #expect(GrantScopes(names: ["nonsense"]) == nil)
        #expect(GrantScopes.admin.allows(.deviceControl))
        #expect(!GrantScopes.structureRead.allows(.deviceControl))
    }
}

/// Gives the listed draws in order, then counts up.
final class DrawList: Sendable {
    private let values: [UInt64]
    private let position = Locked(0)
    init(_ values: [UInt64]) { self.values = values }
    func next() -> UInt64 {
        position.withLock { (index: inout Int) -> UInt64 in
            defer { index += 1 }
            return index < values.count ? values[index] : UInt64(index)
        }
    }
}
