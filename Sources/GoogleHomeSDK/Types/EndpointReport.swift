import HubClient
package import HubControl

/// What a device's endpoint said of itself: its clusters with their attributes.
package struct EndpointReport: Hashable, Sendable {
    /// One cluster.
    package struct Cluster: Hashable, Sendable {
        /// Where it is; the root's basic information is on endpoint 0.
        package var endpoint: UInt16
        /// By attribute id.
        package var values: [UInt32: AttributeValue]
    }

    /// BasicInformation (Core §11.1).
    static let basicInformation: UInt32 = 0x28

    /// By cluster id.
    package var clusters: [UInt32: Cluster] = [:]
    /// Whether the device answered.
    package var connectivity = ConnectivityState.online

    /// Takes the readings of one endpoint; those with a status instead of a value are left out.
    init(_ readings: [AttributeReading], endpoint: UInt16) { merge(readings, endpoint: endpoint) }

    /// What can be said of a device that does not answer: the clusters that its types have, without values.
    init(offline types: [UInt32], endpoint: UInt16) {
        connectivity = .offline
        for type in types {
            for cluster in DeviceTypeTable.clusters(of: type) {
                clusters[cluster] = Cluster(endpoint: endpoint, values: [:])
            }
        }
    }

    /// Puts newer values over those that are there.
    mutating func merge(_ readings: [AttributeReading], endpoint: UInt16) {
        for reading in readings where reading.endpoint == endpoint {
            guard let value = reading.value else { continue }
            clusters[reading.cluster, default: Cluster(endpoint: endpoint, values: [:])].values[reading.attribute] =
                value
        }
    }

    /// Puts the values of a `device.attributes` event over those that are there.
    mutating func merge(_ event: AttributeEvent) {
        guard var cluster = clusters[event.cluster], cluster.endpoint == event.endpoint else { return }
        cluster.values.merge(event.values) { $1 }
        clusters[event.cluster] = cluster
        connectivity = .online
    }
}

/// The data of a `device.attributes` event: one cluster's new values.
struct AttributeEvent: Hashable, Sendable {
    static let name = "device.attributes"

    var device: DeviceID
    var endpoint: UInt16
    var cluster: UInt32
    var values: [UInt32: AttributeValue]

    /// - Throws: when the event is of another form; a newer hub's, which means nothing here.
    init(json: JSONObject) throws(ControlProtocolError) {
        device = try json.identifier("id")
        endpoint = try json.integer("endpoint")
        cluster = try json.integer("cluster")
        values = [:]
        for (id, value) in try json.objects(
            "attributes",
            { row throws(ControlProtocolError) in
                guard let value = row["value"] else { throw ControlProtocolError(.missing, path: "value") }
                return (try row.integer("attribute", as: UInt32.self), try AttributeValue(json: value))
            })
        {
            values[id] = value
        }
    }
}
