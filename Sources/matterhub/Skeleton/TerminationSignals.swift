import Dispatch
import Glibc

/// SIGINT and SIGTERM as an event, in place of the end of the process.
///
/// From its making on, the process ends by these signals only as its owner decides.
// Sendable: the sources are made in `init`, touched again in `deinit` only, and work on a queue of their own.
final class TerminationSignals: @unchecked Sendable {
    /// The signals as they come, for a single consumer; the newest is kept until it is read.
    let arrivals: AsyncStream<Int32>
    private let sources: [any DispatchSourceSignal]

    init() {
        let (arrivals, continuation) = AsyncStream<Int32>.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.arrivals = arrivals
        sources = [SIGINT, SIGTERM].map { Self.source($0, continuation) }
    }

    deinit { for source in sources { source.cancel() } }

    /// Waits for the next signal; returns also when the task is cancelled.
    func wait() async { for await _ in arrivals { return } }

    private static func source(
        _ number: Int32, _ continuation: AsyncStream<Int32>.Continuation
    ) -> any DispatchSourceSignal {
        // A dispatch source sees a signal in addition to its default action, which has to go.
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: DispatchQueue(label: "matterhub.signals"))
        source.setEventHandler { @Sendable in continuation.yield(number) }
        // Until the source is registered an ignored signal is lost: whoever is told that we run may send one at once.
        let registered = DispatchSemaphore(value: 0)
        source.setRegistrationHandler { @Sendable in registered.signal() }
        source.resume()
        registered.wait()
        return source
    }
}
