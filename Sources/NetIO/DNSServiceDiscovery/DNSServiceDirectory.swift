internal import CDNSSD
import Dispatch
import Glibc

/// DNS service discovery on the local link, by the system's daemon over libdns_sd.
///
/// Works with Avahi's compatibility library, which lacks half of Bonjour's calls. Every call into it happens on one queue of
/// its own, since it blocks on D-Bus. Each operation costs a D-Bus connection and a thread inside the library: end what is
/// no longer needed by ending its stream's iteration.
///
/// Without a running daemon everything here throws ``NetError`` with code `serviceMissing`, whose description says what to
/// start. The daemon's end while an operation runs ends the operation in the same way; start it again then.
package final class DNSServiceDirectory: Sendable {
    /// How many events a stream buffers; one that its consumer lets fill up ends with code `tooLarge`.
    package static let streamLimit = 4096

    let queue = DispatchQueue(label: "netio.dns-sd", qos: .userInitiated)

    package init() { Self.prepareLibrary }

    /// Avahi's library otherwise writes a plea to port to its native interface to the standard error, and crashes when the
    /// daemon ends.
    private static let prepareLibrary: Void = {
        setenv("AVAHI_COMPAT_NOWARN", "1", 1)
        dnssd_clear_allocations()
    }()

    /// Reports the instances of a type as they come and go, until the iteration ends.
    ///
    /// - Parameter interface: an interface index; 0 for all.
    package func browse(
        _ type: ServiceType, interface: UInt32 = 0
    ) -> AsyncThrowingStream<BrowseEvent, any Error> {
        stream { output in
            // Avahi reports an instance once for IPv4 and once for IPv6.
            let counts = Locked<[ServiceName: Int]>([:])
            let operation = DNSServiceOperation(queue: self.queue) { @Sendable reply in
                switch reply {
                case .browsed(let added, let service):
                    if let event = counts.withLock({ Self.count(added, service, &$0) }) { output.yield(event) }
                case .failed(let error): output.finish(error)
                case .resolved, .address, .registered: break
                }
            }
            operation.browse(type, interface: interface)
            return { operation.end() }
        }
    }

    /// Reports where an instance runs, and again when that changes, until the iteration ends.
    ///
    /// - Throws: from the stream: ``NetError``, when nobody answers for some seconds with code `system`.
    package func resolve(_ service: ServiceName) -> AsyncThrowingStream<ResolvedService, any Error> {
        stream { output in
            let operation = DNSServiceOperation(queue: self.queue) { @Sendable reply in
                switch reply {
                case .resolved(let resolved): output.yield(resolved)
                case .failed(let error): output.finish(error)
                case .browsed, .address, .registered: break
                }
            }
            operation.resolve(service)
            return { operation.end() }
        }
    }

    /// Reports a host's addresses of both families as they come and go, until the iteration ends.
    ///
    /// - Parameters:
    ///   - host: as ``ResolvedService/host`` has it.
    ///   - interface: an interface index; 0 for all.
    package func addresses(
        of host: String, interface: UInt32 = 0
    ) -> AsyncThrowingStream<AddressEvent, any Error> {
        stream { output in
            let operations = [true, false].map { v6 in
                let operation = DNSServiceOperation(queue: self.queue) { @Sendable reply in
                    switch reply {
                    case .address(let added, let ip, let interface):
                        let address = SocketAddress(ip: ip, port: 0, scope: interface)
                        output.yield(added ? .added(address) : .removed(address))
                    case .failed(let error): output.finish(error)
                    case .browsed, .resolved, .registered: break
                    }
                }
                operation.queryAddresses(host, v6: v6, interface: interface)
                return operation
            }
            return { for operation in operations { operation.end() } }
        }
    }

    /// Reports the instances of a type with all that is needed to reach them, each at once when its first address is known
    /// and again with every change, until the iteration ends.
    ///
    /// Instances with port 0 wait for another port. At most ``ServiceTracker/concurrentInstances`` are looked at at a time,
    /// by turns.
    package func browseAndResolve(
        _ type: ServiceType, interface: UInt32 = 0
    ) -> AsyncThrowingStream<ServiceChange, any Error> {
        stream { output in
            let tracker = ServiceTracker(queue: self.queue, output)
            tracker.browse(type, interface: interface)
            return { tracker.end() }
        }
    }

    /// The same for one instance whose name is known, without a browse; tries again as long as nobody answers.
    package func watch(_ service: ServiceName) -> AsyncThrowingStream<ServiceChange, any Error> {
        stream { output in
            let tracker = ServiceTracker(queue: self.queue, output)
            tracker.watch(service)
            return { tracker.end() }
        }
    }

    // MARK: Streams

    /// The writing end of a stream, bounded by ``streamLimit``.
    struct Output<Element: Sendable>: Sendable {
        let continuation: AsyncThrowingStream<Element, any Error>.Continuation

        func yield(_ element: Element) {
            if case .dropped = continuation.yield(element) {
                finish(NetError(.tooLarge, "DNS-SD", reason: "more than \(streamLimit) events wait to be read"))
            }
        }

        func finish(_ error: NetError) { continuation.finish(throwing: error) }
    }

    /// A stream can end before, while and after its operation starts.
    private struct Ending {
        var isOver = false
        var end: (@Sendable () -> Void)?
    }

    /// - Parameter start: called on the queue; returns what ends the operation, callable from anywhere.
    private func stream<Element: Sendable>(
        _ start: @escaping @Sendable (Output<Element>) -> @Sendable () -> Void
    ) -> AsyncThrowingStream<Element, any Error> {
        let (stream, continuation) = AsyncThrowingStream<Element, any Error>.makeStream(
            bufferingPolicy: .bufferingOldest(Self.streamLimit))
        let ending = Locked(Ending())
        continuation.onTermination = { @Sendable _ in
            ending.withLock { ending in
                ending.isOver = true
                defer { ending.end = nil }
                return ending.end
            }?()
        }
        queue.async { @Sendable in
            guard !ending.withLock({ $0.isOver }) else { return }
            let end = start(Output(continuation: continuation))
            let isOver = ending.withLock { ending in
                if !ending.isOver { ending.end = end }
                return ending.isOver
            }
            if isOver { end() }
        }
        return stream
    }

    /// - Returns: the event for the first appearance and the last disappearance.
    static func count(_ added: Bool, _ service: ServiceName, _ counts: inout [ServiceName: Int]) -> BrowseEvent? {
        let before = counts[service, default: 0]
        let after = max(0, before + (added ? 1 : -1))
        counts[service] = after == 0 ? nil : after
        if before == 0, after > 0 { return .added(service) }
        if before > 0, after == 0 { return .removed(service) }
        return nil
    }
}
