import MatterModel
import MatterWire
import Testing

@Suite("The commissioning window machine (Core §5.5, §11.19)")
struct CommissioningWindowTests {
    private let end = MonotonicInstant(sinceStart: .seconds(180))
    private let admin = FabricIndex(rawValue: 2)

    private func window(_ kind: CommissioningWindow.Kind) -> CommissioningWindow {
        CommissioningWindow(
            kind: kind, discriminator: 1, pake: TestNode.pake, adminFabric: kind == .initial ? nil : admin,
            adminVendor: kind == .initial ? nil : VendorID(rawValue: 1))
    }

    private func listening(_ kind: CommissioningWindow.Kind = .enhanced) -> CommissioningWindowMachine {
        var machine = CommissioningWindowMachine()
        _ = machine.open(window(kind), until: kind == .initial ? nil : end)
        return machine
    }

    private func occupied(_ kind: CommissioningWindow.Kind = .enhanced) -> CommissioningWindowMachine {
        var machine = listening(kind)
        _ = machine.paseEstablished()
        return machine
    }

    @Test func `opening listens and shows in the cluster`() {
        var machine = CommissioningWindowMachine()
        #expect(machine.open(window(.enhanced), until: end) == [.listen(window(.enhanced)), .statusChanged])
        #expect(machine.deadline == end)
        #expect(machine.listening == window(.enhanced))
        #expect(window(.enhanced).commissioningMode == 2 && window(.basic).commissioningMode == 1)
    }

    @Test func `the initial window has no end and does not show`() {
        var machine = CommissioningWindowMachine()
        #expect(machine.open(window(.initial), until: nil) == [.listen(window(.initial))])
        #expect(machine.deadline == nil)
    }

    @Test func `PASE occupies it`() {
        var machine = listening()
        #expect(machine.paseEstablished() == [.stopListening])
        #expect(machine.listening == nil && machine.window == window(.enhanced))
    }

    @Test func `an aborted attempt listens again`() {
        var machine = occupied()
        #expect(machine.attemptAborted() == [.listen(window(.enhanced))])
    }

    @Test func `the time closes it while listening`() {
        var machine = listening()
        #expect(machine.timerFired(now: MonotonicInstant(sinceStart: .seconds(179))).isEmpty)
        #expect(machine.timerFired(now: end) == [.stopListening, .statusChanged])
        #expect(machine.window == nil && machine.deadline == nil)
    }

    @Test func `the time closes it while occupied, and it does not come back`() {
        var machine = occupied()
        #expect(machine.timerFired(now: end) == [.statusChanged])
        #expect(machine.attemptAborted().isEmpty)
        #expect(machine.window == nil)
    }

    @Test func `completion closes it`() {
        var machine = occupied(.initial)
        #expect(machine.commissioned().isEmpty)
        #expect(machine.window == nil)
    }

    @Test func `revoking closes it`() {
        var machine = listening(.basic)
        #expect(machine.revoke() == [.stopListening, .statusChanged])
        var other = occupied(.basic)
        #expect(other.revoke() == [.statusChanged])
    }

    @Test func `the twentieth failed PASE closes it`() {
        var machine = listening()
        for _ in 1..<20 { #expect(machine.paseFailed().isEmpty) }
        #expect(machine.paseFailed() == [.stopListening, .statusChanged])
    }

    @Test func `aborted attempts count as failed ones`() {
        var machine = listening()
        for _ in 1...18 { _ = machine.paseFailed() }
        _ = machine.paseEstablished()
        #expect(machine.attemptAborted() == [.listen(window(.enhanced))])
        _ = machine.paseEstablished()
        #expect(machine.attemptAborted() == [.statusChanged])
        #expect(machine.window == nil)
    }

    @Test func `a removed administrator is no longer named`() {
        var machine = listening()
        #expect(machine.fabricRemoved(FabricIndex(rawValue: 9)).isEmpty)
        #expect(machine.fabricRemoved(admin) == [.statusChanged])
        #expect(machine.window?.adminFabric == nil && machine.window?.adminVendor != nil)
        var other = occupied()
        #expect(other.fabricRemoved(admin) == [.statusChanged])
        #expect(other.listening == nil)
    }

    // MARK: Refused events

    @Test func `closed refuses everything but opening`() {
        var machine = CommissioningWindowMachine()
        #expect(machine.paseEstablished().isEmpty && machine.paseFailed().isEmpty)
        #expect(machine.attemptAborted().isEmpty && machine.commissioned().isEmpty && machine.revoke().isEmpty)
        #expect(machine.timerFired(now: end).isEmpty && machine.fabricRemoved(admin).isEmpty)
        #expect(machine.window == nil)
    }

    @Test func `an open window is not opened again`() {
        var machine = listening()
        #expect(machine.open(window(.basic), until: nil).isEmpty)
        #expect(machine.window?.kind == .enhanced)
    }

    @Test func `listening has no attempt to abort`() {
        var machine = listening()
        #expect(machine.attemptAborted().isEmpty)
        #expect(machine.listening != nil)
    }

    @Test func `occupied takes no second PASE and counts no failure`() {
        var machine = occupied()
        #expect(machine.paseEstablished().isEmpty)
        for _ in 0..<30 { #expect(machine.paseFailed().isEmpty) }
        #expect(machine.window != nil)
    }
}
