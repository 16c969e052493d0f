/// Names of the statuses that clusters define for themselves (Matter 1.4.2, StatusCodeEnum of each cluster).
extension StatusIB {
    private static let names: [ClusterID: [UInt8: String]] = [
        .timeSynchronization: [2: "time not accepted"],
        .administratorCommissioning: [2: "busy", 3: "PAKE parameter error", 4: "window not open"],
        ClusterID(rawValue: 0x0054): [
            65: "stuck", 66: "dust bin missing", 67: "dust bin full", 68: "water tank empty", 69: "water tank missing",
            70: "water tank lid open", 71: "mop cleaning pad missing", 72: "battery low",
        ],
        ClusterID(rawValue: 0x0055): [64: "cleaning in progress"],
        ClusterID(rawValue: 0x0081): [2: "failure due to fault"],
        .doorLock: [
            2: "duplicate", 3: "occupied", 133: "invalid field", 137: "resource exhausted", 139: "not found",
        ],
        ClusterID(rawValue: 0x0555): [
            2: "invalid TLS endpoint", 3: "invalid stream", 4: "invalid URL", 5: "invalid zone",
            6: "invalid combination", 7: "invalid trigger type", 8: "invalid transport status",
        ],
        ClusterID(rawValue: 0x0753): [2: "vendor id not verified", 3: "invalid administrator fabric index"],
        ClusterID(rawValue: 0x0801): [2: "certificate already installed", 3: "duplicate key"],
        ClusterID(rawValue: 0x0802): [
            2: "endpoint already installed", 3: "root certificate not found", 4: "client certificate not found",
            5: "endpoint in use",
        ],
    ]

    /// The status in words: the general one, and the cluster's own where there is one, by name where it is known.
    ///
    /// For example `failure (0x01), window not open (cluster status 4)`.
    ///
    /// - Parameter cluster: whose status it is; `nil` when that is not known.
    public func words(in cluster: ClusterID?) -> String {
        guard let clusterStatus, clusterStatus != 0 || !isSuccess else { return status.description }
        let name = cluster.flatMap { Self.names[$0]?[clusterStatus] }
        return "\(status), "
            + (name.map { "\($0) (cluster status \(clusterStatus))" } ?? "cluster status \(clusterStatus)")
    }
}
