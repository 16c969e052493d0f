import Combine
import Foundation
import GoogleHomeTypes
import HubClient
import HubControl
import MatterSupport
import Testing

@testable import GoogleHomeSDK

/// The app and its extension over a real hub and a virtual light, down to the datagram.
@Suite("GoogleHomeSDK from end to end", .timeLimit(.minutes(2)))
struct RealHubTests {
    /// What an app and its extension on one machine have.
    final class Machine: Sendable {
        let settings: ClientSettings

        init(_ hub: RealHub) {
            let path = FileManager.default.temporaryDirectory
                .appendingPathComponent("matterhub-\(UUID().uuidString)").path
            var settings = ClientSettings(
                hub: HubAddress(host: "127.0.0.1", port: hub.port), folder: StateFolder(path: path))
            settings.blockingLimit = .seconds(30)
            settings.retryDelay = .milliseconds(5)
            self.settings = settings
        }

        deinit {
            // What a test left behind is of no interest.
            try? FileManager.default.removeItem(atPath: settings.folder.path)
        }

        func connect(_ group: String = "group.app") async throws -> Home {
            var configuration = HomeClientConfiguration()
            configuration.sharedAppGroup = group
            configuration.clientID = "com.example.\(group)"
            return try await Home.connect(configuration, settings)
        }

        func commissioner(_ group: String = "group.app") throws -> HomeMatterCommissioner {
            try HomeMatterCommissioner(appGroup: group, settings: settings)
        }
    }

    @Test func `a light is commissioned, named, found, switched, followed and decommissioned`() async throws {
        try await RealHub.run { hub in
            let machine = Machine(hub)
            let home = try await machine.connect()
            let structure = try #require(try await home.structures().list().first)
            #expect(structure.name == "Home")
            let devices = Recorder(home.devices().batched())
            #expect(try await devices.next().isEmpty)
            try await structure.createRoom(name: "Kitchen")

            try await structure.prepareForMatterCommissioning()
            let commissioner = try machine.commissioner()
            try await commissioner.commissionMatterDevice(onboardingPayload: hub.payload)
            let rooms = try await offThePool { try commissioner.fetchRooms() }
            #expect(rooms.map(\.displayName) == ["Kitchen"])
            await commissioner.configureMatterDevice(deviceName: "Lamp", roomName: "Kitchen")
            #expect(try await home.devices().list().isEmpty)
            let ids = try await offThePool { try structure.completeMatterCommissioning() }
            let lamp = try #require(try await home.devices().list().first { ids.contains($0.id) })
            #expect(lamp.name == "Lamp" && ids.count == 1)
            #expect(try await devices.next { !$0.isEmpty }.map(\.id) == Array(ids))

            let light = try #require(await lamp.types.get(OnOffLightDeviceType.self))
            #expect(light.matterTraits.onOffTrait?.attributes.onOff == false)
            let states = Recorder(lamp.types.subscribe(OnOffLightDeviceType.self))
            try await states.next { $0.matterTraits.onOffTrait?.attributes.onOff == false }
            try await light.matterTraits.onOffTrait?.toggle()
            #expect(await hub.isShining)
            try await states.next { $0.matterTraits.onOffTrait?.attributes.onOff == true }
            let info = light.traits[GoogleHomeTypes.Matter.BasicInformationTrait.self]
            #expect(info?.attributes.vendorName?.isEmpty == false)

            let renamed = try await lamp.setName("Desk")
            #expect(try await devices.next { $0.first?.name == "Desk" }.first == renamed)
            #expect(try await lamp.decommissionEligibility == .eligible)
            #expect(try await lamp.decommission() == ids)
            try await devices.next { $0.isEmpty }
            await states.end()
            #expect(await hub.fabricCount == 0)
        }
    }

    @Test func `after a failure or a cancel the next attempt works`() async throws {
        try await RealHub.run { hub in
            let machine = Machine(hub)
            let structure = try #require(try await machine.connect().structures().list().first)
            let commissioner = try machine.commissioner()
            try await structure.prepareForMatterCommissioning()
            let wrong = await homeError {
                try await commissioner.commissionMatterDevice(onboardingPayload: hub.wrongPayload)
            }
            #expect(wrong?.code == .invalidArgument)
            #expect(wrong?.reason == .invalidArgument("wrongPasscode"))
            let error = try #require(wrong)
            let result = try await offThePool { structure.markMatterCommissioningFailed(error: error) }
            #expect(result.detailedError as? HomeError == wrong)
            #expect(result.suggestedUserActions.contains(.checkDeviceAvailability))
            #expect(result.traceString?.contains("stage") == true)

            try await structure.prepareForMatterCommissioning()
            try await offThePool { structure.cancelMatterCommissioning() }
            #expect(
                await homeError { try await offThePool { try structure.completeMatterCommissioning() } }?.code
                    == .failedPrecondition)
            try await structure.prepareForMatterCommissioning()
            try await commissioner.commissionMatterDevice(onboardingPayload: hub.payload)
            #expect(try await offThePool { try structure.completeMatterCommissioning() }.count == 1)
        }
    }

    @Test func `two apps see the same home, and not each other's session`() async throws {
        try await RealHub.run { hub in
            let machine = Machine(hub)
            let first = try await machine.connect()
            let second = try await machine.connect("group.other")
            let structure = try #require(try await first.structures().list().first)
            let same = try #require(try await second.structures().list().first)
            #expect(structure == same)
            try await structure.prepareForMatterCommissioning()
            let refused = await homeError { try await same.prepareForMatterCommissioning() }
            #expect(refused?.code == .failedPrecondition)
            #expect(refused?.reason == .failedPrecondition("sessionActive"))
            let stolen = await homeError {
                try await machine.commissioner("group.other").commissionMatterDevice(onboardingPayload: hub.payload)
            }
            #expect(stolen?.code == .failedPrecondition)
            #expect(
                await homeError { try await offThePool { try same.completeMatterCommissioning() } }?.code
                    == .failedPrecondition)
            try await offThePool { same.cancelMatterCommissioning() }
            try await machine.commissioner().commissionMatterDevice(onboardingPayload: hub.payload)
            #expect(try await offThePool { try structure.completeMatterCommissioning() }.count == 1)
            #expect(try await second.devices().list().count == 1)
        }
    }

    @Test func `a revoked permission empties what the app sees, and its session ends`() async throws {
        try await RealHub.run { hub in
            let machine = Machine(hub)
            let home = try await machine.connect()
            let structure = try #require(try await home.structures().list().first)
            let structures = Recorder(home.structures().batched())
            #expect(try await structures.next().count == 1)
            try await structure.prepareForMatterCommissioning()
            try await machine.commissioner().commissionMatterDevice(onboardingPayload: hub.payload)
            try await hub.revokeAll()
            #expect(try await structures.next().isEmpty)
            #expect(try await home.devices().list().isEmpty)
            #expect(
                await homeError { try await offThePool { try structure.completeMatterCommissioning() } }?.code
                    == .permissionDenied)
            #expect(await homeError { try await structure.prepareForMatterCommissioning() }?.code == .permissionDenied)
            let again = try await machine.connect()
            let anew = try #require(try await again.structures().list().first)
            try await anew.prepareForMatterCommissioning()
            #expect(try await again.devices().list().isEmpty)
        }
    }
}
