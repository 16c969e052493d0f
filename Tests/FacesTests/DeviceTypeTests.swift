import Combine
import FakeHub
import Foundation
import GoogleHomeTypes
import HubControl
import Testing

@testable import GoogleHomeSDK

typealias OnOffTrait = GoogleHomeTypes.Matter.OnOffTrait

@Suite("Device types and traits", .timeLimit(.minutes(1)))
struct DeviceTypeTests {
    private static let lamp = "0000000000000d01"

    private func device(_ both: AppAndHub, _ id: String = lamp, strict: Bool = false) async throws -> HomeDevice {
        var configuration = both.configuration
        configuration.strictOperationValidation = strict
        let home = try await Home.connect(configuration, both.settings)
        return try #require(try await home.devices().list().first { $0.id == id })
    }

    // MARK: - Reading and commanding

    @Test func `a light is read and switched`() async throws {
        let both = try AppAndHub()
        let lamp = try await device(both)
        #expect(lamp.types.contains(OnOffLightDeviceType.self))
        #expect(!lamp.types.contains(DimmableLightDeviceType.self))
        let light = try #require(await lamp.types.get(OnOffLightDeviceType.self))
        #expect(light.metadata.objectID == lamp.id)
        #expect(light.metadata.isPrimaryType)
        #expect(light.metadata.sourceConnectivity.connectivityState == .online)
        let onOff = try #require(light.matterTraits.onOffTrait)
        #expect(onOff.attributes.onOff == false)
        #expect(onOff.attributes.$onOff.isSupported)
        #expect(onOff.attributes.onTime == nil)
        #expect(!onOff.attributes.$onTime.isSupported)
        #expect(onOff.attributes.featureMap == .lighting)
        #expect(onOff.supportsToggleCommand)
        #expect(!onOff.supportsOffWithEffectCommand)
        #expect(light.matterTraits.levelControlTrait == nil)
        #expect(light.traits[GoogleHomeTypes.Matter.BasicInformationTrait.self]?.attributes.vendorName == "Test")
        try await onOff.toggle()
        #expect(await lamp.types.get(OnOffLightDeviceType.self)?.matterTraits.onOffTrait?.attributes.onOff == true)
        try await onOff.off()
        #expect(await lamp.parts.get(OnOffLightDeviceType.self)?.matterTraits.onOffTrait?.attributes.onOff == false)
        let commands = both.hub.requests.filter { $0.method == .devicesInvoke }.map(\.params)
        #expect(commands.map { $0["command"] } == [2, 0])
        #expect(commands.allSatisfy { $0["cluster"] == 6 && $0["endpoint"] == 1 && $0["timedMs"] == nil })
    }

    @Test func `types overlap as the device library says`() async throws {
        let both = try AppAndHub()
        both.hub.addDevice(
            FakeDevice(
                id: "0000000000000d02", name: "Colours", type: 0x010D, clusters: [0x06: [0: true], 0x08: [0: 7]]))
        let colours = try await device(both, "0000000000000d02")
        let types: [any DeviceType.Type] = [
            ExtendedColorLightDeviceType.self, ColorTemperatureLightDeviceType.self, DimmableLightDeviceType.self,
            OnOffLightDeviceType.self,
        ]
        #expect(types.allSatisfy { colours.types.contains($0) })
        #expect(!colours.types.contains(OnOffPluginUnitDeviceType.self))
        #expect(!colours.types.contains(GoogleTVDeviceType.self))
        #expect(await colours.types.get(ExtendedColorLightDeviceType.self)?.metadata.isPrimaryType == true)
        let dimmable = try #require(await colours.types.get(DimmableLightDeviceType.self))
        #expect(!dimmable.metadata.isPrimaryType)
        #expect(dimmable.matterTraits.levelControlTrait?.attributes.currentLevel == 7)
        #expect(await colours.types.get(DoorLockDeviceType.self) == nil)
    }

    @Test func `commands carry their fields, null and left out ones too`() async throws {
        let both = try AppAndHub()
        both.hub.addDevice(
            FakeDevice(
                id: "0000000000000d02", name: "All", type: 0x010C,
                clusters: [0x08: [0: 1], 0x0300: [7: 250], 0x0101: [0: 1, 3: 1], 0x0201: [0: 2150]],
                commands: [0x08: [4], 0x0300: [10], 0x0101: [0, 1], 0x0201: [0]]))
        let light = try #require(
            await device(both, "0000000000000d02").types.get(ColorTemperatureLightDeviceType.self))
        try await light.matterTraits.levelControlTrait?.moveToLevelWithOnOff(
            level: 100, transitionTime: nil, optionsMask: [], optionsOverride: [])
        try await light.matterTraits.colorControlTrait?.moveToColorTemperature(
            colorTemperatureMireds: 370, transitionTime: 10, optionsMask: [.executeIfOff], optionsOverride: [])
        let lock = try #require(light.traits[GoogleHomeTypes.Matter.DoorLockTrait.self])
        #expect(lock.attributes.lockState == .locked)
        #expect(lock.attributes.doorState == .doorClosed)
        try await lock.lockDoor()
        try await lock.unlockDoor { $0.setPinCode(Data("1234".utf8)) }
        let thermostat = try #require(light.traits[GoogleHomeTypes.Matter.ThermostatTrait.self])
        #expect(thermostat.attributes.localTemperature == 2150)
        try await thermostat.setpointRaiseLower(mode: .both, amount: -5)
        let commands = both.hub.requests.filter { $0.method == .devicesInvoke }.map(\.params)
        #expect(
            commands.map { $0["fields"] } == [
                ["0": 100, "1": .null, "2": 0, "3": 0], ["0": 370, "1": 10, "2": 1, "3": 0], [:],
                ["0": ["octets": "MTIzNA"]], ["0": 2, "1": -5],
            ])
        #expect(commands.map { $0["timedMs"] } == [nil, nil, 10000, 10000, nil])
    }

    @Test func `attributes are written, and several failures come together`() async throws {
        let both = try AppAndHub()
        both.hub.addDevice(
            FakeDevice(
                id: "0000000000000d02", name: "Warm", type: 0x0301,
                clusters: [0x0201: [0: 2150, 0x12: 2000, 0x1C: 4]], commands: [0x0201: [0]]))
        let device = try await device(both, "0000000000000d02")
        let type = try #require(await device.types.get(ThermostatDeviceType.self))
        let trait = try #require(type.matterTraits.thermostatTrait)
        #expect(trait.attributes.systemMode == .heat)
        let after = try await trait.update {
            $0.setOccupiedHeatingSetpoint(1850)
            $0.setSystemMode(.off)
        }
        #expect(after.attributes.occupiedHeatingSetpoint == 1850)
        #expect(after.attributes.systemMode == .off)
        #expect(trait.attributes.systemMode == .heat)
        let one = await homeError { try await trait.update { $0.setOccupiedCoolingSetpoint(2500) } }
        #expect(one?.code == .notFound)
        #expect(one?.subtype == .matter(MatterError(code: 0x86)))
        #expect(one?.subcodes == [0x86])
        let several = await homeError {
            try await trait.update {
                $0.setOccupiedCoolingSetpoint(2500)
                $0.setOccupiedHeatingSetpoint(1900)
                $0.setMinSetpointDeadBand(20)
            }
        }
        guard case .bulk(let errors) = several?.subtype else {
            Issue.record("\(String(describing: several))")
            return
        }
        #expect(errors.map(\.code) == [.notFound, .notFound])
        #expect((several?.errorUserInfo["NSMultipleUnderlyingErrorsKey"] as? [HomeError])?.count == 2)
        let now = await device.types.get(ThermostatDeviceType.self)?.matterTraits.thermostatTrait?.attributes
        #expect(now?.occupiedHeatingSetpoint == 1900)
    }

    @Test func `values that are not known do not hide the others`() async throws {
        let both = try AppAndHub()
        both.hub.addDevice(
            FakeDevice(
                id: "0000000000000d02", name: "Odd", type: 0x0301,
                clusters: [0x0201: [0: .null, 0x12: "warm", 0x1C: 77, 0x11: 70000, 0x29: 1]]))
        let type = try #require(await device(both, "0000000000000d02").types.get(ThermostatDeviceType.self))
        let attributes = try #require(type.matterTraits.thermostatTrait?.attributes)
        #expect(attributes.localTemperature == nil)
        #expect(attributes.$localTemperature.isSupported)
        #expect(attributes.occupiedHeatingSetpoint == nil)
        #expect(attributes.occupiedCoolingSetpoint == nil)
        #expect(attributes.systemMode == .unrecognized_)
    }

    // MARK: - Refusals

    @Test func `an operation that the device does not have is refused, by the device or before`() async throws {
        let both = try AppAndHub()
        let lenient = try #require(await device(both).types.get(OnOffLightDeviceType.self)?.matterTraits.onOffTrait)
        let refused = await homeError { try await lenient.onWithRecallGlobalScene() }
        #expect(refused?.code == .notFound)
        #expect(refused?.subtype == .matter(MatterError(code: 0x81)))
        #expect(both.hub.requests.count { $0.method == .devicesInvoke } == 1)
        let strict = try #require(
            await device(both, strict: true).types.get(OnOffLightDeviceType.self)?.matterTraits.onOffTrait)
        #expect(await homeError { try await strict.onWithRecallGlobalScene() }?.code == .unimplemented)
        #expect(await homeError { try await strict.update { $0.setOnTime(5) } }?.code == .unimplemented)
        #expect(both.hub.requests.count { $0.method == .devicesInvoke } == 1)
        #expect(!both.hub.requests.contains { $0.method == .devicesWrite })
        try await strict.on()
    }

    @Test func `a toggle whose answer is lost is not sent again`() async throws {
        let both = try AppAndHub()
        let trait = try #require(await device(both).types.get(OnOffLightDeviceType.self)?.matterTraits.onOffTrait)
        both.hub.on(.devicesInvoke) { _ in .drop }
        #expect(await homeError { try await trait.toggle() }?.code == .unavailable)
        #expect(both.hub.requests.count { $0.method == .devicesInvoke } == 1)
    }

    @Test func `a device that does not answer is offline and keeps its traits`() async throws {
        let both = try AppAndHub()
        var silent = FakeDevice.light(id: "0000000000000d02", name: "Far")
        silent.answers = false
        both.hub.addDevice(silent)
        let far = try await device(both, "0000000000000d02")
        let light = try #require(await far.types.get(OnOffLightDeviceType.self))
        #expect(light.metadata.sourceConnectivity.connectivityState == .offline)
        let trait = try #require(light.matterTraits.onOffTrait)
        #expect(trait.attributes.onOff == nil)
        let error = await homeError { try await trait.on() }
        #expect(error?.code == .unavailable)
        #expect(error?.recoverySuggestion?.contains("device") == true)
    }

    // MARK: - Over time

    @Test func `a subscriber sees the light now, after a command, and after somebody else's`() async throws {
        let both = try AppAndHub()
        let lamp = try await device(both)
        let light = Recorder(lamp.types.subscribe(OnOffLightDeviceType.self))
        let first = try #require(try await light.next().matterTraits.onOffTrait)
        #expect(first.attributes.onOff == false)
        await both.hub.waitForSubscribers()
        try await first.toggle()
        try await light.next { $0.matterTraits.onOffTrait?.attributes.onOff == true }
        both.hub.setAttribute(0, of: 6, on: lamp.id, to: false)
        try await light.next { $0.matterTraits.onOffTrait?.attributes.onOff == false }
        let types = Recorder(lamp.types.subscribeAll())
        #expect(try await types.next().getAll(of: OnOffLightDeviceType.self).count == 1)
        #expect(types.values.first?.getAll(of: DoorLockDeviceType.self).isEmpty == true)
    }

    @Test func `the hub is asked again to follow the device when the connection was made again`() async throws {
        let both = try AppAndHub()
        let lamp = try await device(both)
        let light = Recorder(lamp.types.subscribe(OnOffLightDeviceType.self))
        try await light.next()
        let method = ControlMethod(rawValue: "devices.subscribe")
        await both.hub.waitForRequests(method)
        both.hub.dropConnections()
        await both.hub.waitForRequests(method, count: 2)
        both.hub.setAttribute(0, of: 6, on: lamp.id, to: true)
        try await light.next { $0.matterTraits.onOffTrait?.attributes.onOff == true }
    }

    @Test func `a hub that cannot follow devices still shows what the app does`() async throws {
        let both = try AppAndHub()
        both.hub.on(ControlMethod(rawValue: "devices.subscribe")) { _ in
            .error(ControlError(.unimplemented, "there is no method devices.subscribe"))
        }
        let lamp = try await device(both)
        let light = Recorder(lamp.types.subscribe(OnOffLightDeviceType.self))
        try await light.next().matterTraits.onOffTrait?.on()
        try await light.next { $0.matterTraits.onOffTrait?.attributes.onOff == true }
    }

    @Test func `the stream of a device ends with the device`() async throws {
        let both = try AppAndHub()
        let lamp = try await device(both)
        let light = Recorder(lamp.types.subscribe(OnOffLightDeviceType.self))
        try await light.next()
        await both.hub.waitForSubscribers()
        #expect(try await lamp.decommission() == [lamp.id])
        await light.end()
        #expect(light.ends == [nil])
        let other = Recorder(lamp.types.subscribe(ThermostatDeviceType.self))
        await other.end()
        #expect(other.ends.map { $0?.code } == [.notFound])
        let gone = Recorder(lamp.types.subscribe(OnOffLightDeviceType.self))
        await gone.end()
        #expect(gone.ends.map { $0?.code } == [.notFound])
    }

    // MARK: - Batches

    @Test @MainActor func `commands of a batch go together, and each has its own result`() async throws {
        let both = try AppAndHub()
        let home = try await both.connect()
        let lamp = try #require(try await home.devices().list().first)
        let trait = try #require(await lamp.types.get(OnOffLightDeviceType.self)?.matterTraits.onOffTrait)
        let results = try await home.sendBatchedCommands { batcher in
            let result = batcher.add(trait.onBatchable())
            #expect(throws: CommandBatcher.CommandBatcherError.notCommitted) { try result.get() }
            return [result, batcher.add(trait.onBatchable())]
        }
        for result in results { try result.get() }
        var outcomes: [CommandBatcher.ResultProvider<Void>] = []
        let error = await homeError {
            try await home.sendBatchedCommands { batcher in
                outcomes = [batcher.add(trait.onWithRecallGlobalSceneBatchable()), batcher.add(trait.offBatchable())]
            }
        }
        #expect(error?.code == .notFound)
        #expect(await homeError { try outcomes[0].get() }?.subtype == .matter(MatterError(code: 0x81)))
        try outcomes[1].get()
        let both2 = await homeError {
            try await home.sendBatchedCommands { batcher in
                for _ in 0..<2 { batcher.add(trait.onWithRecallGlobalSceneBatchable()) }
            }
        }
        guard case .bulk(let errors) = both2?.subtype else {
            Issue.record("\(String(describing: both2))")
            return
        }
        #expect(errors.count == 2)
        let invokes = both.hub.requests.count { $0.method == .devicesInvoke }
        do {
            try await home.sendBatchedCommands { batcher in
                batcher.add(trait.onBatchable())
                throw CancellationError()
            }
            Issue.record("nothing was thrown")
        } catch is CancellationError {
            // What the closure threw.
        }
        #expect(both.hub.requests.count { $0.method == .devicesInvoke } == invokes)
    }
}
