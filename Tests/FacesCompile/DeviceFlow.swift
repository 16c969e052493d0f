// How apps show and command devices, in language mode 5. Compiled, never run.
import Combine
import Dispatch
import Foundation
import GoogleHomeSDK
import GoogleHomeTypes

protocol SwitchableType: DeviceType {
    var switchTrait: Matter.OnOffTrait? { get }
    var dimmerTrait: Matter.LevelControlTrait? { get }
}

extension OnOffLightDeviceType: SwitchableType {
    var switchTrait: GoogleHomeTypes.Matter.OnOffTrait? { self.matterTraits.onOffTrait }
    var dimmerTrait: GoogleHomeTypes.Matter.LevelControlTrait? { nil }
}

extension DimmableLightDeviceType: SwitchableType {
    var switchTrait: GoogleHomeTypes.Matter.OnOffTrait? { self.matterTraits.onOffTrait }
    var dimmerTrait: GoogleHomeTypes.Matter.LevelControlTrait? { self.matterTraits.levelControlTrait }
}

enum ControlFailure: Error { case otherType(String) }

class DeviceTile: ObservableObject, Identifiable {
    let id: String
    let device: HomeDevice
    @Published var title = ""
    @Published var isOn = false

    init(device: HomeDevice) throws {
        self.device = device
        self.id = device.id
    }
}

class SwitchTile<Kind: SwitchableType>: DeviceTile {
    private var kind: Kind?
    private var typeCancellable: AnyCancellable?

    override init(device: HomeDevice) throws {
        guard device.types.contains(Kind.self) else { throw ControlFailure.otherType(Kind.identifier) }
        try super.init(device: device)
        self.typeCancellable = self.device.types.subscribe(Kind.self)
            .receive(on: DispatchQueue.main)
            .catch { error in
                print("no state: \(error)")
                return Empty<Kind, Never>().eraseToAnyPublisher()
            }
            .sink { [weak self] kind in
                guard let self = self else { return }
                self.kind = kind
                self.isOn = kind.switchTrait?.attributes.onOff ?? false
            }
    }

    func toggle() {
        Task { @MainActor [weak self] in
            guard let self = self, let trait = self.kind?.switchTrait else { return }
            do {
                try await trait.toggle()
            } catch {
                self.isOn = false
            }
        }
    }

    func dim(to percentage: Float) {
        Task { @MainActor [weak self] in
            guard let self = self, let trait = self.kind?.dimmerTrait else { return }
            let (lowest, highest) = (trait.attributes.minLevel ?? 0, trait.attributes.maxLevel ?? 254)
            do {
                try await trait.moveToLevelWithOnOff(
                    level: lowest + UInt8(percentage * Float(highest - lowest)), transitionTime: nil, optionsMask: [],
                    optionsOverride: [])
            } catch {
                self.isOn = false
            }
        }
    }
}

struct TileFactory {
    // The order counts, since types overlap.
    private static let types: [any DeviceType.Type] = [
        ExtendedColorLightDeviceType.self, ColorTemperatureLightDeviceType.self, DimmableLightDeviceType.self,
        OnOffLightDeviceType.self, DoorLockDeviceType.self, FanDeviceType.self, WindowCoveringDeviceType.self,
        TemperatureSensorDeviceType.self, ThermostatDeviceType.self, OnOffPluginUnitDeviceType.self,
        OccupancySensorDeviceType.self, ContactSensorDeviceType.self, SpeakerDeviceType.self, GoogleTVDeviceType.self,
        GoogleCameraDeviceType.self, GoogleDoorbellDeviceType.self,
    ]
    private static let builders: [String: (HomeDevice) throws -> DeviceTile] = [
        DimmableLightDeviceType.identifier: SwitchTile<DimmableLightDeviceType>.init,
        OnOffLightDeviceType.identifier: SwitchTile<OnOffLightDeviceType>.init,
    ]

    static func make(device: HomeDevice) throws -> DeviceTile {
        guard let type = self.types.first(where: { device.types.contains($0) }),
            let builder = self.builders[type.identifier]
        else { return try DeviceTile(device: device) }
        return try builder(device)
    }
}

final class HomeModel: ObservableObject {
    let home: Home
    @Published var tiles = [DeviceTile]()
    @Published private(set) var structures: [Structure] = []
    @Published private(set) var eligibility = HomeDevice.DecommissionEligibility.ineligible(
        reason: .other("Not loaded"))
    private var structuresCancellable: AnyCancellable?

    init(home: Home, structureID: String) {
        self.home = home
        self.home.rooms().batched()
            .combineLatest(self.home.devices().batched())
            .receive(on: DispatchQueue.main)
            .catch { error in
                print("\(error)")
                return Just((Set<Room>(), Set<HomeDevice>()))
            }
            .map { rooms, devices in
                let known = Set(rooms.filter { $0.structureID == structureID }.map(\.id))
                return devices.filter { known.contains($0.roomID ?? "") }.compactMap {
                    do { return try TileFactory.make(device: $0) } catch { return nil }
                }
            }
            .assign(to: &self.$tiles)
        self.structuresCancellable = home.structures().batched()
            .receive(on: DispatchQueue.main)
            .map { Array($0) }
            .catch {
                print("\($0)")
                return Just([Structure]())
            }
            .assign(to: \.structures, on: self)
    }

    func permissions() {
        Task { self.home.presentPermissionsUpdate() }
        Task { await self.home.permissions.presentPermissionsUpdate() }
    }

    func rename(_ room: Room, _ device: HomeDevice) -> [(String) async throws -> Any] {
        [room.setName, device.setName]
    }

    func rearrange(_ structure: Structure, _ room: Room, _ device: HomeDevice) async throws {
        _ = try await structure.createRoom(name: "Attic")
        try await structure.move(device: device.id, to: room.id)
        _ = try await structure.deleteRoom(room)
    }

    func removal(_ device: HomeDevice) async throws -> String {
        self.eligibility = try await device.decommissionEligibility
        switch self.eligibility {
        case .ineligible(let reason):
            switch reason {
            case .notAuthorized, .nonMatterDevice, .bridgedDevice, .multiSourceDevice: return "\(reason)"
            case .other(let message): return message ?? "Unknown"
            @unknown default: return "Unknown"
            }
        case .eligible: return try await device.decommission().joined(separator: ", ")
        case .eligibleWithSideEffects(let effects):
            switch effects {
            case .bridge(let ids), .multipleAffectedDevices(let ids): return Array(ids).joined(separator: ", ")
            @unknown default: return "Unknown"
            }
        @unknown default: return "Unknown"
        }
    }

    @MainActor
    func hubs() async throws {
        let hubs = await self.home.discoverAvailableHubs()
        if let hub = hubs.first { try await self.home.startHubActivation(hub, structureID: "1") }
        let later = try await self.home.discoverAvailableHubs(duration: .seconds(5))
        print(later, Home.version, self.home.identifier)
    }
}

extension Matter.ThermostatTrait {
    var heats: Bool {
        guard let features = self.attributes.featureMap else { return false }
        return features.contains(.heating) && self.attributes.systemMode ?? .unrecognized_ == .heat
    }

    func warm(to centidegrees: Int16) async throws {
        _ = try await self.update { $0.setOccupiedHeatingSetpoint(centidegrees) }
        try await self.setpointRaiseLower(mode: .heat, amount: 5)
    }
}

@MainActor
func operate(_ lock: DoorLockDeviceType, _ fan: FanDeviceType, _ blind: WindowCoveringDeviceType, code: Data)
    async throws
{
    if let trait = lock.matterTraits.doorLockTrait {
        switch trait.attributes.lockState {
        case .locked where trait.attributes.requirePinforRemoteOperation == true:
            try await trait.unlockDoor { $0.setPinCode(code) }
        case .locked: try await trait.unlockDoor()
        default: try await trait.lockDoor()
        }
    }
    if let trait = fan.traits[Matter.OnOffTrait.self] {
        try await trait.toggle()
    } else if let trait = fan.matterTraits.fanControlTrait, trait.attributes.$percentSetting.isSupported {
        let mode: Matter.FanControlTrait.FanModeEnum = trait.attributes.fanMode == .off ? .high : .off
        _ = try await trait.update { $0.setFanMode(mode) }
    }
    try await blind.matterTraits.windowCoveringTrait?.goToLiftPercentage(liftPercent100thsValue: 10_000)
}

func configureAutomations() {
    Home.configure {
        $0.referencedAutomationTypes = ReferencedAutomationTypes(
            deviceTypes: [OnOffLightDeviceType.self, TemperatureSensorDeviceType.self],
            traits: [Matter.OnOffTrait.self, Matter.LevelControlTrait.self])
    }
}
