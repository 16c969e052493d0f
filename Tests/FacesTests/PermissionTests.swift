import FakeHub
import Foundation
import HubClient
import HubControl
import Testing

@testable import GoogleHomeSDK

@Suite("Permissions", .timeLimit(.minutes(1)))
struct PermissionTests {
    private static let other = StructureID(rawValue: 0x99)

    private func answer(_ both: AppAndHub, structure: StructureID) {
        let grant = both.hub.grant
        both.hub.on(.grantsRequest) { _ in
            .result([
                "grant": .string(grant.text), "grantId": grant.id.json, "structure": structure.json, "scopes": [],
            ])
        }
    }

    @Test func `an update asks for the structure that is named`() async throws {
        let both = try AppAndHub()
        let home = try await both.connect()
        answer(both, structure: Self.other)
        await home.permissions.presentPermissionsUpdate(structureID: Self.other.text)
        let asked = both.hub.requests.filter { $0.method == .grantsRequest }
        #expect(asked.map { $0.params["structure"] } == [nil, Self.other.json])
        #expect(asked.allSatisfy { $0.params["appId"] == "com.example.app" && $0.params["appGroup"] == "group.app" })
        #expect(try home.link.app.group.state().structure == Self.other)
    }

    @Test func `another structure than now is kept only when it may be`() async throws {
        let both = try AppAndHub()
        let home = try await both.connect()
        answer(both, structure: Self.other)
        await home.permissions.presentPermissionsUpdate()
        #expect(try home.link.app.group.state().structure == FakeHub.structure)
        await home.permissions.presentPermissionsUpdate(
            allowedStructureIDs: [FakeHub.structure.text], allowStructureChange: true)
        #expect(try home.link.app.group.state().structure == FakeHub.structure)
        await home.permissions.presentPermissionsUpdate(allowStructureChange: true)
        #expect(try home.link.app.group.state().structure == Self.other)
    }

    @Test func `a refused update changes nothing`() async throws {
        let both = try AppAndHub()
        let home = try await both.connect()
        both.hub.on(.grantsRequest) { _ in .error(ControlError(.permissionDenied, "refused")) }
        await home.permissions.presentPermissionsUpdate()
        #expect(try await home.devices().list().count == 1)
    }

    @Test func `the old spelling asks in the background`() async throws {
        let both = try AppAndHub()
        let home = try await both.connect()
        home.presentPermissionsUpdate()
        await both.hub.waitForRequests(.grantsRequest, count: 2)
    }

    @Test func `an invitation is a grant that was made beforehand`() async throws {
        let both = try AppAndHub()
        let home = try await Home.acceptInvitation(both.hub.grant.text, both.configuration, both.settings)
        #expect(try await home.structures().list().count == 1)
        #expect(!both.hub.requests.contains { $0.method == .grantsRequest })
        let wrong = await homeError { try await Home.acceptInvitation("token", both.configuration, both.settings) }
        #expect(wrong?.code == .invalidArgument)
        let other = GrantToken(
            authorityHash: both.hub.grant.authorityHash, id: GrantID(rawValue: 1),
            secret: [UInt8](repeating: 1, count: 32))
        let refused = await homeError {
            try await Home.acceptInvitation(other.text, both.configuration, both.settings)
        }
        #expect(refused?.code == .permissionDenied)
        #expect(try home.link.app.group.grant() == both.hub.grant)
    }

    @Test func `a session ends cleanly when the permission goes in the middle`() async throws {
        let both = try AppAndHub()
        let structure = try await both.structure()
        try await structure.prepareForMatterCommissioning()
        let commissioner = try both.commissioner()
        both.hub.on(.sessionCommission) { _ in .silence }
        let commissioning = Task {
            await homeError { try await commissioner.commissionMatterDevice(onboardingPayload: "MT:X") }
        }
        await both.hub.waitForRequests(.sessionCommission)
        both.hub.revoke()
        both.hub.dropConnections()
        let error = await commissioning.value
        #expect(error?.code == .permissionDenied)
        let result = structure.markMatterCommissioningFailed(error: try #require(error))
        #expect((result.detailedError as? HomeError)?.code == .permissionDenied)
        #expect(result.suggestedUserActions.isEmpty)
        #expect(await homeError { try structure.completeMatterCommissioning() }?.code == .permissionDenied)
        #expect(await homeError { try commissioner.fetchRooms() }?.code == .permissionDenied)
        await commissioner.configureMatterDevice(deviceName: "Lamp", roomName: nil)
    }

    @Test func `two apps do not see each other's state`() async throws {
        let both = try AppAndHub()
        let structure = try await both.structure()
        try await structure.prepareForMatterCommissioning()
        #expect(
            await homeError { try HomeMatterCommissioner(appGroup: "group.other", settings: both.settings) }?.code
                == .permissionDenied)
        var second = both.configuration
        second.sharedAppGroup = "group.other"
        #expect(try await Home.restoreSession(second, both.settings) == nil)
        let other = try await Home.connect(second, both.settings)
        #expect(try other.link.app.group.state().session == nil)
        #expect(try structure.link.app.group.state().session != nil)
        await other.disconnect()
        #expect(try await Home.restoreSession(both.configuration, both.settings) != nil)
    }

    @Test(arguments: ["", "a/b", "..", ".", "group.\u{0}"])
    func `a group that is none is the app's mistake`(_ group: String) async throws {
        let both = try AppAndHub()
        var configuration = both.configuration
        configuration.sharedAppGroup = group
        let home = await homeError { try await Home.connect(configuration, both.settings) }
        #expect([.invalidArgument, .failedPrecondition].contains(home?.code))
        #expect(await homeError { try HomeMatterCommissioner(appGroup: group, settings: both.settings) } != nil)
        #expect(both.hub.requests.isEmpty)
    }
}
