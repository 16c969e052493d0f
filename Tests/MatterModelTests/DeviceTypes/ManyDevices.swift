import MatterModel
import MatterWire

/// A node with every device type, each on an endpoint of its own, and a bridge.
enum ManyDevices {
    static let onOffLight: UInt16 = 1
    static let dimmable: UInt16 = 2
    static let white: UInt16 = 3
    static let color: UInt16 = 4
    static let plug: UInt16 = 5
    static let lock: UInt16 = 6
    static let thermostat: UInt16 = 7
    static let cover: UInt16 = 8
    static let fan: UInt16 = 9
    static let contact: UInt16 = 10
    static let occupancy: UInt16 = 11
    static let thermometer: UInt16 = 12
    static let button: UInt16 = 13
    static let bridge: UInt16 = 20
    static let bridgedLight: UInt16 = 21
    static let bridgedContact: UInt16 = 22

    static let endpoints: [EndpointComposition] = {
        let makers: [(EndpointID) -> EndpointComposition] = [
            EndpointComposition.onOffLight, EndpointComposition.dimmableLight,
            EndpointComposition.colorTemperatureLight, EndpointComposition.extendedColorLight,
            EndpointComposition.onOffPlug, EndpointComposition.doorLock, EndpointComposition.thermostat,
            EndpointComposition.windowCovering, EndpointComposition.fan, EndpointComposition.contactSensor,
            EndpointComposition.occupancySensor, EndpointComposition.temperatureSensor,
            EndpointComposition.genericSwitch,
        ]
        let own = makers.enumerated().map { $1(EndpointID(rawValue: UInt16($0 + 1))) }
        let behind = [
            EndpointComposition.dimmableLight(EndpointID(rawValue: bridgedLight)),
            EndpointComposition.contactSensor(EndpointID(rawValue: bridgedContact)),
        ].map {
            BridgedDevice(
                endpoint: $0, label: "Behind \($0.id.rawValue)", vendorName: "MatterHub", productName: "Product",
                serialNumber: "S-\($0.id.rawValue)", uniqueID: "U-\($0.id.rawValue)")
        }
        return own + EndpointComposition.bridge(EndpointID(rawValue: bridge), of: behind)
    }()

    static var configuration: NodeConfiguration {
        var configuration = TestNode.configuration
        configuration.endpoints = endpoints
        return configuration
    }

    /// A commissioned node.
    static func node(restoring snapshot: [UInt8]? = nil) throws -> TestNode {
        var node = try TestNode(configuration: configuration, restoring: snapshot)
        if snapshot == nil { try node.commission(try TestAdmin(seed: 2)) }
        _ = node.takeEffects()
        return node
    }
}

/// Short forms: the administrator of fabric 1 asks.
extension TestNode {
    func admin(timed: Bool = false) -> InteractionContext { operational(TestAdmin.nodeID, on: 1, timed: timed) }

    mutating func value(_ cluster: ClusterID, _ attribute: UInt32, _ endpoint: UInt16) -> TLVValue? {
        read(cluster, attribute, endpoint: endpoint, as: admin()).value
    }

    mutating func number(_ cluster: ClusterID, _ attribute: UInt32, _ endpoint: UInt16) -> Int? {
        let value = value(cluster, attribute, endpoint)
        return value?.unsigned.map { Int($0) } ?? value?.signed.map { Int($0) }
    }

    mutating func send(
        _ cluster: ClusterID, _ command: UInt32, _ fields: TLVValue = .structure([]), to endpoint: UInt16,
        timed: Bool = false
    ) -> InteractionStatus? {
        invoke(cluster, command, fields, endpoint: endpoint, as: admin(timed: timed)).status?.status
    }

    /// Writes and gives the status.
    mutating func put(
        _ cluster: ClusterID, _ attribute: UInt32, _ value: TLVValue, on endpoint: UInt16
    ) -> InteractionStatus {
        write(cluster, attribute, value, endpoint: endpoint, as: admin()).status
    }

    /// What the world does; `nil` when it happened.
    mutating func world(
        _ cluster: ClusterID, _ attribute: UInt32, _ value: TLVValue, at endpoint: UInt16
    ) -> String? {
        do throws(WorldError) {
            try node.worldSets(Self.path(cluster, attribute, endpoint), to: value, now: now)
            collect()
            return nil
        } catch {
            return error.description
        }
    }

    /// Goes to the node's own deadlines until the duration is over.
    mutating func live(_ duration: Duration) {
        let end = now.advanced(by: duration)
        while let deadline = node.deadline, deadline <= end {
            now = max(now, deadline)
            record(node.timerFired(now: now))
        }
        now = end
        record(node.timerFired(now: now))
    }
}
