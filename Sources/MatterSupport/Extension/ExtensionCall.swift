/// One call of the app's extension.
package enum ExtensionCall: Hashable, Sendable {
    /// `validateDeviceCredential(_:)`
    case validate(MatterAddDeviceExtensionRequestHandler.DeviceCredential)
    /// `selectWiFiNetwork(from:)`
    case selectWiFi([MatterAddDeviceExtensionRequestHandler.WiFiScanResult])
    /// `selectThreadNetwork(from:)`
    case selectThread([MatterAddDeviceExtensionRequestHandler.ThreadScanResult])
    /// `rooms(in:)`
    case rooms(MatterAddDeviceRequest.Home?)
    /// `commissionDevice(in:onboardingPayload:commissioningID:)`
    case commission(MatterAddDeviceRequest.Home?, payload: String, id: UUID)
    /// `configureDevice(named:in:)`
    case configure(name: String, room: MatterAddDeviceRequest.Room?)
}

/// What the extension returned; each call has its own kind.
package enum ExtensionAnswer: Hashable, Sendable {
    /// Of the calls that return nothing.
    case done
    /// Of ``ExtensionCall/selectWiFi(_:)``.
    case wifi(MatterAddDeviceExtensionRequestHandler.WiFiNetworkAssociation)
    /// Of ``ExtensionCall/selectThread(_:)``.
    case thread(MatterAddDeviceExtensionRequestHandler.ThreadNetworkAssociation)
    /// Of ``ExtensionCall/rooms(_:)``.
    case rooms([MatterAddDeviceRequest.Room])
}

extension ExtensionCall {
    /// The step that the call belongs to.
    package var step: MatterSetupStep {
        switch self {
        case .validate: .validate
        case .selectWiFi: .wifi
        case .selectThread: .thread
        case .rooms: .rooms
        case .commission: .commission
        case .configure: .configure
        }
    }

    /// Calls the handler's method.
    func run(on handler: MatterAddDeviceExtensionRequestHandler) async throws -> ExtensionAnswer {
        switch self {
        case .validate(let credential): try await handler.validateDeviceCredential(credential)
        case .selectWiFi(let results): return .wifi(try await handler.selectWiFiNetwork(from: results))
        case .selectThread(let results): return .thread(try await handler.selectThreadNetwork(from: results))
        case .rooms(let home): return .rooms(await handler.rooms(in: home))
        case .commission(let home, let payload, let id):
            try await handler.commissionDevice(in: home, onboardingPayload: payload, commissioningID: id)
        case .configure(let name, let room): await handler.configureDevice(named: name, in: room)
        }
        return .done
    }
}
