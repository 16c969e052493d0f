/// Whether a device, or a part of it, can be reached, and which way.
public struct SourceConnectivity: Hashable, Sendable {
    /// Whether it can be reached.
    public let connectivityState: ConnectivityState
    /// Which way.
    public let dataSourceLocality: LocalityType

    package init(_ state: ConnectivityState) {
        connectivityState = state
        dataSourceLocality = .local
    }
}

/// Whether a device can be reached.
public enum ConnectivityState: Hashable, Sendable {
    /// Nobody knows.
    case unknown
    /// It answered the last time.
    case online
    /// It did not answer the last time.
    case offline
    /// Some of its parts answer.
    case partiallyOnline
}

/// Which way a device is reached.
public enum LocalityType: Hashable, Sendable {
    /// Nobody knows.
    case unspecified
    /// Within the home's network: the only way that a MatterHub goes.
    case local
    /// Over the Internet.
    case remote
}
