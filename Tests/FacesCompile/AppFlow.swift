// How apps call the faces, in language mode 5 and in both spellings that versions of the SDK ask for. Compiled, never run.
import GoogleHomeMatterCommissionerSDK
import GoogleHomeSDK
import MatterSupport

final class AppFlow {
    static var ids: Set<String> = []
    private var home: Home?

    static func start() {
        Home.configure { $0.sharedAppGroup = "group.com.example.app" }
        Home.configure { configuration in
            configuration.teamID = "TEAM"
            configuration.clientID = "com.example.app"
            configuration.strictOperationValidation = false
        }
    }

    @MainActor
    func connect() async throws -> Home {
        if let home = await Home.restoreSession() { return home }
        let home = try await Home.connect()
        self.home = home
        return home
    }

    func listing(_ home: Home) async throws -> Set<HomeDevice> {
        let structures = try await home.structures().list()
        let rooms = try await home.rooms().list().filter { room in structures.contains { $0.id == room.structureID } }
        return try await home.devices().list().filter { device in
            Self.ids.contains(device.id) && rooms.contains { $0.id == device.roomID } && device.isMatterDevice
        }
    }

    func topology(_ structure: Structure) -> MatterAddDeviceRequest {
        let topology = MatterAddDeviceRequest.Topology(
            ecosystemName: "Google Home", homes: [MatterAddDeviceRequest.Home(displayName: structure.name)])
        return MatterAddDeviceRequest(topology: topology)
    }

    func oldSpelling(_ structure: Structure) async {
        do {
            try await structure.prepareForMatterCommissioning()
            let ids = try structure.completeMatterCommissioning()
            Self.ids.formUnion(ids)
        } catch {
            structure.cancelMatterCommissioning()
            structure.markMatterCommissioningFailed(error: error)
        }
    }

    func newSpelling(_ structure: Structure) async -> String? {
        do {
            try await structure.prepareForMatterCommissioning()
            try await structure.completeMatterCommissioning()
            return try await structure.completeMatterCommissioning().first
        } catch let error as HomeError {
            let result = structure.markMatterCommissioningFailed(error: error)
            switch error.code {
            case .cancelled: return nil
            case .permissionDenied, .unavailable, .failedPrecondition: return error.message
            default: return (result.detailedError as? HomeError)?.localizedDescription ?? result.traceString
            }
        } catch {
            return MatterSuggestedUserAction.defaultActions.map(\.rawValue).joined(separator: HomeError.errorDomain)
        }
    }
}

final class ExtensionFlow {
    private let appGroup = "group.com.example.app"

    func commission(payload: String, commissioningID: UUID) async throws {
        let commissioner = try HomeMatterCommissioner(appGroup: appGroup)
        try await commissioner.commissionMatterDevice(onboardingPayload: payload)
    }

    func rooms() async -> [MatterAddDeviceRequest.Room] {
        do {
            let commissioner = try HomeMatterCommissioner(appGroup: appGroup)
            return try commissioner.fetchRooms()
        } catch {
            return []
        }
    }

    func oldConfigure(name: String, room: MatterAddDeviceRequest.Room?) async {
        do {
            let commissioner = try HomeMatterCommissioner(appGroup: appGroup)
            await commissioner.configureMatterDevice(deviceName: name, roomName: room?.displayName)
        } catch {
            print(HomeError.internal("no commissioner").localizedDescription, error)
        }
    }

    func newConfigure(name: String, room: MatterAddDeviceRequest.Room?) async throws {
        let commissioner = try HomeMatterCommissioner(appGroup: appGroup)
        try await commissioner.configureMatterDevice(deviceName: name, roomName: room?.displayName)
    }
}
