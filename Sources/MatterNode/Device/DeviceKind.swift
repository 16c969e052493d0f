package import MatterModel
package import MatterWire

/// The kinds of virtual devices, by the names that users give.
package enum DeviceKind: String, CaseIterable, Sendable {
    case onOffLight = "on-off-light"

    /// What the certification declaration and the advertisement say.
    package var deviceType: DeviceTypeID {
        switch self {
        case .onOffLight: .onOffLight
        }
    }

    /// The endpoints besides 0.
    package var endpoints: [EndpointComposition] {
        switch self {
        case .onOffLight: [.onOffLight(EndpointID(rawValue: 1))]
        }
    }

    /// The product's name when the user gives none.
    package var name: String {
        switch self {
        case .onOffLight: "MatterHub Light"
        }
    }
}
