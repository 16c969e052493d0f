import MatterCrypto
import MatterModel
import MatterWire
import Testing

@Suite("The fail-safe machine (Core §11.10.7.2)")
struct FailSafeTests {
    private let start = MonotonicInstant(sinceStart: .zero)
    private let other = FabricIndex(rawValue: 3)
    private let own = FabricIndex(rawValue: 1)

    private func key(_ byte: UInt8) throws -> P256PrivateKey {
        try P256PrivateKey(rawValue: [UInt8](repeating: byte, count: 32))
    }

    private func armed(by holder: FabricIndex = .none, seconds: Int = 60) throws -> FailSafe {
        var machine = FailSafe()
        try machine.arm(by: holder, for: .seconds(seconds), now: start)
        return machine
    }

    private func credentials() throws -> OperationalCredentials {
        OperationalCredentials(noc: [1], icac: nil, key: try key(1), nodeID: NodeID(rawValue: 5))
    }

    // MARK: Arrows

    @Test func `begins disarmed`() {
        let machine = FailSafe()
        #expect(machine.holder == nil && machine.deadline == nil && !machine.isArmed)
    }

    @Test func `arming sets holder and deadline`() throws {
        let machine = try armed()
        #expect(machine.holder == FabricIndex.none)
        #expect(machine.deadline == start.advanced(by: .seconds(60)))
    }

    @Test func `the holder may move the deadline both ways`() throws {
        var machine = try armed()
        try machine.arm(by: .none, for: .seconds(10), now: start.advanced(by: .seconds(20)))
        #expect(machine.deadline == start.advanced(by: .seconds(30)))
        try machine.arm(by: .none, for: .seconds(100), now: start.advanced(by: .seconds(20)))
        #expect(machine.deadline == start.advanced(by: .seconds(120)))
    }

    @Test func `no arming reaches past the cumulative limit`() throws {
        var machine = try armed(seconds: 2000)
        #expect(machine.deadline == start.advanced(by: .seconds(900)))
        try machine.arm(by: .none, for: .seconds(600), now: start.advanced(by: .seconds(800)))
        #expect(machine.deadline == start.advanced(by: .seconds(900)))
    }

    @Test func `a later request for a key replaces the first`() throws {
        var machine = try armed()
        try machine.csrRequested(try key(1), isForUpdate: false, by: .none)
        try machine.csrRequested(try key(2), isForUpdate: false, by: .none)
        #expect(try machine.key(forUpdate: false, by: .none).publicKey == key(2).publicKey)
    }

    @Test func `the same root again is taken`() throws {
        var machine = try armed()
        try machine.rootAdded([1], by: .none)
        try machine.rootAdded([1], by: .none)
        #expect(machine.pendingRoot == [1])
    }

    @Test func `the new fabric becomes the holder`() throws {
        var machine = try armed()
        try machine.rootAdded([1], by: .none)
        try machine.fabricAdded(own, by: .none)
        #expect(machine.holder == own && machine.addedFabric == own && machine.pendingRoot == nil)
    }

    @Test func `completion by the new fabric disarms and keeps it`() throws {
        var machine = try armed()
        try machine.fabricAdded(own, by: .none)
        try machine.complete(by: own)
        #expect(!machine.isArmed)
        #expect(machine.expire() == nil)
    }

    @Test func `expiry undoes an added fabric`() throws {
        var machine = try armed()
        try machine.fabricAdded(own, by: .none)
        #expect(machine.timerFired(now: start.advanced(by: .seconds(59))) == nil)
        let expired = machine.timerFired(now: start.advanced(by: .seconds(60)))
        let rollback = try #require(expired)
        #expect(rollback.addedFabric == own && rollback.holder == own && rollback.updatedFabric == nil)
        #expect(!machine.isArmed)
    }

    @Test func `expiry undoes replaced credentials`() throws {
        var machine = try armed(by: own)
        try machine.fabricUpdated(own, previous: try credentials(), by: own)
        #expect(machine.updatedFabric?.index == own)
        let expired = machine.expire()
        let rollback = try #require(expired)
        #expect(rollback.updatedFabric?.index == own && rollback.updatedFabric?.previous.noc == [1])
        #expect(rollback.addedFabric == nil)
    }

    @Test func `expiry without changes names only the holder`() throws {
        var machine = try armed(by: other)
        let expired = machine.expire()
        let rollback = try #require(expired)
        #expect(rollback.holder == other && rollback.addedFabric == nil && rollback.updatedFabric == nil)
    }

    @Test func `can be armed again after it ended`() throws {
        var machine = try armed()
        _ = machine.expire()
        try machine.arm(by: other, for: .seconds(900), now: start.advanced(by: .seconds(500)))
        #expect(machine.deadline == start.advanced(by: .seconds(1400)))
    }

    // MARK: Refusals

    @Test func `disarmed refuses all but arming`() throws {
        var machine = FailSafe()
        let key = try key(1)
        #expect(throws: FailSafe.Refusal.notArmed) { try machine.csrRequested(key, isForUpdate: false, by: .none) }
        #expect(throws: FailSafe.Refusal.notArmed) { try machine.rootAdded([1], by: .none) }
        #expect(throws: FailSafe.Refusal.notArmed) { try machine.key(forUpdate: false, by: .none) }
        #expect(throws: FailSafe.Refusal.notArmed) { try machine.fabricAdded(own, by: .none) }
        let credentials = try credentials()
        #expect(throws: FailSafe.Refusal.notArmed) {
            try machine.fabricUpdated(own, previous: credentials, by: own)
        }
        #expect(throws: FailSafe.Refusal.notArmed) { try machine.complete(by: own) }
        #expect(machine.expire() == nil)
        #expect(machine.timerFired(now: start) == nil)
    }

    @Test func `another holder is refused everything`() throws {
        var machine = try armed(by: own)
        let key = try key(1)
        #expect(throws: FailSafe.Refusal.busy) { try machine.arm(by: other, for: .seconds(1), now: start) }
        #expect(throws: FailSafe.Refusal.notArmed) { try machine.csrRequested(key, isForUpdate: false, by: other) }
        #expect(throws: FailSafe.Refusal.notArmed) { try machine.rootAdded([1], by: other) }
        #expect(throws: FailSafe.Refusal.notArmed) { try machine.key(forUpdate: false, by: other) }
        #expect(throws: FailSafe.Refusal.notArmed) { try machine.fabricAdded(own, by: other) }
        #expect(throws: FailSafe.Refusal.busy) { try machine.complete(by: other) }
        #expect(machine.holder == own)
    }

    @Test func `a second, different root is refused`() throws {
        var machine = try armed()
        try machine.rootAdded([1], by: .none)
        #expect(throws: FailSafe.Refusal.outOfOrder) { try machine.rootAdded([2], by: .none) }
        #expect(machine.pendingRoot == [1])
    }

    @Test func `a key for the other command is refused`() throws {
        var machine = try armed(by: own)
        #expect(throws: FailSafe.Refusal.noKey) { try machine.key(forUpdate: true, by: own) }
        try machine.csrRequested(try key(1), isForUpdate: true, by: own)
        #expect(throws: FailSafe.Refusal.outOfOrder) { try machine.key(forUpdate: false, by: own) }
    }

    @Test func `after the NOC only completion is left`() throws {
        var machine = try armed()
        try machine.fabricAdded(own, by: .none)
        let key = try key(1)
        let credentials = try credentials()
        #expect(throws: FailSafe.Refusal.outOfOrder) { try machine.csrRequested(key, isForUpdate: false, by: own) }
        #expect(throws: FailSafe.Refusal.outOfOrder) { try machine.rootAdded([1], by: own) }
        #expect(throws: FailSafe.Refusal.outOfOrder) { try machine.key(forUpdate: false, by: own) }
        #expect(throws: FailSafe.Refusal.outOfOrder) { try machine.fabricAdded(other, by: own) }
        #expect(throws: FailSafe.Refusal.outOfOrder) {
            try machine.fabricUpdated(own, previous: credentials, by: own)
        }
        try machine.arm(by: own, for: .seconds(5), now: start)
        #expect(machine.addedFabric == own)
    }
}
