import Dispatch
import Glibc
import Synchronization

/// One datagram that arrived.
package struct Datagram: Hashable, Sendable {
    package var bytes: [UInt8]
    package var source: SocketAddress

    package init(bytes: [UInt8], source: SocketAddress) {
        self.bytes = bytes
        self.source = source
    }
}

/// A UDP socket that serves IPv6 and IPv4 on one port.
///
/// On a machine without IPv6 it serves IPv4 only. Link-local peers keep their scope in both directions.
package final class UDPSocket: Sendable {
    /// Longer datagrams are dropped and counted: no protocol here sends them.
    package static let maximumDatagramSize = 4096

    /// What arrived, in order, for a single consumer; ends after ``close()``.
    ///
    /// Buffers the oldest datagrams up to the stated number and drops newer ones, as a full kernel buffer would.
    package let datagrams: AsyncStream<Datagram>
    /// Where the socket is bound; its port is the real one when 0 was asked for.
    package let localAddress: SocketAddress
    private let family: Int32
    private let descriptor: Locked<FileDescriptor?>
    private let released: Gate
    private let source: ReadableSource
    private let continuation: AsyncStream<Datagram>.Continuation
    private let counters: Counters

    private final class Counters: Sendable {
        let dropped = Atomic<Int>(0)
    }

    /// Opens and binds a socket.
    ///
    /// - Parameters:
    ///   - port: host order; 0 lets the system choose.
    ///   - address: `nil` for every address of both families, else one address of this machine.
    ///   - bufferedDatagrams: how many datagrams may wait for the consumer.
    /// - Throws: ``NetError``, with code `addressInUse` when another socket has the port.
    package init(port: UInt16 = 0, address: SocketAddress? = nil, bufferedDatagrams: Int = 512) throws(NetError) {
        let (descriptor, family) = try Self.open(port: port, address: address)
        self.family = family
        self.descriptor = Locked(descriptor)
        released = descriptor.closed
        localAddress = try descriptor.localAddress()
        let (stream, continuation) = AsyncStream<Datagram>.makeStream(
            bufferingPolicy: .bufferingOldest(bufferedDatagrams))
        datagrams = stream
        self.continuation = continuation
        counters = Counters()
        let queue = DispatchQueue(label: "netio.udp", qos: .userInitiated)
        source = Self.startReceiving(descriptor, queue, continuation, counters)
        continuation.onTermination = { [source] _ in source.cancel() }
    }

    deinit { close() }

    /// The number of datagrams that arrived and were dropped: too long, or the consumer was too slow.
    package var droppedDatagrams: Int { counters.dropped.load(ordering: .relaxed) }

    /// Sends one datagram, without waiting.
    ///
    /// - Throws: ``NetError``; after `unreachable`, `wouldBlock`, `refused` and `tooLarge` the socket goes on working.
    package func send(_ bytes: [UInt8], to peer: SocketAddress) throws(NetError) {
        guard let descriptor = descriptor.withLock({ $0 }) else { throw NetError(.closed, "sendto") }
        try peer.requireScope("sendto")
        let status = peer.withSockaddr(family: family) { pointer, length in
            while true {
                let sent = bytes.withUnsafeBytes {
                    sendto(descriptor.rawValue, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL), pointer, length)
                }
                if sent >= 0 { return Int32(0) }
                if errno != EINTR { return errno }
            }
        }
        guard let status else { throw NetError(.unreachable, "sendto", reason: "no IPv6 here for \(peer)") }
        guard status == 0 else { throw NetError(errno: status, "sendto", reason: "\(peer)") }
    }

    /// Stops receiving and sending and ends ``datagrams``; idempotent. The port is free a moment later.
    package func close() {
        descriptor.withLock { $0 = nil }
        continuation.finish()
        source.cancel()
    }

    /// Closes and waits until the port is free for another socket.
    package func closeAndWait() async {
        close()
        await released.wait()
    }

    // MARK: Opening

    private static func open(port: UInt16, address: SocketAddress?) throws(NetError) -> (FileDescriptor, Int32) {
        if let address {
            let family = address.ip.isV4 ? AF_INET : AF_INET6
            let descriptor = try FileDescriptor.socket(family, SOCK_DGRAM)
            var place = address
            place.port = port
            try descriptor.bind(to: place, family: family)
            return (descriptor, family)
        }
        do throws(NetError) {
            let descriptor = try FileDescriptor.socket(AF_INET6, SOCK_DGRAM)
            try descriptor.setOption(Int32(IPPROTO_IPV6), IPV6_V6ONLY, 0, "IPV6_V6ONLY")
            try preferStableSource(descriptor)
            try descriptor.bind(to: SocketAddress(ip: .anyV6, port: port), family: AF_INET6)
            return (descriptor, AF_INET6)
        } catch  where error.code == .addressUnavailable {
            let descriptor = try FileDescriptor.socket(AF_INET, SOCK_DGRAM)
            try descriptor.bind(to: SocketAddress(ip: .anyV4, port: port), family: AF_INET)
            return (descriptor, AF_INET)
        }
    }

    /// Answers from the address that DNS-SD announces and not from a temporary one (RFC 5014): peers may compare.
    private static func preferStableSource(_ descriptor: FileDescriptor) throws(NetError) {
        let preferPublic: Int32 = 0x0002
        do throws(NetError) {
            try descriptor.setOption(Int32(IPPROTO_IPV6), IPV6_ADDR_PREFERENCES, preferPublic, "preference")
        } catch  where error.systemError == ENOPROTOOPT {
            // A kernel without the option: the default order serves.
        }
    }

    // MARK: Receiving

    /// Nonisolated, so that the handler inherits no actor from whoever opens the socket.
    private static func startReceiving(
        _ descriptor: FileDescriptor, _ queue: DispatchQueue, _ continuation: AsyncStream<Datagram>.Continuation,
        _ counters: Counters
    ) -> ReadableSource {
        ReadableSource(descriptor, queue: queue) { @Sendable in
            // A bounded number a call: an endless flood must not keep `cancel` from being seen.
            for _ in 0..<64 {
                switch receive(descriptor) {
                case .datagram(let datagram):
                    if case .dropped = continuation.yield(datagram) { counters.dropped.add(1, ordering: .relaxed) }
                case .dropped: counters.dropped.add(1, ordering: .relaxed)
                case .nothing: return
                }
            }
        }
    }

    private enum Received { case datagram(Datagram), dropped, nothing }

    private static func receive(_ descriptor: FileDescriptor) -> Received {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeTemporaryAllocation(byteCount: maximumDatagramSize, alignment: 8) { buffer in
            let (count, source) = withUnsafeMutableBytes(of: &storage) { raw in
                let count = recvfrom(
                    descriptor.rawValue, buffer.baseAddress, buffer.count, Int32(MSG_TRUNC),
                    raw.assumingMemoryBound(to: sockaddr.self).baseAddress!, &length)
                return (count, SocketAddress(UnsafeRawPointer(raw.baseAddress!), length: Int(length)))
            }
            guard count >= 0 else { return errno == EAGAIN ? .nothing : .dropped }
            guard count <= buffer.count, let source else { return .dropped }
            return .datagram(Datagram(bytes: [UInt8](buffer[..<count]), source: source))
        }
    }
}
