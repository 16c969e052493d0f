import Glibc
import NetIO

/// The app's extension in a process of its own, for one request.
///
///     started ── hello of this version ──▶ ready ── call ──▶ calling ── its answer ──▶ ready
///        │ anything else, the end, the limit   │                 │ garbage, the end
///        ▼                                     ▼ end()           ▼
///     unusable                               ended             broken: end()
final class ExtensionProcess: ExtensionConnection {
    /// The child's descriptor of the dialogue.
    static let descriptor: Int32 = 3

    private let socket: DialogueSocket
    private let child: ChildProcess
    private let clock: DriverClock
    private let grace: Duration
    private let lastCall = Locked(0)

    private init(_ socket: DialogueSocket, _ child: ChildProcess, _ clock: DriverClock, _ grace: Duration) {
        self.socket = socket
        self.child = child
        self.clock = clock
        self.grace = grace
    }

    /// The process's id, for tests.
    var processID: Int32 { child.id }

    /// Starts the executable and waits for its hello.
    ///
    /// - Parameters:
    ///   - environment: the child's, but for what tells it its part.
    ///   - group: the app group; `nil` for none.
    /// - Throws: ``MatterSetupError`` `extensionUnusable`, or `CancellationError`; no process is left then.
    static func start(
        _ path: String, environment: [String: String], group: String?, limits: SetupLimits, clock: DriverClock
    ) async throws -> ExtensionProcess {
        var variables = environment
        variables[MatterExtensionHost.executableVariable] = nil
        variables[MatterExtensionHost.socketVariable] = String(descriptor)
        if let group { variables[AppGroupSuites.variable] = group }
        let (socket, theirs) = try DialogueSocket.pair()
        let started = await DedicatedThread.call { @Sendable [variables] in
            defer { close(theirs) }
            return Result { () throws(MatterSetupError) in
                try ChildProcess(starting: path, environment: variables, inherited: theirs, as: descriptor)
            }
        }
        guard let started else {
            close(theirs)
            throw MatterSetupError(.extensionUnusable, "the system has no thread to start the extension from")
        }
        let process = ExtensionProcess(socket, try started.get(), clock, limits.grace)
        let (result, interruption) = await LimitedStep(
            clock: clock, limit: limits.start, grace: .zero, cancelAfter: nil
        ).run {
            try await process.greet(path)
        } abandon: {
            socket.shutDown()
        }
        if interruption == nil, case .success = result { return process }
        await process.end()
        switch interruption {
        case .cancelled?: throw CancellationError()
        case .timedOut?:
            throw MatterSetupError(
                .extensionUnusable,
                "“\(path)” did not say hello within \(limits.start): is it an extension that calls MatterExtensionHost.main?"
            )
        case nil:
            try result.get()
            return process
        }
    }

    private func greet(_ path: String) async throws(MatterSetupError) {
        try await socket.send(.hello(version: DialogueMessage.version))
        switch try await socket.receive() {
        case .hello(let version)?:
            guard version == DialogueMessage.version else { throw MatterSetupError.otherVersion(version) }
        case nil:
            await end()
            throw MatterSetupError(
                .extensionUnusable,
                "“\(path)” ended \(await child.ending) before it said hello: is it an extension that calls MatterExtensionHost.main?"
            )
        case .call?, .answer?, .cancel?:
            throw MatterSetupError(.extensionGarbled, "“\(path)” did not begin with a hello")
        }
    }

    func call(_ call: ExtensionCall) async throws(MatterSetupError) -> ExtensionResult {
        let id = lastCall.withLock { last in
            last += 1
            return last
        }
        try await socket.send(.call(id: id, call))
        let socket = socket
        let message = await withTaskCancellationHandler {
            await Self.result { () async throws(MatterSetupError) in try await socket.receive() }
        } onCancel: {
            socket.sendNow(.cancel)
        }
        switch try message.get() {
        case .answer(let answered, let result)?:
            guard answered == id else {
                throw MatterSetupError(.extensionGarbled, "the extension answered call \(answered) and not \(id)")
            }
            return result
        case nil:
            // Closed is not ended: a process that has closed its socket is made to end.
            await end()
            throw MatterSetupError(
                .extensionEnded,
                "the extension ended \(await child.ending) before it had answered \(call.step.rawValue)")
        case .hello?, .call?, .cancel?:
            throw MatterSetupError(.extensionGarbled, "the extension sent what only apps send")
        }
    }

    private static func result<R>(
        _ body: () async throws(MatterSetupError) -> R
    ) async -> Result<R, MatterSetupError> {
        do throws(MatterSetupError) { return .success(try await body()) } catch { return .failure(error) }
    }

    /// Ends the dialogue, which a good extension takes as the end; others are asked, and then made, to end.
    func end() async {
        socket.shutDown()
        for signal in [SIGTERM, SIGKILL] {
            let ended = await LimitedStep(clock: clock, limit: grace, grace: .zero, cancelAfter: nil).hasEnded(child)
            if ended { return }
            child.signal(signal)
        }
        _ = await child.ending
    }
}

extension LimitedStep {
    /// Waits for a process to end, as long as the limit allows and whoever cancels.
    fileprivate func hasEnded(_ child: ChildProcess) async -> Bool {
        let (signals, sender) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .unbounded)
        let clock = clock
        let deadline = clock.now + (limit ?? .zero)
        let end = Task {
            _ = await child.ending
            sender.yield(true)
        }
        let timer = Task {
            do { try await clock.sleep(until: deadline) } catch { return }  // the process has ended
            sender.yield(false)
        }
        // Not a child task: the caller's cancellation must not let the process live.
        let first = Task { await signals.first { _ in true } ?? true }
        let ended = await first.value
        timer.cancel()
        end.cancel()
        return ended
    }
}
