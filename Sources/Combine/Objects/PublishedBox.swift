import Foundation

/// What an object's publisher is put into.
protocol PublishedBoxing: AnyObject {
    var objectWillChange: ObservableObjectPublisher? { get set }
}

/// A `@Published` property, found by reflection.
protocol PublishedProperty {
    var anyBox: any PublishedBoxing { get }
}

/// The value of a `@Published` property and those who watch it.
final class PublishedBox<Value>: PublishedBoxing {
    private let lock = NSLock()
    private var stored: Value
    private var publisher: ObservableObjectPublisher?
    private var ties: [AnyCancellable] = []
    private let changes: CurrentValueSubject<Value, Never>

    init(_ value: Value) {
        stored = value
        changes = CurrentValueSubject(value)
    }

    var objectWillChange: ObservableObjectPublisher? {
        get { lock.withLock { publisher } }
        set { lock.withLock { publisher = newValue } }
    }

    /// What the property is. Watchers learn a new value while it is still the old one.
    var value: Value {
        get { lock.withLock { stored } }
        set {
            objectWillChange?.send()
            changes.send(newValue)
            let old = lock.withLock {
                defer { stored = newValue }
                return stored
            }
            withExtendedLifetime(old) {}
        }
    }

    func receive<S: Subscriber>(_ subscriber: S) where S.Input == Value, S.Failure == Never {
        changes.receive(subscriber: subscriber)
    }

    /// Keeps something as long as the property lives.
    func keep(_ tie: AnyCancellable) { lock.withLock { ties.append(tie) } }
}
