import Combine
import Dispatch
import NetIO
import Testing

@Suite("Subjects") struct SubjectTests {
    @Test func `a passthrough subject sends to those who are there`() {
        let subject = PassthroughSubject<Int, Trouble>()
        subject.send(1)
        let first = subject.record()
        subject.send(2)
        let second = subject.record()
        subject.send(3)
        subject.send(completion: .failure(Trouble(number: 7)))
        subject.send(4)
        #expect(first.values == [2, 3] && second.values == [3])
        #expect(first.error == Trouble(number: 7) && first.ends == 1)
        let late = subject.record()
        #expect(late.values.isEmpty && late.error == Trouble(number: 7))
    }

    @Test func `without demand a passthrough subject's values are lost`() {
        let subject = PassthroughSubject<Int, Never>()
        let recorder = subject.record(.max(1))
        subject.send(1)
        subject.send(2)
        recorder.subscription?.request(.max(1))
        subject.send(3)
        subject.send(4)
        subject.send(completion: .finished)
        #expect(recorder.values == [1, 3] && recorder.ends == 1)
    }

    @Test func `without demand a current value subject keeps the newest`() {
        let subject = CurrentValueSubject<Int, Never>(0)
        let recorder = subject.record(.none)
        subject.send(1)
        subject.value = 2
        #expect(subject.value == 2 && recorder.values.isEmpty)
        recorder.subscription?.request(.max(2))
        #expect(recorder.values == [2])
        subject.send(3)
        subject.send(4)
        subject.send(5)
        #expect(recorder.values == [2, 3])
        recorder.subscription?.request(.max(1))
        #expect(recorder.values == [2, 3, 5])
    }

    @Test func `a current value may be nil`() {
        let subject = CurrentValueSubject<Int?, Never>(nil)
        let recorder = subject.record()
        subject.send(1)
        subject.send(nil)
        #expect(recorder.values == [nil, 1, nil])
    }

    @Test func `nothing comes after cancelling, or when the tie is not kept`() {
        let subject = PassthroughSubject<Int, Never>()
        let seen = Locked<[Int]>([])
        var tie: AnyCancellable? = subject.sink { value in seen.withLock { $0.append(value) } }
        subject.send(1)
        tie = nil
        subject.send(2)
        let second = subject.sink { value in seen.withLock { $0.append(value) } }
        subject.send(3)
        second.cancel()
        second.cancel()
        subject.send(4)
        #expect(seen.withLock { $0 } == [1, 3])
        withExtendedLifetime(tie) {}
    }

    @Test func `cancelling lets go of what the closure holds`() {
        final class Held {}
        let subject = PassthroughSubject<Int, Never>()
        weak var held: Held?
        let tie: AnyCancellable
        do {
            let object = Held()
            held = object
            tie = subject.map { $0 + 1 }.filter { $0 > 0 }.sink { _ in withExtendedLifetime(object) {} }
        }
        #expect(held != nil)
        tie.cancel()
        #expect(held == nil)
    }

    @Test func `the end lets go of what the closure holds`() {
        final class Held {}
        let subject = PassthroughSubject<Int, Never>()
        weak var held: Held?
        let tie: AnyCancellable
        do {
            let object = Held()
            held = object
            tie = subject.flatMap { Just($0) }.sink { _ in withExtendedLifetime(object) {} }
        }
        subject.send(completion: .finished)
        #expect(held == nil)
        withExtendedLifetime(tie) {}
    }

    @Test func `a value sent from within comes after the one that is being handed over`() {
        let subject = PassthroughSubject<Int, Never>()
        let seen = Locked<[String]>([])
        let tie = subject.sink { value in
            seen.withLock { $0.append("begin \(value)") }
            if value < 3 { subject.send(value + 1) }
            seen.withLock { $0.append("end \(value)") }
        }
        subject.send(1)
        #expect(seen.withLock { $0 } == ["begin 1", "end 1", "begin 2", "end 2", "begin 3", "end 3"])
        withExtendedLifetime(tie) {}
    }

    @Test func `a subscriber may cancel while it takes a value`() {
        let subject = PassthroughSubject<Int, Never>()
        let tie = Locked<AnyCancellable?>(nil)
        let seen = Locked<[Int]>([])
        let new = subject.sink { value in
            seen.withLock { $0.append(value) }
            tie.withLock { $0 }?.cancel()
        }
        tie.withLock { $0 = new }
        subject.send(1)
        subject.send(2)
        #expect(seen.withLock { $0 } == [1])
    }

    @Test func `many threads lose nothing, and no subscriber is entered twice at once`() {
        let subject = PassthroughSubject<Int, Never>()
        let sum = Locked(0), inside = Locked(0), overlaps = Locked(0)
        let tie = subject.sink { value in
            if inside.withLock({ inside in
                inside += 1
                return inside
            }) > 1 {
                overlaps.withLock { $0 += 1 }
            }
            sum.withLock { $0 += value }
            inside.withLock { $0 -= 1 }
        }
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for value in 1...500 { subject.send(value) }
        }
        #expect(sum.withLock { $0 } == 8 * 500 * 501 / 2)
        #expect(overlaps.withLock { $0 } == 0)
        withExtendedLifetime(tie) {}
    }

    @Test func `all subscribers see several threads' values in the same order, and the last is the value`() {
        let subject = CurrentValueSubject<Int, Never>(-1)
        let first = subject.record(), second = subject.record()
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for value in 0..<200 { subject.send(thread * 1000 + value) }
        }
        #expect(first.values.count == 801)
        #expect(first.values == second.values)
        #expect(first.values.last == subject.value)
    }

    @Test func `subscribing and cancelling while others send goes well`() {
        let subject = PassthroughSubject<Int, Never>()
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for value in 0..<200 {
                if thread.isMultiple(of: 2) {
                    subject.send(value)
                } else {
                    let tie = subject.sink { _ in }
                    tie.cancel()
                }
            }
        }
    }

    @Test func `a publisher sends on through a subject`() {
        let source = PassthroughSubject<Int, Never>(), target = PassthroughSubject<Int, Never>()
        let recorder = target.record()
        let tie = source.subscribe(target)
        source.send(1)
        tie.cancel()
        source.send(2)
        #expect(recorder.values == [1])
    }

    @Test func `a set and an array keep ties`() {
        let subject = PassthroughSubject<Int, Never>()
        let count = Locked(0)
        var set = Set<AnyCancellable>(), array: [AnyCancellable] = []
        subject.sink { _ in count.withLock { $0 += 1 } }.store(in: &set)
        subject.sink { _ in count.withLock { $0 += 1 } }.store(in: &array)
        subject.send(1)
        set.removeAll()
        subject.send(2)
        array = []
        subject.send(3)
        #expect(count.withLock { $0 } == 3)
    }
}

@Suite("Demand") struct DemandTests {
    @Test func `demands add up`() {
        #expect(Subscribers.Demand.max(2) + .max(3) == .max(5))
        #expect(Subscribers.Demand.unlimited + .max(1) == .unlimited)
        #expect(Subscribers.Demand.max(.max) + 1 == .unlimited)
        #expect(Subscribers.Demand.max(2) - .max(3) == .none)
        #expect(Subscribers.Demand.max(3) - .unlimited == .none)
        #expect(Subscribers.Demand.unlimited - 1 == .unlimited)
        #expect(
            Subscribers.Demand.none < .max(1) && .max(1) < .unlimited && !(.unlimited < Subscribers.Demand.unlimited))
        #expect("\(Subscribers.Demand.max(3)) \(Subscribers.Demand.unlimited)" == "max(3) unlimited")
    }

    @Test func `a negative demand is a mistake of the caller`() async {
        await #expect(processExitsWith: .failure) { _ = Subscribers.Demand.max(-1) }
    }
}
