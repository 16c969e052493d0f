import Combine
import Foundation
import NetIO
import Testing

private class Model: ObservableObject {
    @Published var text = "a"
    @Published var count: Int

    init(count: Int) { self.count = count }
}
private final class Derived: Model {
    @Published var flag = false
}
private final class Plain: ObservableObject {}
private final class Custom: ObservableObject {
    let objectWillChange = PassthroughSubject<String, Never>()
    @Published var text = ""
}

@Suite("Observable objects") struct ObjectTests {
    @Test func `a watcher learns the new value while it is still the old one`() {
        let model = Model(count: 1)
        var seen: [String] = []
        let tie = model.$text.sink { seen.append("\($0) was \(model.text)") }
        model.text = "b"
        model.text += "c"
        #expect(seen == ["a was a", "b was a", "bc was b"])
        #expect(model.text == "bc")
        withExtendedLifetime(tie) {}
    }

    @Test func `an object says that it will change, before it does`() {
        let model = Derived(count: 1)
        var seen: [String] = []
        let tie = model.objectWillChange.sink { seen.append("\(model.text) \(model.count) \(model.flag)") }
        model.text = "b"
        model.count = 2
        model.flag = true
        #expect(seen == ["a 1 false", "b 1 false", "b 2 false"])
        #expect(model.objectWillChange === model.objectWillChange)
        withExtendedLifetime(tie) {}
    }

    @Test func `an object without such properties has one publisher of its own`() {
        let first = Plain(), second = Plain()
        var count = 0
        let tie = first.objectWillChange.sink { count += 1 }
        first.objectWillChange.send()
        second.objectWillChange.send()
        #expect(count == 1)
        #expect(first.objectWillChange !== second.objectWillChange)
        for _ in 0..<500 { _ = Plain().objectWillChange }
        #expect(first.objectWillChange === first.objectWillChange)
        withExtendedLifetime(tie) {}
    }

    @Test func `an object may have its own publisher`() {
        let object = Custom()
        let recorder = object.objectWillChange.record()
        object.text = "x"
        object.objectWillChange.send("y")
        #expect(recorder.values == ["y"])
    }

    @Test func `a publisher is put into properties`() {
        let subject = PassthroughSubject<String, Never>()
        let model = Model(count: 0)
        subject.assign(to: &model.$text)
        let tie = subject.map(\.count).assign(to: \.count, on: model)
        subject.send("hello")
        #expect(model.text == "hello" && model.count == 5)
        tie.cancel()
        subject.send("x")
        #expect(model.text == "x" && model.count == 5)
    }

    @Test func `a property that is gone is not assigned to`() {
        let cancelled = Locked(false)
        let subject = PassthroughSubject<String, Never>()
        do {
            let model = Model(count: 0)
            subject.handleEvents(receiveCancel: { cancelled.withLock { $0 = true } }).assign(to: &model.$text)
            subject.send("x")
            #expect(!cancelled.withLock { $0 })
        }
        #expect(cancelled.withLock { $0 })
    }
}

@Suite("Values and schedulers", .timeLimit(.minutes(1))) struct AsynchronyTests {
    @Test func `a loop takes the values and ends`() async throws {
        var seen: [Int] = []
        for await value in [1, 2, 3].publisher.values { seen.append(value) }
        #expect(seen == [1, 2, 3])
        var failing = Fail<Int, Trouble>(error: Trouble()).prepend(1).values.makeAsyncIterator()
        #expect(try await failing.next() == 1)
        await #expect(throws: Trouble()) { try await failing.next() }
        #expect(try await failing.next() == nil)
    }

    @Test func `a loop over an endless source asks one by one`() async {
        var seen: [Int] = []
        for await value in (0...).publisher.values {
            if value == 5 { break }
            seen.append(value)
        }
        #expect(seen == [0, 1, 2, 3, 4])
    }

    @Test func `leaving the loop ends the subscription`() async {
        let cancelled = Locked(false)
        let subject = CurrentValueSubject<Int, Never>(0)
        for await _ in subject.handleEvents(receiveCancel: { cancelled.withLock { $0 = true } }).values { break }
        #expect(cancelled.withLock { $0 })
    }

    @Test func `a waiting loop ends when its task is cancelled`() async {
        let subject = PassthroughSubject<Int, Never>()
        let waits = AsyncStream<Void>.makeStream()
        let task = Task {
            let values = subject.handleEvents(receiveRequest: { _ in waits.continuation.yield() }).values
            for await _ in values {}
            return true
        }
        var waiting = waits.stream.makeAsyncIterator()
        _ = await waiting.next()
        task.cancel()
        #expect(await task.value)
    }

    @Test func `values come on the queue, in their order, also on a concurrent one`() async {
        let key = DispatchSpecificKey<String>()
        let queue = DispatchQueue(label: "test", attributes: .concurrent)
        queue.setSpecific(key: key, value: "here")
        let seen = Locked<[Int]>([]), elsewhere = Locked(0)
        await withCheckedContinuation { continuation in
            let tie = Locked<AnyCancellable?>(nil)
            let new = (0..<500).publisher.receive(on: queue).sink(
                receiveCompletion: { _ in
                    tie.withLock { $0 = nil }
                    continuation.resume()
                },
                receiveValue: { value in
                    if DispatchQueue.getSpecific(key: key) != "here" { elsewhere.withLock { $0 += 1 } }
                    seen.withLock { $0.append(value) }
                })
            tie.withLock { $0 = new }
        }
        #expect(seen.withLock { $0 } == Array(0..<500))
        #expect(elsewhere.withLock { $0 } == 0)
    }

    /// Marks the main queue. Not the main thread: in a program with an asynchronous `main` another may serve the queue.
    private static let mainKey: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()
    private static var isOnMainQueue: Bool { DispatchQueue.getSpecific(key: mainKey) == true }

    @Test func `the main queue, loop and operations run work on the main queue`() async {
        func runs(on scheduler: some Scheduler) async -> Bool {
            await withCheckedContinuation { continuation in
                scheduler.schedule { continuation.resume(returning: Self.isOnMainQueue) }
            }
        }
        #expect(await runs(on: DispatchQueue.main))
        #expect(await runs(on: RunLoop.main))
        #expect(await runs(on: OperationQueue.main))
        #expect(await !runs(on: OperationQueue()))
        #expect(Just(1).receive(on: ImmediateScheduler.shared).record().values == [1])
    }

    @Test func `nothing comes on the queue after cancelling`() async {
        let queue = DispatchQueue(label: "test")
        let subject = PassthroughSubject<Int, Never>()
        let count = Locked(0)
        queue.suspend()
        let tie = subject.receive(on: queue).sink { _ in count.withLock { $0 += 1 } }
        subject.send(1)
        tie.cancel()
        queue.resume()
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
        #expect(count.withLock { $0 } == 0)
    }

    @Test func `subscribing happens on the queue`() async {
        let isOnMainQueue = await withCheckedContinuation { continuation in
            let tie = Locked<AnyCancellable?>(nil)
            let new = Deferred { Just(Self.isOnMainQueue) }.subscribe(on: DispatchQueue.main).sink { isOnMainQueue in
                tie.withLock { $0 = nil }
                continuation.resume(returning: isOnMainQueue)
            }
            tie.withLock { $0 = new }
        }
        #expect(isOnMainQueue)
    }
}
