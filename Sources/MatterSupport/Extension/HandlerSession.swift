import NetIO

/// One request's handler, and the task that it lives in: the only one that touches it.
///
///     open ── call ──▶ running ── the handler returned ──▶ open
///       │                │ cancel(): the handler's task is cancelled; it still returns
///       └── end() ───────┴──▶ ended: a call that runs, and each later one, fails at once
final class HandlerSession: ExtensionConnection {
    private enum State {
        case open
        case running(CheckedContinuation<ExtensionResult, Never>)
        case ended
    }

    private let state: Locked<State>
    private let calls: AsyncStream<ExtensionCall>.Continuation
    private let task: Task<Void, Never>

    /// Makes the handler.
    ///
    /// - Parameter group: whose `UserDefaults` are synchronised around each call; `nil` for nobody's.
    init(_ factory: @escaping MatterExtensionHost.Factory, group: String?) {
        // One call at a time is waiting, by `state`.
        let (stream, continuation) = AsyncStream.makeStream(of: ExtensionCall.self, bufferingPolicy: .unbounded)
        let state = Locked(State.open)
        self.state = state
        calls = continuation
        task = Task {
            let handler = factory()
            for await call in stream {
                let result = await Self.run(call, on: handler, group)
                Self.finish(state, result)
            }
            Self.end(state)
        }
    }

    deinit { task.cancel() }

    private static func run(
        _ call: ExtensionCall, on handler: MatterAddDeviceExtensionRequestHandler, _ group: String?
    ) async -> ExtensionResult {
        await AppGroupSuites.synchronize(group)
        let result: ExtensionResult
        do {
            result = .success(try await call.run(on: handler))
        } catch {
            result = .failure(PortableError(error))
        }
        await AppGroupSuites.synchronize(group)
        return result
    }

    private static func finish(_ state: Locked<State>, _ result: ExtensionResult) {
        let waiting: CheckedContinuation<ExtensionResult, Never>? = state.withLock { state in
            guard case .running(let continuation) = state else { return nil }
            state = .open
            return continuation
        }
        waiting?.resume(returning: result)
    }

    private static func end(_ state: Locked<State>) {
        let waiting: CheckedContinuation<ExtensionResult, Never>? = state.withLock { state in
            defer { state = .ended }
            guard case .running(let continuation) = state else { return nil }
            return continuation
        }
        waiting?.resume(returning: .failure(PortableError(CancellationError())))
    }

    func call(_ call: ExtensionCall) async throws(MatterSetupError) -> ExtensionResult {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOpen = state.withLock { state in
                    guard case .open = state else { return false }
                    state = .running(continuation)
                    return true
                }
                if isOpen {
                    calls.yield(call)
                } else {
                    continuation.resume(returning: .failure(PortableError(CancellationError())))
                }
            }
        } onCancel: {
            task.cancel()
        }
    }

    /// Cancels the handler's task: the running call is to end early, and later ones do not reach the handler.
    func cancel() { task.cancel() }

    func end() async {
        calls.finish()
        task.cancel()
        Self.end(state)
    }
}

/// The extension of one request, wherever it runs.
protocol ExtensionConnection: Sendable {
    /// Calls the extension; one call at a time. Cancelling the task cancels the request in the extension, and waits for
    /// the call to end all the same; ``end()`` makes it end.
    ///
    /// - Throws: when the extension is gone or talks nonsense; what it throws itself is a result.
    func call(_ call: ExtensionCall) async throws(MatterSetupError) -> ExtensionResult

    /// Ends the request; nothing of it runs on where that can be enforced. Idempotent.
    func end() async
}
