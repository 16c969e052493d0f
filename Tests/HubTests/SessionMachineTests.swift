import HubControl
import MatterWire
import Testing

@testable import Hub

@Suite("SessionMachine (Protocols/commissioning-session.md)") final class SessionMachineTests {
    let phone = AppIdentity(appID: "org.example.app", appGroup: "group.example")
    let other = AppIdentity(appID: "org.example.other", appGroup: "group.other")
    var machine = SessionMachine()

    func at(_ seconds: Int) -> MonotonicInstant { .init(sinceStart: .seconds(seconds)) }
    func id(_ number: UInt64) -> CommissioningSessionID { .init(rawValue: number) }

    @discardableResult
    func prepared(at second: Int = 0) throws -> EndedSession? {
        try machine.prepare(id: id(1), owner: phone, lifetime: nil, now: at(second))
    }

    @Test func `none refuses what needs a session`() {
        #expect(throws: SessionRefusal(reason: .noSession)) { try machine.beginCommission(by: phone) }
        #expect(throws: SessionRefusal(reason: .noSession)) { try machine.complete(by: phone) }
        #expect(throws: SessionRefusal(reason: .noSession)) { try machine.configurable(by: phone) }
        #expect(machine.deadline == nil)
        let result1 = machine.timerFired(now: at(10_000))
        #expect(result1 == nil)
        let result2 = machine.grantRevoked(phone)
        #expect(result2 == nil)
    }

    @Test func `cancel without a session is no error`() throws {
        let result3 = try machine.cancel(by: phone, force: false)
        #expect(result3 == nil)
        let result4 = try machine.cancel(by: phone, force: true)
        #expect(result4 == nil)
    }

    @Test func `another app is refused with the holder and the time left`() throws {
        try prepared()
        #expect(
            throws: SessionRefusal(
                reason: .sessionActive, heldBy: phone, heldFor: .seconds(100), expiresIn: .seconds(500))
        ) { try machine.prepare(id: id(2), owner: other, lifetime: nil, now: at(100)) }
        #expect(throws: SessionRefusal(reason: .notOwner, heldBy: phone)) { try machine.beginCommission(by: other) }
        #expect(throws: SessionRefusal(reason: .notOwner, heldBy: phone)) { try machine.complete(by: other) }
        #expect(throws: SessionRefusal(reason: .notOwner, heldBy: phone)) {
            try machine.cancel(by: other, force: false)
        }
        #expect(machine.session?.id == id(1))
    }

    @Test func `prepare by the owner supersedes a session with no commission running`() throws {
        try prepared()
        let ended = try machine.prepare(id: id(2), owner: phone, lifetime: nil, now: at(5))
        #expect(ended?.reason == .superseded)
        #expect(ended?.session.id == id(1))
        #expect(machine.session?.id == id(2))
    }

    @Test func `prepare during a commission is refused on a live connection and cancels it on a dead one`() throws {
        try prepared()
        let ticket = try machine.beginCommission(by: phone)
        #expect(throws: SessionRefusal(reason: .commissionRunning)) {
            try machine.prepare(id: id(2), owner: phone, lifetime: nil, now: at(1))
        }
        machine.ownerDisconnected(phone, now: at(2))
        let ended = try machine.prepare(id: id(2), owner: phone, lifetime: nil, now: at(3))
        #expect(ended?.running == ticket)
    }

    @Test func `one commission at a time and nothing else meanwhile`() throws {
        try prepared()
        _ = try machine.beginCommission(by: phone)
        #expect(throws: SessionRefusal(reason: .commissionRunning)) { try machine.beginCommission(by: phone) }
        #expect(throws: SessionRefusal(reason: .commissionRunning)) { try machine.complete(by: phone) }
        #expect(throws: SessionRefusal(reason: .commissionRunning)) { try machine.configurable(by: phone) }
    }

    @Test func `complete gives the provisional devices and frees the session`() throws {
        try prepared()
        #expect(throws: SessionRefusal(reason: .nothingCommissioned)) { try machine.complete(by: phone) }
        #expect(throws: SessionRefusal(reason: .nothingCommissioned)) { try machine.configurable(by: phone) }
        for node in [UInt64(7), 8] {
            let ticket = try machine.beginCommission(by: phone)
            let result5 = machine.commissionSucceeded(ticket, node: NodeID(rawValue: node), now: at(0))
            #expect(result5)
        }
        #expect(try machine.configurable(by: phone) == NodeID(rawValue: 8))
        let session = try machine.complete(by: phone)
        #expect(session.provisional.map(\.rawValue) == [7, 8])
        #expect(machine.session == nil)
        let result6 = machine.restore(session)
        #expect(result6)
        #expect(machine.session == session)
        let result7 = machine.restore(session)
        #expect(!result7)
    }

    @Test func `a failed commission touches only itself`() throws {
        try prepared()
        let good = try machine.beginCommission(by: phone)
        let result8 = machine.commissionSucceeded(good, node: NodeID(rawValue: 7), now: at(0))
        #expect(result8)
        let bad = try machine.beginCommission(by: phone)
        let result9 = machine.commissionFailed(bad, message: "no answer", now: at(0))
        #expect(result9)
        #expect(machine.session?.lastError == "no answer")
        #expect(machine.session?.provisional == [NodeID(rawValue: 7)])
        #expect(machine.running == nil)
    }

    @Test func `late results are discarded`() throws {
        try prepared()
        let ticket = try machine.beginCommission(by: phone)
        let ended = try machine.cancel(by: phone, force: false)
        #expect(ended?.running == ticket)
        #expect(ended?.reason == .cancelled)
        try prepared(at: 1)
        let newer = try machine.beginCommission(by: phone)
        let result10 = machine.commissionSucceeded(ticket, node: NodeID(rawValue: 7), now: at(0))
        #expect(!result10)
        let result11 = machine.commissionFailed(ticket, message: "late", now: at(0))
        #expect(!result11)
        machine.stageFinished(ticket, now: at(500))
        #expect(machine.running == newer)
        #expect(machine.session?.expiresAt == at(601))
    }

    @Test func `force cancels another app's session`() throws {
        try prepared()
        let ended = try machine.cancel(by: other, force: true)
        #expect(ended?.reason == .forced)
        #expect(machine.session == nil)
    }

    @Test func `the life is 10 minutes, extended by stages, never past 30`() throws {
        try prepared()
        #expect(machine.deadline == at(600))
        let result12 = machine.timerFired(now: at(599))
        #expect(result12 == nil)
        let ticket = try machine.beginCommission(by: phone)
        machine.stageFinished(ticket, now: at(500))
        #expect(machine.deadline == at(1_100))
        machine.stageFinished(ticket, now: at(1_700))
        #expect(machine.deadline == at(1_800))
        let ended = machine.timerFired(now: at(1_800))
        #expect(ended?.reason == .expired)
        #expect(ended?.running == ticket)
        #expect(machine.session == nil)
    }

    @Test func `an owner without a connection loses the session after its grace`() throws {
        try prepared()
        machine.ownerDisconnected(other, now: at(5))
        machine.ownerDisconnected(phone, now: at(10))
        #expect(machine.deadline == at(130))
        machine.ownerConnected(phone)
        #expect(machine.deadline == at(600))
        machine.ownerDisconnected(phone, now: at(20))
        let ticket = try machine.beginCommission(by: phone)
        #expect(machine.deadline == at(600))
        // Its grace begins anew when nothing runs any more.
        let result13 = machine.commissionFailed(ticket, message: "x", now: at(300))
        #expect(result13)
        #expect(machine.deadline == at(420))
        let result14 = machine.timerFired(now: at(420))
        #expect(result14?.reason == .ownerGone)
    }

    @Test func `revoking the owner's grant ends the session, another's does not`() throws {
        try prepared()
        let result15 = machine.grantRevoked(other)
        #expect(result15 == nil)
        let result16 = machine.grantRevoked(phone)
        #expect(result16?.reason == .revoked)
        #expect(machine.session == nil)
    }

    @Test func `a lifetime that the client asked for is kept within the total`() throws {
        _ = try machine.prepare(id: id(1), owner: phone, lifetime: .seconds(30), now: at(0))
        #expect(machine.deadline == at(30))
        _ = try machine.prepare(id: id(2), owner: phone, lifetime: .seconds(90_000), now: at(0))
        #expect(machine.deadline == at(1_800))
    }
}
