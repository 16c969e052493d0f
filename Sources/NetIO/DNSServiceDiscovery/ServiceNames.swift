/// A kind of service to browse for: a registration type and, perhaps, one subtype (RFC 6763 §7).
package struct ServiceType: Hashable, Sendable, CustomStringConvertible {
    /// `_matterc._udp`: without subtype, domain or final dot.
    package var name: String
    /// `_L3840`; `nil` for all instances of the type.
    package var subtype: String?

    package init(_ name: String, subtype: String? = nil) {
        self.name = name
        self.subtype = subtype
    }

    package var description: String { subtype.map { "\(name),\($0)" } ?? name }
}

/// One instance of a service as one interface sees it.
package struct ServiceName: Hashable, Sendable, CustomStringConvertible {
    /// The instance's name, unescaped.
    package var name: String
    /// `_matterc._udp`, without final dot.
    package var type: String
    /// `local`, without final dot.
    package var domain: String
    /// The interface index; 0 for any.
    package var interface: UInt32

    package init(name: String, type: String, domain: String = "local", interface: UInt32 = 0) {
        self.name = name
        self.type = type
        self.domain = domain
        self.interface = interface
    }

    package var description: String { "\(name).\(type).\(domain)" }
}

/// What a browse reports.
package enum BrowseEvent: Hashable, Sendable {
    case added(ServiceName)
    case removed(ServiceName)
}

/// Where a service runs, without addresses.
package struct ResolvedService: Hashable, Sendable {
    /// The host's name in DNS's escaped form, as address lookups take it.
    package var host: String
    /// Host order; 0 means that the service is not reachable at the moment.
    package var port: UInt16
    package var txt: TXTRecord
    /// The interface that the answer came from.
    package var interface: UInt32
}

/// What an address lookup reports; the addresses have port 0 and, where link-local, their scope.
package enum AddressEvent: Hashable, Sendable {
    case added(SocketAddress)
    case removed(SocketAddress)
}

/// All that is known of one instance on one interface.
package struct ServiceInstance: Hashable, Sendable {
    package var service: ServiceName
    package var host: String
    /// Host order, never 0.
    package var port: UInt16
    package var txt: TXTRecord
    /// The interface that the answers came from.
    package var interface: UInt32
    /// In order of arrival, with port and scope; never empty.
    package var addresses: [SocketAddress]
    /// The instance's name, unescaped.
    package var name: String { service.name }
}

/// What ``DNSServiceDirectory/browseAndResolve(_:interface:)`` reports.
package enum ServiceChange: Hashable, Sendable {
    /// The instance has its first address, or something of it has changed since.
    case found(ServiceInstance)
    /// The instance is gone, or its last address is.
    case lost(ServiceName)
}
