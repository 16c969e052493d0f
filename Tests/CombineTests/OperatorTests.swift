import Combine
import Foundation
import NetIO
import Testing

@Suite("Operators") struct OperatorTests {
    private let numbers = [1, 2, 2, 3, 3, 3, 4].publisher

    @Test func `values are changed and chosen`() {
        #expect(numbers.map { $0 * 2 }.record().values == [2, 4, 4, 6, 6, 6, 8])
        #expect(numbers.map(\.description).record().values.joined() == "1223334")
        #expect(numbers.filter { $0 > 2 }.record().values == [3, 3, 3, 4])
        #expect(numbers.compactMap { $0 == 3 ? nil : "\($0)" }.record().values == ["1", "2", "2", "4"])
        #expect(numbers.removeDuplicates().record().values == [1, 2, 3, 4])
        #expect(numbers.removeDuplicates { $0 / 2 == $1 / 2 }.record().values == [1, 2, 4])
        #expect(numbers.dropFirst(5).record().values == [3, 4])
        #expect(numbers.drop { $0 < 3 }.record().values == [3, 3, 3, 4])
        #expect(numbers.prefix { $0 < 3 }.record().values == [1, 2, 2])
        #expect(numbers.prefix(2).record().values == [1, 2])
        #expect(numbers.prefix(0).record().values.isEmpty)
        #expect(numbers.first().record().values == [1])
        #expect(numbers.first { $0 > 2 }.record().values == [3])
        #expect(numbers.scan(0, +).record().values == [1, 3, 5, 8, 11, 14, 18])
        #expect([1, nil, 3].publisher.replaceNil(with: 0).record().values == [1, 0, 3])
        #expect(numbers.ignoreOutput().record().ends == 1)
    }

    @Test func `each subscriber counts for itself`() {
        let publisher = numbers.dropFirst(6)
        #expect(publisher.record().values == [4])
        #expect(publisher.record().values == [4])
        let prefix = numbers.prefix(2)
        #expect(prefix.record().values == [1, 2])
        #expect(prefix.record().values == [1, 2])
    }

    @Test func `values are gathered`() {
        #expect(numbers.collect().record().values == [[1, 2, 2, 3, 3, 3, 4]])
        #expect(numbers.last().record().values == [4])
        #expect(numbers.reduce(0, +).record().values == [18])
        #expect(numbers.count().record().values == [7])
        #expect(Empty<Int, Never>().last().record().ends == 1)
        let failed = Fail<Int, Trouble>(error: Trouble()).collect().record()
        #expect(failed.values.isEmpty && failed.error == Trouble())
    }

    @Test func `demand goes through to the source`() {
        let recorder = (0...).publisher.map { $0 * 2 }.filter { $0.isMultiple(of: 3) }.record(.max(3))
        #expect(recorder.values == [0, 6, 12] && recorder.ends == 0)
        recorder.subscription?.request(.max(1))
        #expect(recorder.values == [0, 6, 12, 18])
        recorder.subscription?.cancel()
        recorder.subscription?.request(.max(1))
        #expect(recorder.values.count == 4)
        let more = Recorder<Int, Never>(.max(1), more: { $0 < 3 ? .max(1) : .none })
        (0...).publisher.subscribe(more)
        #expect(more.values == [0, 1, 2, 3])
    }

    @Test func `first ends an endless source`() {
        let recorder = (0...).publisher.first { $0 > 9 }.record()
        #expect(recorder.values == [10] && recorder.ends == 1)
    }

    @Test func `a closure that throws ends it`() {
        let recorder = numbers.tryMap { number in
            guard number < 3 else { throw Trouble(number: number) }
            return number
        }.record()
        #expect(recorder.values == [1, 2, 2] && recorder.ends == 1)
        #expect(recorder.error as? Trouble == Trouble(number: 3))
    }

    @Test func `errors are replaced and changed`() {
        let failing = [1, 2].publisher.setFailureType(to: Trouble.self).append(Fail(error: Trouble(number: 5)))
        let caught = failing.catch { Just($0.number) }.record()
        #expect(caught.values == [1, 2, 5] && caught.ends == 1)
        #expect(failing.replaceError(with: 0).record().values == [1, 2, 0])
        #expect(failing.mapError { Trouble(number: $0.number + 1) }.record().error == Trouble(number: 6))
        let asked = failing.catch { _ in [7, 8, 9].publisher }.record(.max(4))
        #expect(asked.values == [1, 2, 7, 8] && asked.ends == 0)
        asked.subscription?.request(.max(1))
        #expect(asked.values == [1, 2, 7, 8, 9] && asked.ends == 1)
        #expect(failing.record().error == Trouble(number: 5))
    }

    @Test func `publishers follow one another`() {
        #expect([3].publisher.prepend(1, 2).append(4).record().values == [1, 2, 3, 4])
        #expect([3].publisher.prepend([1, 2]).record().values == [1, 2, 3])
        #expect([3].publisher.prepend([0].publisher).append([9].publisher).record().values == [0, 3, 9])
        let recorder = [2, 3].publisher.prepend(1).record(.max(2))
        #expect(recorder.values == [1, 2])
    }

    @Test func `closures learn what happens`() {
        let log = Locked<[String]>([])
        @Sendable func note(_ text: String) { log.withLock { $0.append(text) } }
        let subject = PassthroughSubject<Int, Never>()
        let tie = subject.handleEvents(
            receiveSubscription: { _ in note("subscription") }, receiveOutput: { note("\($0)") },
            receiveCompletion: { _ in note("end") }, receiveCancel: { note("cancel") },
            receiveRequest: { note("\($0)") }
        ).sink { _ in }
        subject.send(1)
        tie.cancel()
        #expect(log.withLock { $0 } == ["subscription", "unlimited", "1", "cancel"])
    }

    @Test func `a shared publisher is subscribed to once`() {
        let subject = PassthroughSubject<Int, Never>()
        let subscriptions = Locked(0), cancels = Locked(0)
        let shared = subject.handleEvents(
            receiveSubscription: { _ in subscriptions.withLock { $0 += 1 } },
            receiveCancel: { cancels.withLock { $0 += 1 } }
        ).share()
        let first = shared.record(), second = shared.record()
        subject.send(1)
        #expect(first.values == [1] && second.values == [1])
        #expect(subscriptions.withLock { $0 } == 1)
        first.subscription?.cancel()
        second.subscription?.cancel()
        #expect(cancels.withLock { $0 } == 1)
        let third = shared.record()
        subject.send(2)
        subject.send(completion: .finished)
        #expect(third.values == [2] && third.ends == 1)
        #expect(subscriptions.withLock { $0 } == 2)
    }
}

@Suite("Operators of several publishers") struct JoiningTests {
    @Test func `merged values come as they come`() {
        let a = PassthroughSubject<Int, Trouble>(), b = PassthroughSubject<Int, Trouble>()
        let recorder = a.merge(with: b).record()
        a.send(1)
        b.send(2)
        a.send(completion: .finished)
        b.send(3)
        #expect(recorder.ends == 0)
        b.send(completion: .finished)
        #expect(recorder.values == [1, 2, 3] && recorder.ends == 1)
        let failing = a.merge(with: b, Fail(error: Trouble())).record()
        #expect(failing.error == Trouble() && failing.ends == 1)
        #expect(Publishers.MergeMany([Just(1), Just(2), Just(3)]).record().values == [1, 2, 3])
        #expect(Publishers.MergeMany([Just<Int>]()).record().ends == 1)
    }

    @Test func `what was not asked for waits`() {
        let a = PassthroughSubject<Int, Never>(), b = PassthroughSubject<Int, Never>()
        let recorder = a.merge(with: b).record(.max(1))
        for value in 1...3 { a.send(value) }
        b.send(4)
        #expect(recorder.values == [1])
        a.send(completion: .finished)
        b.send(completion: .finished)
        #expect(recorder.ends == 0)
        recorder.subscription?.request(.unlimited)
        #expect(recorder.values == [1, 2, 3, 4] && recorder.ends == 1)
    }

    @Test func `the newest values are combined`() {
        let a = PassthroughSubject<Int, Never>(), b = CurrentValueSubject<String, Never>("x")
        let recorder = a.combineLatest(b) { "\($0)\($1)" }.record()
        a.send(1)
        a.send(2)
        b.send("y")
        #expect(recorder.values == ["1x", "2x", "2y"])
        a.send(completion: .finished)
        b.send("z")
        #expect(recorder.values.last == "2z" && recorder.ends == 0)
        b.send(completion: .finished)
        #expect(recorder.ends == 1)
        let three = Publishers.CombineLatest3(Just(1), Just("a"), Just(true)).map { "\($0)\($1)\($2)" }.record()
        #expect(three.values == ["1atrue"] && three.ends == 1)
        #expect(Just(1).combineLatest(Just(2), Just(3)).map { $0 + $1 + $2 }.record().values == [6])
        #expect(Just(1).combineLatest(Empty<Int, Never>()).map { $0 + $1 }.record().ends == 1)
    }

    @Test func `values are zipped in their order`() {
        let a = PassthroughSubject<Int, Never>(), b = PassthroughSubject<String, Never>()
        let recorder = a.zip(b).map { "\($0)\($1)" }.record()
        a.send(1)
        a.send(2)
        b.send("x")
        #expect(recorder.values == ["1x"])
        a.send(completion: .finished)
        #expect(recorder.ends == 0)
        b.send("y")
        #expect(recorder.values == ["1x", "2y"] && recorder.ends == 1)
    }

    @Test func `flat map subscribes to each, and to so many at a time`() {
        let inner = [PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>()]
        let all = [0, 1].publisher.flatMap { inner[$0] }.record()
        let one = [0, 1].publisher.flatMap(maxPublishers: .max(1)) { inner[$0] }.record()
        inner[1].send(1)
        inner[0].send(2)
        inner[0].send(completion: .finished)
        inner[1].send(3)
        #expect(all.values == [1, 2, 3] && one.values == [2, 3])
        inner[1].send(completion: .finished)
        #expect(all.ends == 1 && one.ends == 1)
        let failing = [1, 2].publisher.flatMap { _ in Fail<Int, Trouble>(error: Trouble()) }.record()
        #expect(failing.error == Trouble() && failing.ends == 1)
    }

    @Test func `only the newest publisher counts`() {
        let outer = PassthroughSubject<PassthroughSubject<Int, Never>, Never>()
        let first = PassthroughSubject<Int, Never>(), second = PassthroughSubject<Int, Never>()
        let recorder = outer.switchToLatest().record()
        outer.send(first)
        first.send(1)
        outer.send(second)
        first.send(2)
        first.send(completion: .finished)
        second.send(3)
        second.send(completion: .finished)
        #expect(recorder.values == [1, 3] && recorder.ends == 0)
        outer.send(completion: .finished)
        #expect(recorder.ends == 1)
        #expect([1, 2].publisher.map { Just($0) }.switchToLatest().record().values == [1, 2])
    }

    @Test func `cancelling calls all of them off`() {
        let cancels = Locked(0)
        let a = PassthroughSubject<Int, Never>(), b = PassthroughSubject<Int, Never>()
        func watched(_ subject: PassthroughSubject<Int, Never>) -> AnyPublisher<Int, Never> {
            subject.handleEvents(receiveCancel: { cancels.withLock { $0 += 1 } }).eraseToAnyPublisher()
        }
        watched(a).merge(with: watched(b)).sink { _ in }.cancel()
        watched(a).combineLatest(watched(b)).sink { _ in }.cancel()
        [a, b].publisher.flatMap { watched($0) }.sink { _ in }.cancel()
        #expect(cancels.withLock { $0 } == 6)
    }
}

@Suite("Sources") struct SourceTests {
    @Test func `simple sources`() {
        #expect(Just(1).record().values == [1])
        let asked = Just(1).record(.none)
        #expect(asked.values.isEmpty && asked.ends == 0)
        asked.subscription?.request(.max(1))
        #expect(asked.values == [1] && asked.ends == 1)
        #expect(Empty<Int, Never>().record().ends == 1)
        #expect(Empty<Int, Never>(completeImmediately: false).record().ends == 0)
        #expect(Fail<Int, Trouble>(error: Trouble(number: 2)).record().error == Trouble(number: 2))
        #expect(Optional(4).publisher.record().values == [4])
        #expect(Int?.none.publisher.record().ends == 1)
        #expect(Result<Int, Trouble>.success(4).publisher.record().values == [4])
        #expect(Result<Int, Trouble>.failure(Trouble()).publisher.record().error == Trouble())
        let count = Locked(0)
        let deferred = Deferred {
            count.withLock { $0 += 1 }
            return Just(1)
        }
        _ = deferred.record()
        _ = deferred.record()
        #expect(count.withLock { $0 } == 2)
    }

    @Test func `a future gives its result to all, now and later`() async throws {
        let kept = PromiseBox()
        let future = Future<Int, Trouble> { kept.promise = $0 }
        let early = future.record()
        #expect(early.values.isEmpty)
        kept.promise?(.success(1))
        kept.promise?(.success(2))
        #expect(early.values == [1] && early.ends == 1)
        #expect(future.record().values == [1])
        #expect(try await future.value == 1)
        #expect(await Future<Int, Never> { $0(.success(3)) }.value == 3)
        await #expect(throws: Trouble(number: 9)) {
            try await Future<Int, Trouble> { $0(.failure(Trouble(number: 9))) }.value
        }
        #expect(Future<Int, Trouble> { $0(.failure(Trouble())) }.record(.none).error == Trouble())
    }

    private final class PromiseBox {
        var promise: Future<Int, Trouble>.Promise?
    }
}
