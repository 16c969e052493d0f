import NetIO

/// A step of a setup that ends: by itself, at its time limit, or when the person or the app's task cancels.
///
///     running ── ended ──▶ done                                             (by itself)
///        │ cancelled, or the limit
///        ▼
///     ending ── ended ──▶ done
///        │ the grace is over: abandon()
///        ▼
///     abandoned ── ended ──▶ done
struct LimitedStep: Sendable {
    /// Why a step was not left to itself.
    enum Interruption: Hashable, Sendable { case cancelled, timedOut }

    private enum Signal { case ended, cancelled, limit, graceOver }

    /// Where time comes from.
    var clock: DriverClock
    /// How long the step may take; `nil` for as long as it wants.
    var limit: Duration?
    /// How long it may take to end after it was interrupted.
    var grace: Duration
    /// When the person cancels it, after its beginning; zero for before it can do anything, `nil` for never.
    var cancelAfter: Duration?

    /// Runs the operation in a task of its own, which is cancelled at an interruption, and waits until it has ended.
    ///
    /// - Parameter abandon: called when the operation has not ended within the grace; must make it end.
    /// - Returns: how the operation ended, and what interrupted it.
    func run<R: Sendable>(
        _ operation: @escaping @Sendable () async throws -> R, abandon: @escaping @Sendable () async -> Void = {}
    ) async -> (result: Result<R, any Error>, interruption: Interruption?) {
        let (signals, sender) = AsyncStream.makeStream(of: Signal.self, bufferingPolicy: .unbounded)
        let isCancelledFirst = cancelAfter.map { $0 <= .zero } ?? false
        // Before the operation begins: one that ends at once must not be faster.
        if isCancelledFirst { sender.yield(.cancelled) }
        let step = Task<Result<R, any Error>, Never> {
            let result: Result<R, any Error>
            do { result = .success(try await operation()) } catch { result = .failure(error) }
            sender.yield(.ended)
            return result
        }
        // Not a child task: the wait for an orderly end must outlast the caller's cancellation.
        let watch = Task<Interruption?, Never> {
            var timers = [
                timer(limit, .limit, sender), timer(isCancelledFirst ? nil : cancelAfter, .cancelled, sender),
            ]
            defer { for timer in timers { timer?.cancel() } }
            var interruption: Interruption?
            for await signal in signals {
                switch signal {
                case .ended: return interruption
                case .cancelled, .limit:
                    guard interruption == nil else { continue }
                    interruption = signal == .limit ? .timedOut : .cancelled
                    step.cancel()
                    timers.append(timer(grace, .graceOver, sender))
                case .graceOver: await abandon()
                }
            }
            return interruption
        }
        let interruption = await withTaskCancellationHandler {
            await watch.value
        } onCancel: {
            sender.yield(.cancelled)
        }
        return (await step.value, interruption)
    }

    private func timer(
        _ duration: Duration?, _ signal: Signal, _ sender: AsyncStream<Signal>.Continuation
    ) -> Task<Void, Never>? {
        guard let duration else { return nil }
        guard duration > .zero else {
            sender.yield(signal)
            return nil
        }
        let deadline = clock.now + duration
        return Task {
            do { try await clock.sleep(until: deadline) } catch { return }  // cancelled: the step has ended
            sender.yield(signal)
        }
    }
}
