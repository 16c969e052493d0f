import HubClient
package import HubControl

/// One endpoint of a device, read and commanded through the hub.
package struct DeviceAccess: Sendable {
    /// How long a device may take to answer; the hub itself waits for it.
    static let limit = Duration.seconds(20)

    package let link: HomeLink
    package let device: DeviceID
    package let endpoint: UInt16

    /// Reads everything that the endpoint has, and who the node says it is.
    func report() async throws(HomeError) -> EndpointReport {
        let readings = try await read(AttributeSelection(endpoint: endpoint))
        var report = EndpointReport(readings, endpoint: endpoint)
        guard endpoint != 0 else { return report }
        do throws(HomeError) {
            let root = try await read(AttributeSelection(endpoint: 0, cluster: EndpointReport.basicInformation))
            report.merge(root, endpoint: 0)
        } catch {
            // A device whose root says nothing of itself works all the same.
        }
        return report
    }

    /// Reads one cluster.
    func read(cluster: UInt32, endpoint: UInt16) async throws(HomeError) -> [UInt32: AttributeValue] {
        let readings = try await read(AttributeSelection(endpoint: endpoint, cluster: cluster))
        return EndpointReport(readings, endpoint: endpoint).clusters[cluster]?.values ?? [:]
    }

    private func read(_ selection: AttributeSelection) async throws(HomeError) -> [AttributeReading] {
        try await HomeError.translating { () async throws(ControlError) in
            try await link.app.call(.read(selection, of: device), deadline: Self.limit)
        }
    }
}
