import Dispatch

/// Calls a handler whenever a descriptor has something to read, until cancelled; owns one Dispatch source.
// Sendable: Dispatch sources may be used from any thread; only the class isn't marked so on Linux.
final class ReadableSource: @unchecked Sendable {
    private let source: any DispatchSourceRead

    /// Starts at once. The handler runs on the queue, never twice at the same time; the descriptor lives until the
    /// source has been cancelled and the handler has returned.
    init(_ descriptor: FileDescriptor, queue: DispatchQueue, handler: @escaping @Sendable () -> Void) {
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor.rawValue, queue: queue)
        source.setEventHandler(handler: handler)
        source.setCancelHandler { @Sendable in withExtendedLifetime(descriptor) {} }
        source.resume()
    }

    deinit { source.cancel() }

    /// Stops; the handler may still be running, but is not called again.
    func cancel() { source.cancel() }
}
