import Foundation

/// Where events wait for one subscriber: hands them over one at a time, in their order, as many as it asked for.
///
/// What is sent while a value is being handed over, by the subscriber itself or by another thread, waits until that is
/// done; the thread that is at it goes on with it. So subscribers are never entered twice at once, and no lock is held
/// while one runs. (The system's Combine hands such a value over at once, in the middle of the other.)
final class Outlet<Input, Failure: Error>: Subscription {
    /// What becomes of values that were not asked for.
    enum Surplus {
        /// They are lost.
        case dropped
        /// The newest waits.
        case newest
        /// All wait.
        case all
    }

    private struct Downstream {
        let input: (Input) -> Subscribers.Demand
        let completion: (Subscribers.Completion<Failure>) -> Void
    }

    private let surplus: Surplus
    private let lock = NSLock()
    private var downstream: Downstream?
    private var waiting = Line<Input>()
    private var completion: Subscribers.Completion<Failure>?
    private var demand = Subscribers.Demand.none
    private var isHandingOver = false
    /// Told when the subscriber wants more; with `nil` what waits is handed over instead.
    private let onRequest: ((Subscribers.Demand) -> Void)?
    /// Told when the subscriber wants nothing any more; once.
    private var onCancel: (() -> Void)?

    init<S: Subscriber>(
        to subscriber: S, surplus: Surplus, onRequest: ((Subscribers.Demand) -> Void)? = nil,
        onCancel: @escaping () -> Void = {}
    ) where S.Input == Input, S.Failure == Failure {
        self.surplus = surplus
        self.onRequest = onRequest
        self.onCancel = onCancel
        downstream = Downstream(input: subscriber.receive(_:), completion: subscriber.receive(completion:))
    }

    // MARK: - From above

    /// Lets a value wait; nothing is handed over before ``handOver()``.
    func add(_ input: Input) {
        lock.withLock {
            guard downstream != nil, completion == nil else { return }
            let isSurplus = !(demand > waiting.count)
            switch surplus {
            case .dropped where isSurplus: return
            case .newest where isSurplus && !(demand >= .max(waiting.count)):
                waiting.replaceLast(with: input)
            case .dropped, .newest, .all: waiting.append(input)
            }
        }
    }

    /// Lets the end wait behind the values.
    func add(_ end: Subscribers.Completion<Failure>) {
        lock.withLock {
            guard downstream != nil, completion == nil else { return }
            completion = end
        }
    }

    /// Lets a value wait and hands over what can be.
    func send(_ input: Input) {
        add(input)
        handOver()
    }

    /// Lets the end wait and hands over what can be.
    func send(_ end: Subscribers.Completion<Failure>) {
        add(end)
        handOver()
    }

    /// Hands over what waits and was asked for, unless another thread is at it.
    func handOver() {
        lock.lock()
        guard !isHandingOver else { return lock.unlock() }
        isHandingOver = true
        while let downstream {
            if demand > .none, let input = waiting.removeFirst() {
                demand -= 1
                lock.unlock()
                let more = downstream.input(input)
                if more > .none { onRequest?(more) }
                lock.lock()
                demand += more
            } else if waiting.isEmpty, let completion {
                self.downstream = nil
                onCancel = nil
                lock.unlock()
                downstream.completion(completion)
                lock.lock()
            } else {
                break
            }
        }
        isHandingOver = false
        lock.unlock()
    }

    // MARK: - Subscription

    func request(_ more: Subscribers.Demand) {
        let isOpen = lock.withLock {
            demand += more
            return downstream != nil
        }
        guard isOpen else { return }
        if let onRequest { onRequest(more) } else { handOver() }
    }

    func cancel() {
        // What is given up is released outside of the lock: it may call something off in its turn.
        let (onCancel, gone) = lock.withLock {
            let gone = (downstream, waiting)
            downstream = nil
            waiting = Line()
            defer { self.onCancel = nil }
            return (self.onCancel, gone)
        }
        withExtendedLifetime(gone) { onCancel?() }
    }
}

/// First in, first out.
private struct Line<Element> {
    private var elements: [Element?] = []
    private var head = 0

    var count: Int { elements.count - head }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ element: Element) { elements.append(element) }
    mutating func replaceLast(with element: Element) { elements[elements.count - 1] = element }

    mutating func removeFirst() -> Element? {
        guard head < elements.count else { return nil }
        defer {
            elements[head] = nil
            head += 1
            if 2 * head > elements.count {
                elements.removeFirst(head)
                head = 0
            }
        }
        return elements[head]
    }
}
