import FakeHub
import Foundation
import HubClient
import HubControl
import Testing

@testable import GoogleHomeSDK

@Suite("Structures, rooms, devices", .timeLimit(.minutes(1)))
struct HomeObjectTests {
    @Test func `rooms are made, named, filled and removed`() async throws {
        let both = try AppAndHub()
        let home = try await both.connect()
        let structure = try #require(try await home.structures().list().first)
        #expect(structure.objectType == .structure)
        let attic = try await structure.createRoom(name: "Attic")
        #expect(attic.structureID == structure.id && attic.objectType == .room)
        let lamp = try #require(try await home.devices().list().first)
        try await structure.move(device: lamp.id, to: attic.id)
        #expect(try await home.devices().list().first?.roomID == attic.id)
        let rename: (String) async throws -> Any = attic.setName
        #expect((try await rename("Loft") as? Room)?.name == "Loft")
        #expect(try await home.rooms().list().contains { $0.name == "Loft" })
        _ = try await structure.deleteRoom(attic)
        #expect(try await home.devices().list().first?.roomID == nil)
        let kitchen = try #require(try await home.rooms().list().first { $0.name == "Kitchen" })
        try await structure.move(device: lamp, to: kitchen)
        #expect(try await home.devices().list().first?.roomID == kitchen.id)
        let name: (String) async throws -> Any = lamp.setName
        #expect((try await name("Desk") as? HomeDevice)?.name == "Desk")
        #expect(lamp.agentID == nil && lamp.isMatterDevice && lamp.objectType == .device)
        #expect(lamp.sourceConnectivity.connectivityState == .online)
        #expect(lamp.sourceConnectivity.dataSourceLocality == .local)
    }

    @Test func `wrong names and ids`() async throws {
        let both = try AppAndHub()
        let home = try await both.connect()
        let structure = try #require(try await home.structures().list().first)
        let lamp = try #require(try await home.devices().list().first)
        let kitchen = try #require(try await home.rooms().list().first { $0.name == "Kitchen" })
        let empty = await homeError { try await structure.createRoom(name: "") }
        #expect(empty?.code == .invalidArgument)
        #expect(empty?.reason == .invalidArgument("badName"))
        #expect(await homeError { try await kitchen.setName("") }?.code == .invalidArgument)
        #expect(await homeError { try await lamp.setName("") }?.code == .invalidArgument)
        #expect(await homeError { try await structure.move(device: lamp.id, to: "x") }?.code == .notFound)
        #expect(await homeError { try await structure.move(device: "x", to: kitchen.id) }?.code == .notFound)
        #expect(
            await homeError { try await structure.move(device: lamp.id, to: "00000000000000ff") }?.code == .notFound)
        try await structure.deleteRoom(kitchen)
        let gone = await homeError { try await structure.deleteRoom(kitchen) }
        #expect(gone?.code == .notFound)
        #expect(gone?.reason?.rawValue == "noRoom")
        #expect(await homeError { try await kitchen.setName("Cellar") }?.code == .notFound)
    }

    @Test func `a room is not made twice when the answer is lost`() async throws {
        let both = try AppAndHub()
        let structure = try await both.structure()
        both.hub.on(.roomsCreate) { _ in .drop }
        #expect(await homeError { try await structure.createRoom(name: "Attic") }?.code == .unavailable)
        #expect(both.hub.requests.count { $0.method == .roomsCreate } == 1)
    }

    // MARK: - Decommissioning

    @Test func `a device alone is eligible and goes`() async throws {
        let both = try AppAndHub()
        let home = try await both.connect()
        let lamp = try #require(try await home.devices().list().first)
        #expect(try await lamp.decommissionEligibility == .eligible)
        #expect(try await lamp.decommission() == [lamp.id])
        #expect(try await home.devices().list().isEmpty)
        #expect(await homeError { try await lamp.decommissionEligibility }?.code == .notFound)
        #expect(await homeError { try await lamp.decommission() }?.code == .notFound)
    }

    @Test func `a bridge takes its devices along, and they cannot go alone`() async throws {
        let both = try AppAndHub()
        let node = "00000000000000b2"
        let (bridge, one, two) = ("0000000000000d11", "0000000000000d12", "0000000000000d13")
        both.hub.addDevice(FakeDevice(id: bridge, name: "Bridge", node: node, type: 0x0E))
        both.hub.addDevice(FakeDevice(id: one, name: "One", node: node, type: 0x0100, isBridged: true))
        both.hub.addDevice(FakeDevice(id: two, name: "Two", node: node, type: 0x0100, isBridged: true))
        let devices = try await both.connect().devices().list()
        let bridged = try #require(devices.first { $0.id == one })
        #expect(try await bridged.decommissionEligibility == .ineligible(reason: .bridgedDevice))
        let error = await homeError { try await bridged.decommission() }
        #expect(error?.code == .failedPrecondition)
        #expect(error?.subtype == .decommission(.ineligible(reason: .bridgedDevice)))
        #expect(!both.hub.requests.contains { $0.method == .devicesRemove })
        let whole = try #require(devices.first { $0.id == bridge })
        #expect(try await whole.decommissionEligibility == .eligibleWithSideEffects(.bridge([one, two])))
        #expect(try await whole.decommission() == [bridge, one, two])
    }

    @Test func `the devices of one node go together`() async throws {
        let both = try AppAndHub()
        both.hub.addDevice(FakeDevice(id: "0000000000000d02", name: "Second", type: 0x0100))
        let lamp = try #require(try await both.connect().devices().list().first { $0.name == "Lamp" })
        #expect(
            try await lamp.decommissionEligibility
                == .eligibleWithSideEffects(.multipleAffectedDevices(["0000000000000d02"])))
    }

    @Test func `a permission without commissioning does not cover it`() async throws {
        let both = try AppAndHub()
        both.hub.setScopes([.structureRead, .deviceControl])
        let lamp = try #require(try await both.connect().devices().list().first)
        #expect(try await lamp.decommissionEligibility == .ineligible(reason: .notAuthorized))
        let error = await homeError { try await lamp.decommission() }
        #expect(error?.code == .permissionDenied)
        #expect(error?.subtype == .decommission(.ineligible(reason: .notAuthorized)))
    }

    @Test func `a device that does not answer stays`() async throws {
        let both = try AppAndHub()
        let home = try await both.connect()
        let lamp = try #require(try await home.devices().list().first)
        both.hub.on(.devicesRemove) { _ in
            .error(
                ControlError(
                    .unavailable, "the device cannot be taken off the fabric",
                    details: ["reason": "deviceUnreachable"], suggestedUserActions: [.checkDeviceAvailability]))
        }
        let error = await homeError { try await lamp.decommission() }
        #expect(error?.code == .unavailable)
        guard case .decommission(.other(let words)) = error?.subtype else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(words == error?.message)
        #expect(try await home.devices().list().count == 1)
    }

    // MARK: - Home

    @Test func `the home has a lasting name, and shows what proves the permission`() async throws {
        let both = try AppAndHub()
        let home = try await both.connect()
        let again = try #require(try await Home.restoreSession(both.configuration, both.settings))
        #expect(home.identifier == again.identifier && !home.identifier.isEmpty)
        #expect(Home.version.first == "1")
        let proof = try await home.permissions.authorization()
        #expect(proof.accessToken == both.hub.grant.text && proof.assertion.isEmpty)
        let structure = try #require(try await home.structures().list().first)
        #expect(await structure.permissions.consentedFeatures().isEmpty)
        #expect(await structure.permissions.requestConsent(for: []) == nil)
        #expect(await structure.permissions.featureConsentState(features: []).isEmpty)
    }

    @Test func `only hubs of other structures can be activated, and a MatterHub cannot`() async throws {
        let both = try AppAndHub()
        let home = try await both.connect()
        let mine = DiscoveredHub(
            name: "Mine", id: HubID(rawValue: 1), structures: [FakeHub.structure], addresses: [.local])
        let other = DiscoveredHub(
            name: "Other", id: HubID(rawValue: 2), structures: [StructureID(rawValue: 9)], addresses: [.local])
        let hubs = Home.available([mine, other], for: FakeHub.structure)
        #expect(hubs.map(\.name) == ["Other"])
        let error = await homeError { try await home.startHubActivation(hubs[0], structureID: "x") }
        #expect(error?.code == .unimplemented)
        guard case .hubActivation(.other) = error?.subtype else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
