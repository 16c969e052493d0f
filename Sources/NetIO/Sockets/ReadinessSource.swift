import Dispatch

/// Tells, once for each request, that a descriptor can be read or written.
///
///           request()                   event: calls the handler
///     idle ───────────▶ waiting ──────────────────────────────────▶ idle
///       └──────────────────┴── cancel() ──▶ cancelled
///
/// One-shot, so that a connection nobody reads costs nothing and the kernel's buffer holds the peer back.
// Sendable: the Dispatch source is suspended and resumed only while `state` is locked, and always ends resumed, since
// Dispatch traps on releasing a suspended source.
final class ReadinessSource: @unchecked Sendable {
    enum Direction { case readable, writable }
    private enum State { case idle, waiting, cancelled }

    private let source: any DispatchSourceProtocol
    private let state = Locked(State.idle)

    /// An idle source; the descriptor lives until it has been cancelled.
    init(_ descriptor: FileDescriptor, _ direction: Direction, queue: DispatchQueue) {
        switch direction {
        case .readable: source = DispatchSource.makeReadSource(fileDescriptor: descriptor.rawValue, queue: queue)
        case .writable: source = DispatchSource.makeWriteSource(fileDescriptor: descriptor.rawValue, queue: queue)
        }
        source.setCancelHandler { @Sendable in withExtendedLifetime(descriptor) {} }
    }

    deinit { cancel() }

    /// Sets what is called on the queue at each event; before the first request.
    func setHandler(_ handler: @escaping @Sendable () -> Void) {
        source.setEventHandler { @Sendable [weak self] in
            if self?.eventArrived() == true { handler() }
        }
    }

    /// Asks for one call of the handler; does nothing while one is asked for already.
    func request() {
        state.withLock { state in
            guard state == .idle else { return }
            state = .waiting
            source.resume()
        }
    }

    /// Ends it: the handler isn't called again, and the source lets go of the descriptor.
    func cancel() {
        state.withLock { state in
            guard state != .cancelled else { return }
            source.cancel()
            if state == .idle { source.resume() }
            state = .cancelled
        }
    }

    private func eventArrived() -> Bool {
        state.withLock { state in
            guard state == .waiting else { return false }
            state = .idle
            source.suspend()
            return true
        }
    }
}
