import MatterProtocol
import MatterWire
package import NetIO

/// Finds nodes by DNS-SD.
///
/// Browses without a subtype: some devices announce none, and the candidate rules filter anyway.
package struct DNSServiceNodeDiscovery: NodeDiscovery {
    private let directory: DNSServiceDirectory
    package init(directory: DNSServiceDirectory) { self.directory = directory }

    package func commissionableNodes() -> AsyncThrowingStream<CommissionableEvent, any Error> {
        mapped(directory.browseAndResolve(ServiceType("_matterc._udp"))) { change in
            switch change {
            case .found(let instance):
                [
                    .found(
                        CommissionableRecord(
                            instance: instance.name, port: instance.port,
                            addresses: AddressPreference.sorted(instance.addresses).map { PeerAddress($0) },
                            txt: instance.txt.texts))
                ]
            case .lost(let service): [.lost(instance: service.name)]
            }
        }
    }

    package func operationalNode(instance: String) -> AsyncThrowingStream<OperationalAddress, any Error> {
        mapped(directory.watch(ServiceName(name: instance, type: "_matter._tcp"))) { change in
            switch change {
            case .found(let instance):
                AddressPreference.sorted(instance.addresses).map {
                    OperationalAddress(address: PeerAddress($0), timing: MRPParameters(txt: instance.txt.texts))
                }
            case .lost: []
            }
        }
    }

    private func mapped<Input: Sendable, Output: Sendable>(
        _ input: AsyncThrowingStream<Input, any Error>, _ transform: @escaping @Sendable (Input) -> [Output]
    ) -> AsyncThrowingStream<Output, any Error> {
        // Bounded like the directory's own streams; who reads too slowly misses nothing that is not announced again.
        AsyncThrowingStream(bufferingPolicy: .bufferingOldest(DNSServiceDirectory.streamLimit)) { continuation in
            let task = Task {
                do {
                    for try await element in input { for output in transform(element) { continuation.yield(output) } }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { @Sendable _ in task.cancel() }
        }
    }
}

/// Which of a node's addresses is tried first.
enum AddressPreference {
    /// Global and unique local IPv6 before link-local, and that before IPv4; the order of arrival within each.
    static func sorted(_ addresses: [SocketAddress]) -> [SocketAddress] {
        func rank(_ address: SocketAddress) -> Int {
            if address.ip.isV4 { return 2 }
            return address.ip.isLinkLocal ? 1 : 0
        }
        return addresses.enumerated().sorted { lhs, rhs in
            (rank(lhs.element), lhs.offset) < (rank(rhs.element), rhs.offset)
        }.map(\.element)
    }
}

extension TXTRecord {
    /// Every key with a text value.
    var texts: [String: String] {
        Dictionary(
            entries.compactMap { entry in entry.value.map { (entry.key, String(decoding: $0, as: UTF8.self)) } },
            uniquingKeysWith: { first, _ in first })
    }
}
