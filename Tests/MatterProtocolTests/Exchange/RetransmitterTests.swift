import MatterWire
import TestSupport
import Testing

@testable import MatterProtocol

private struct MRPVector: Decodable, Sendable, CustomTestStringConvertible {
    struct File: Decodable { var rows: [MRPVector] }
    struct Wait: Decodable, Sendable { var n: Int, minMs: Double, maxMs: Double }
    var intervalMs: Int64
    var retransmissions: [Wait]
    var testDescription: String { "\(intervalMs) ms" }

    static let all = Vectors.load(File.self, "mrp.json").rows
}

private func milliseconds(_ duration: Duration) -> Double { duration / .milliseconds(1) }
private func instant(_ milliseconds: Int64) -> MonotonicInstant {
    MonotonicInstant(sinceStart: .milliseconds(milliseconds))
}

@Suite("Retransmission (Core §4.12.2)")
struct RetransmitterTests {
    @Test(arguments: MRPVector.all)
    fileprivate func `waits as long as the vectors say`(_ vector: MRPVector) {
        #expect(vector.retransmissions.count == MRP.maximumTransmissions)
        for wait in vector.retransmissions {
            let interval = Duration.milliseconds(vector.intervalMs)
            let least = milliseconds(MRP.wait(after: wait.n, interval: interval, jitter: 0))
            let most = milliseconds(MRP.wait(after: wait.n, interval: interval, jitter: 1))
            #expect(abs(least - wait.minMs) < 0.001 && abs(most - wait.maxMs) < 0.001, "n = \(wait.n)")
        }
    }

    @Test func `gives up after the fifth transmission`() {
        var machine = Retransmitter(
            counter: .init(rawValue: 1), datagram: [1], now: instant(0), interval: .milliseconds(300), jitter: 0)
        var waits = [milliseconds(machine.deadline.sinceStart)]
        var actions: [Retransmitter.Action] = []
        while actions.last != .giveUp {
            let before = machine.deadline
            actions.append(machine.timerFired(now: before, interval: .milliseconds(300), jitter: 0))
            waits.append(milliseconds(before.duration(to: machine.deadline)))
        }
        #expect(actions == [.transmit, .transmit, .transmit, .transmit, .giveUp])
        #expect(machine.transmissions == 5)
        #expect(waits.map { $0.rounded() } == [330, 330, 528, 845, 1352, 0])
    }

    @Test func `does nothing before its time`() {
        var machine = Retransmitter(
            counter: .init(rawValue: 1), datagram: [1], now: instant(0), interval: .milliseconds(300), jitter: 0)
        #expect(machine.timerFired(now: instant(329), interval: .milliseconds(300), jitter: 0) == .none)
        #expect(machine.transmissions == 1)
    }

    @Test func `a peer's timing is kept within limits`() {
        let wild = MRPParameters(SessionParameters(idleInterval: .max, activeInterval: 0, activeThreshold: .max))
        #expect(wild.idleInterval == .seconds(3600))
        #expect(wild.activeInterval == .milliseconds(10))
        #expect(wild.activeThreshold == .milliseconds(65535))
        #expect(MRPParameters(nil) == MRPParameters())
        #expect(MRPParameters().idleInterval == .milliseconds(500))
        let longest = MRP.longestDelivery(interval: .milliseconds(300)) / .milliseconds(1)
        #expect(abs(longest - (412.5 + 412.5 + 660 + 1056 + 1689.6)) < 0.001)
    }
}

@Suite("Deadline queue")
struct DeadlineQueueTests {
    @Test func `gives deadlines in order and sweeps the dead`() {
        for seed in UInt64(0)..<200 {
            var random = SeededGenerator(seed: seed)
            var queue = DeadlineQueue()
            var expected: [MonotonicInstant] = []
            for number in 0..<UInt64.random(in: 0...40, using: &random) {
                let deadline = instant(.random(in: 0...1000, using: &random))
                queue.insert(
                    .init(deadline: deadline, exchange: .init(rawValue: number), kind: .retransmission))
                if number.isMultiple(of: 3) { expected.append(deadline) }
            }
            queue.sweep { $0.exchange.rawValue.isMultiple(of: 3) }
            var taken: [MonotonicInstant] = []
            while let entry = queue.removeFirst() { taken.append(entry.deadline) }
            #expect(taken == expected.sorted(), "seed \(seed)")
        }
    }
}
