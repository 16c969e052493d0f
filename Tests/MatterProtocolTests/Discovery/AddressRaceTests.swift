import MatterProtocol
import MatterWire
import Testing

@Suite("AddressRace (design: Sigma1 at once)") final class AddressRaceTests {
    var race = AddressRace()

    func at(_ milliseconds: Int) -> MonotonicInstant { .init(sinceStart: .milliseconds(milliseconds)) }
    func address(_ last: UInt8, port: UInt16 = 5540) -> PeerAddress {
        PeerAddress(ip: [UInt8](repeating: 0xFD, count: 15) + [last], port: port)
    }

    @Test func `the known address is tried at once and the same one from the browse is not a second try`() {
        let first = race.found(address(1), now: at(0))
        #expect(first == [.attempt(address(1))])
        let second = race.found(address(1), now: at(1))
        #expect(second.isEmpty)
        #expect(race.deadline == nil)
    }

    @Test func `another address waits for a second of silence`() {
        _ = race.found(address(1), now: at(0))
        let waiting = race.found(address(2), now: at(5))
        #expect(waiting.isEmpty)
        #expect(race.deadline == at(1000))
        let early = race.timerFired(now: at(999))
        #expect(early.isEmpty)
        let due = race.timerFired(now: at(1000))
        #expect(due == [.attempt(address(2))])
    }

    @Test func `another address starts when the first gave up`() {
        _ = race.found(address(1), now: at(0))
        _ = race.found(address(2), now: at(5))
        let next = race.failed(address(1), now: at(100))
        #expect(next == [.attempt(address(2))])
        let nothing = race.failed(address(2), now: at(200))
        #expect(nothing.isEmpty)
        #expect(race.isIdle)
        let late = race.found(address(3), now: at(300))
        #expect(late == [.attempt(address(3))])
        #expect(!race.isIdle)
    }

    @Test func `an answer stops the others and holds back the rest`() {
        _ = race.found(address(1), now: at(0))
        _ = race.found(address(2), now: at(0))
        _ = race.found(address(3), now: at(0))
        _ = race.timerFired(now: at(1000))
        let abandoned = race.answered(address(2))
        #expect(abandoned == [.abandon(address(1))])
        #expect(race.deadline == nil)
        let held = race.timerFired(now: at(9000))
        #expect(held.isEmpty)
    }

    @Test func `an answered try that fails lets the others go on`() {
        _ = race.found(address(1), now: at(0))
        _ = race.found(address(2), now: at(0))
        _ = race.answered(address(1))
        let next = race.failed(address(1), isFinal: true, now: at(300))
        #expect(next == [.attempt(address(2))])
    }

    @Test func `success ends the race and the loser is abandoned`() {
        _ = race.found(address(1), now: at(0))
        _ = race.found(address(2), now: at(0))
        _ = race.timerFired(now: at(1000))
        let loser = race.succeeded(address(2))
        #expect(loser == [.abandon(address(1))])
        #expect(race.deadline == nil)
        let found = race.found(address(3), now: at(2000))
        let failed = race.failed(address(1), now: at(2000))
        let answered = race.answered(address(1))
        let again = race.succeeded(address(1))
        #expect(found.isEmpty && failed.isEmpty && answered.isEmpty && again.isEmpty)
        #expect(!race.isIdle)
    }

    @Test func `a busy node is tried again when it said and that costs no try`() {
        _ = race.found(address(1), now: at(0))
        let wait = race.failed(address(1), retryAfter: .milliseconds(500), now: at(10))
        #expect(wait.isEmpty)
        #expect(race.deadline == at(510))
        #expect(!race.isIdle)
        let retry = race.timerFired(now: at(510))
        #expect(retry == [.attempt(address(1))])
        let end = race.failed(address(1), now: at(600))
        #expect(end.isEmpty)
        #expect(race.isIdle)
    }

    @Test func `several tries take turns between the addresses`() {
        race = AddressRace(attemptsPerAddress: 2)
        _ = race.found(address(1), now: at(0))
        _ = race.found(address(2), now: at(0))
        var order: [AddressRace.Action] = []
        for (index, last) in [UInt8(1), 2, 1, 2].enumerated() {
            order += race.failed(address(last), now: at(index))
        }
        #expect(order == [.attempt(address(2)), .attempt(address(1)), .attempt(address(2))])
        #expect(race.isIdle)
    }

    @Test func `events of unknown or idle addresses are ignored`() {
        let failed = race.failed(address(9), now: at(0))
        let answered = race.answered(address(9))
        let won = race.succeeded(address(9))
        #expect(failed.isEmpty && answered.isEmpty && won.isEmpty)
        #expect(race.isIdle)
        _ = race.found(address(1), now: at(0))
        _ = race.failed(address(1), now: at(1))
        let twice = race.failed(address(1), now: at(2))
        #expect(twice.isEmpty)
    }
}
