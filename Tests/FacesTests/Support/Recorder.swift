import Combine
import NetIO
import Testing

@testable import GoogleHomeSDK

/// Takes what a publisher sends, for a test to wait for.
final class Recorder<Output: Sendable>: Sendable {
    private let stream: AsyncStream<Output>
    private let seen = Locked<[Output]>([])
    private let failures = Locked<[HomeError?]>([])
    private let cancellable: AnyCancellable

    init<P: Publisher<Output, HomeError>>(_ publisher: P) {
        let (stream, continuation) = AsyncStream<Output>.makeStream()
        self.stream = stream
        let (seen, failures) = (seen, failures)
        cancellable = publisher.sink { completion in
            if case .failure(let error) = completion {
                failures.withLock { $0.append(error) }
            } else {
                failures.withLock { $0.append(nil) }
            }
            continuation.finish()
        } receiveValue: { value in
            seen.withLock { $0.append(value) }
            continuation.yield(value)
        }
    }

    /// All values so far.
    var values: [Output] { seen.withLock { $0 } }
    /// The ends so far: `nil` for an orderly one.
    var ends: [HomeError?] { failures.withLock { $0 } }

    /// Waits for a value that is like this, in this order of calls.
    @discardableResult
    func next(
        where condition: (Output) -> Bool = { _ in true }, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Output {
        for await value in stream where condition(value) { return value }
        return try #require(nil as Output?, "the publisher ended first", sourceLocation: sourceLocation)
    }

    /// Waits until the publisher has ended.
    func end() async { for await _ in stream {} }

    func cancel() { cancellable.cancel() }
}
