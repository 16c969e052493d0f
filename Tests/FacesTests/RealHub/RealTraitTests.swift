import GoogleHomeTypes
import MatterNode
import MatterWire
import Testing

@testable import GoogleHomeSDK

/// Traits over a real hub and virtual devices: what an app sends arrives, and what the device says comes back.
@Suite("GoogleHomeTypes from end to end", .timeLimit(.minutes(2)))
struct RealTraitTests {
    /// Commissions the hub's device as an app does.
    private func add(_ hub: RealHub) async throws -> (Home, [HomeDevice]) {
        let machine = RealHubTests.Machine(hub)
        let home = try await machine.connect()
        let structure = try #require(try await home.structures().list().first)
        try await structure.prepareForMatterCommissioning()
        try await machine.commissioner().commissionMatterDevice(onboardingPayload: hub.payload)
        let ids = try await offThePool { try structure.completeMatterCommissioning() }
        return (home, try await home.devices().list().filter { ids.contains($0.id) })
    }

    @Test func `a lamp is dimmed and warmed, and tells it`() async throws {
        try await RealHub.run(.extendedColorLight) { hub in
            let (home, devices) = try await add(hub)
            let lamp = try #require(devices.first)
            let light = try #require(await lamp.types.get(ExtendedColorLightDeviceType.self))
            let states = Recorder(lamp.types.subscribe(ExtendedColorLightDeviceType.self))
            try await states.next()
            let level = try #require(light.matterTraits.levelControlTrait)
            try await level.moveToLevelWithOnOff(
                level: 77, transitionTime: 0, optionsMask: [], optionsOverride: [])
            #expect(await hub.value(1, .levelControl, 0) == .unsigned(77))
            #expect(await hub.isShining)
            try await states.next { $0.matterTraits.levelControlTrait?.attributes.currentLevel == 77 }
            let color = try #require(light.matterTraits.colorControlTrait)
            try await color.moveToColorTemperature(
                colorTemperatureMireds: 300, transitionTime: 0, optionsMask: [], optionsOverride: [])
            #expect(await hub.value(1, .colorControl, 7) == .unsigned(300))
            try await states.next { $0.matterTraits.colorControlTrait?.attributes.colorTemperatureMireds == 300 }
            // Too high for any light: the device's own word comes back.
            let refused = await homeError {
                try await level.moveToLevel(level: 255, transitionTime: 0, optionsMask: [], optionsOverride: [])
            }
            #expect(refused?.code == .invalidArgument, "\(String(describing: refused))")
            states.cancel()
            withExtendedLifetime(home) {}
        }
    }

    @Test func `a lock is locked and unlocked by timed commands`() async throws {
        try await RealHub.run(.doorLock) { hub in
            let (home, devices) = try await add(hub)
            let lock = try #require(await devices.first?.types.get(DoorLockDeviceType.self))
            let trait = try #require(lock.matterTraits.doorLockTrait)
            try await trait.lockDoor()
            #expect(await hub.value(1, .doorLock, 0) == .unsigned(1))
            try await trait.unlockDoor()
            #expect(await hub.value(1, .doorLock, 0) == .unsigned(2))
            let after = try #require(await devices.first?.types.get(DoorLockDeviceType.self))
            #expect(after.matterTraits.doorLockTrait?.attributes.lockState == .unlocked)
            withExtendedLifetime(home) {}
        }
    }

    @Test func `a thermostat takes set points, and refuses one out of its range`() async throws {
        try await RealHub.run(.thermostat) { hub in
            let (home, devices) = try await add(hub)
            let thermostat = try #require(await devices.first?.types.get(ThermostatDeviceType.self))
            let trait = try #require(thermostat.matterTraits.thermostatTrait)
            let updated = try await trait.update { $0.setOccupiedHeatingSetpoint(2_150) }
            #expect(updated.attributes.occupiedHeatingSetpoint == 2_150)
            #expect(await hub.value(1, .thermostat, 0x12) == .signed(2_150))
            try await updated.setpointRaiseLower(mode: .heat, amount: -5)
            #expect(await hub.value(1, .thermostat, 0x12) == .signed(2_100))
            let refused = await homeError { try await trait.update { $0.setOccupiedHeatingSetpoint(30_000) } }
            #expect(refused?.code == .invalidArgument, "\(String(describing: refused))")
            #expect(await hub.value(1, .thermostat, 0x12) == .signed(2_100))
            withExtendedLifetime(home) {}
        }
    }

    @Test func `what is behind a bridge acts for itself, and does not leave alone`() async throws {
        try await RealHub.run(.bridge, bridging: [.onOffLight, .doorLock]) { hub in
            let (home, devices) = try await add(hub)
            #expect(devices.count == 2)
            var (lights, locks) = (0, 0)
            for device in devices {
                if let light = await device.types.get(OnOffLightDeviceType.self) {
                    lights += 1
                    try await light.matterTraits.onOffTrait?.on()
                    #expect(await hub.value(2, .onOff, 0) == .bool(true))
                }
                if let lock = await device.types.get(DoorLockDeviceType.self) {
                    locks += 1
                    try await lock.matterTraits.doorLockTrait?.lockDoor()
                    #expect(await hub.value(3, .doorLock, 0) == .unsigned(1))
                }
                #expect(try await device.decommissionEligibility == .ineligible(reason: .bridgedDevice))
                #expect(await homeError { try await device.decommission() }?.code == .failedPrecondition)
            }
            #expect(lights == 1 && locks == 1)
            #expect(await hub.fabricCount == 1)
            withExtendedLifetime(home) {}
        }
    }
}
