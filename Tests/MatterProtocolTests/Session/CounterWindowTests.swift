import MatterWire
import TestSupport
import Testing

@testable import MatterProtocol

private struct WindowVector: Decodable, Sendable, CustomTestStringConvertible {
    struct File: Decodable { var counterWindow: [WindowVector] }
    struct Step: Decodable, Sendable {
        var counter: UInt32
        var isNew: Bool
        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            counter = try list.decode(UInt32.self)
            isNew = try list.decode(String.self) == "accept"
        }
    }
    var name: String
    var steps: [Step]
    var testDescription: String { name }

    static let all = Vectors.load(File.self, "message.json").counterWindow
}

@Suite("Counter window (Core §4.6.5)")
struct CounterWindowTests {
    @Test(arguments: WindowVector.all)
    fileprivate func `matches vector`(_ vector: WindowVector) {
        var window = CounterWindow()
        #expect(!vector.steps.isEmpty)
        for step in vector.steps {
            let counter = MessageCounter(rawValue: step.counter)
            #expect(window.verdict(counter) == (step.isNew ? .new : .duplicate), "\(step.counter)")
            if window.verdict(counter) == .new { window.accept(counter) }
        }
    }

    @Test func `takes the first messages of a session in any order`() {
        var window = CounterWindow()
        for counter in [1002, 1001, 1000, 1003] as [UInt32] {
            #expect(window.verdict(.init(rawValue: counter)) == .new)
            window.accept(.init(rawValue: counter))
            #expect(window.verdict(.init(rawValue: counter)) == .duplicate)
        }
        #expect(window.verdict(.init(rawValue: 0)) == .duplicate)
    }

    @Test func `follows the counter to its end`() {
        var window = CounterWindow()
        window.accept(.init(rawValue: 0xFFFF_FFFE))
        #expect(window.verdict(.init(rawValue: 0xFFFF_FFFF)) == .new)
        #expect(window.verdict(.init(rawValue: 0xFFFF_FFFD)) == .new)
        #expect(window.verdict(.init(rawValue: 1)) == .duplicate)
    }

    @Test func `an unsecured peer that starts anew is heard`() {
        var window = CounterWindow(first: .init(rawValue: 1000))
        #expect(window.verdict(.init(rawValue: 1000)) == .duplicate)
        #expect(window.verdict(.init(rawValue: 999)) == .new, "it may have been overtaken")
        window.accept(.init(rawValue: 999))
        #expect(window.verdict(.init(rawValue: 999)) == .duplicate)
        #expect(window.verdict(.init(rawValue: 967)) == .new)
        window.accept(.init(rawValue: 5))
        #expect(window.verdict(.init(rawValue: 5)) == .duplicate)
        #expect(window.verdict(.init(rawValue: 6)) == .new)
    }

    @Test func `the unsecured counter may pass its end`() {
        var window = CounterWindow(first: .init(rawValue: 0xFFFF_FFFF))
        #expect(window.verdict(.init(rawValue: 2)) == .new)
        window.accept(.init(rawValue: 2))
        #expect(window.verdict(.init(rawValue: 1)) == .new)
        #expect(window.verdict(.init(rawValue: 0xFFFF_FFFF)) == .duplicate)
    }

    /// The model is a plain set of what was seen, with the window's edge.
    @Test func `agrees with a set of counters`() {
        for seed in UInt64(0)..<200 {
            var random = SeededGenerator(seed: seed)
            var window = CounterWindow()
            var seen: Set<UInt32> = []
            var newest: UInt32 = 0
            for _ in 0..<200 {
                let low = newest > 50 ? newest - 50 : 1
                let counter = UInt32.random(in: low...newest + 50, using: &random)
                let isNew = counter > newest || (newest - counter <= 32 && !seen.contains(counter))
                #expect(window.verdict(.init(rawValue: counter)) == (isNew ? .new : .duplicate), "seed \(seed)")
                guard isNew else { continue }
                window.accept(.init(rawValue: counter))
                seen.insert(counter)
                newest = max(newest, counter)
            }
        }
    }
}

@Suite("Send counter (Core §4.6.1.1)")
struct SendCounterTests {
    @Test func `starts in the lower 28 bits, above zero`() {
        for seed in UInt64(0)..<200 {
            var counter = SendCounter(random: .seeded(seed))
            let first = counter.take()?.rawValue ?? 0
            #expect((1...0x1000_0000).contains(first))
            #expect(counter.take()?.rawValue == first + 1)
        }
    }

    @Test func `a session's counter ends before it would repeat`() {
        var counter = SendCounter(first: 0xFFFF_FFFE)
        #expect(counter.take() == MessageCounter(rawValue: 0xFFFF_FFFE))
        #expect(counter.isExhausted)
        #expect(counter.take() == nil)
    }

    @Test func `the unsecured counter begins anew`() {
        var counter = SendCounter(first: 0xFFFF_FFFE)
        #expect([1, 2, 3].map { _ in counter.takeWrapping().rawValue } == [0xFFFF_FFFE, 1, 2])
    }
}
