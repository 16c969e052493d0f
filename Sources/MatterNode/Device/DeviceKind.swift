package import MatterModel
package import MatterWire

/// The kinds of virtual devices, by the names that users give.
package enum DeviceKind: String, CaseIterable, Sendable {
    case onOffLight = "on-off-light"
    case dimmableLight = "dimmable-light"
    case colorTemperatureLight = "color-temperature-light"
    case extendedColorLight = "extended-color-light"
    case onOffPlug = "on-off-plug"
    case doorLock = "door-lock"
    case thermostat
    case windowCovering = "window-covering"
    case fan
    case contactSensor = "contact-sensor"
    case occupancySensor = "occupancy-sensor"
    case temperatureSensor = "temperature-sensor"
    case genericSwitch = "generic-switch"
    case bridge

    /// The kinds that can stand behind a bridge.
    package static let bridgeable = allCases.filter { $0 != .bridge }

    /// What a bridge has behind it when the user does not say.
    package static let usuallyBridged: [DeviceKind] = [.onOffLight, .dimmableLight, .contactSensor]

    /// Devices that a bridge may have, so that its parts lists stay within theirs.
    package static let maximumBridged = 64

    /// What the certification declaration and the advertisement say.
    package var deviceType: DeviceTypeID { self == .bridge ? .aggregator : endpoint(Self.first).deviceTypes[0].id }

    /// The product's name when the user gives none.
    package var name: String { "MatterHub \(label)" }

    /// What a person would call it; at most 20 bytes.
    package var label: String {
        switch self {
        case .onOffLight: "Light"
        case .dimmableLight: "Dimmable light"
        case .colorTemperatureLight: "White light"
        case .extendedColorLight: "Colour light"
        case .onOffPlug: "Plug"
        case .doorLock: "Lock"
        case .thermostat: "Thermostat"
        case .windowCovering: "Blind"
        case .fan: "Fan"
        case .contactSensor: "Contact sensor"
        case .occupancySensor: "Occupancy sensor"
        case .temperatureSensor: "Thermometer"
        case .genericSwitch: "Switch"
        case .bridge: "Bridge"
        }
    }

    private static let first = EndpointID(rawValue: 1)

    /// The endpoints besides 0: the device's own; of a bridge the aggregator and, from 2 on, those behind it.
    ///
    /// - Parameters:
    ///   - bridged: what a bridge has behind it; nothing for others.
    ///   - uniqueID: the node's own, from which those of bridged devices are made.
    package func endpoints(bridging bridged: [DeviceKind], uniqueID: String) -> [EndpointComposition] {
        guard self == .bridge else { return [endpoint(Self.first)] }
        var counts: [DeviceKind: Int] = [:]
        let devices = bridged.enumerated().map { index, kind in
            counts[kind, default: 0] += 1
            let count = counts[kind] ?? 1
            let endpoint = EndpointID(rawValue: Self.first.rawValue + 1 + UInt16(index))
            // The node's own unique id has 32 digits: those that are replaced were as random as the rest.
            let ending = "-\(endpoint.rawValue)"
            return BridgedDevice(
                endpoint: kind.endpoint(endpoint), label: count == 1 ? kind.label : "\(kind.label) \(count)",
                vendorName: "MatterHub", productName: kind.name,
                serialNumber: uniqueID.prefix(12) + ending,
                uniqueID: uniqueID.prefix(32 - ending.count) + ending)
        }
        return EndpointComposition.bridge(Self.first, of: devices)
    }

    private func endpoint(_ id: EndpointID) -> EndpointComposition {
        switch self {
        case .onOffLight: .onOffLight(id)
        case .dimmableLight: .dimmableLight(id)
        case .colorTemperatureLight: .colorTemperatureLight(id)
        case .extendedColorLight: .extendedColorLight(id)
        case .onOffPlug: .onOffPlug(id)
        case .doorLock: .doorLock(id)
        case .thermostat: .thermostat(id)
        case .windowCovering: .windowCovering(id)
        case .fan: .fan(id)
        case .contactSensor: .contactSensor(id)
        case .occupancySensor: .occupancySensor(id)
        case .temperatureSensor: .temperatureSensor(id)
        case .genericSwitch: .genericSwitch(id)
        case .bridge: EndpointComposition.bridge(id, of: [])[0]
        }
    }
}
