import NetIO

/// Where a hub listens: a host by name or number, and a port.
public struct HubAddress: Hashable, Sendable, CustomStringConvertible {
    /// The port of the control protocol where none is given.
    public static let defaultPort: UInt16 = 5543
    /// A hub on this machine at the usual port.
    public static let local = HubAddress(host: "localhost")

    /// A name, or a numeric address with its scope, without brackets.
    public var host: String
    /// Host order.
    public var port: UInt16

    /// Makes an address.
    public init(host: String, port: UInt16 = defaultPort) {
        self.host = host
        self.port = port
    }

    /// Reads `name`, `name:5543`, `10.0.0.1:5543` or `[fe80::1%eth0]:5543`.
    ///
    /// - Returns: `nil` for another form.
    public init?(_ text: String) {
        guard let parts = HostAndPort(text, defaultPort: Self.defaultPort) else { return nil }
        self.init(host: parts.host, port: parts.port)
    }

    /// The form that ``init(_:)`` reads.
    public var description: String { parts.description }

    var parts: HostAndPort { HostAndPort(host: host, port: port) }
}
