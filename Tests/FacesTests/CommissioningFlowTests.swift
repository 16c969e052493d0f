import FakeHub
import Foundation
import HubClient
import HubControl
import MatterSupport
import Testing

@testable import GoogleHomeSDK

/// An app and its extension on one machine with a fake hub.
final class AppAndHub: Sendable {
    let hub: FakeHub
    let settings: ClientSettings
    var configuration: HomeClientConfiguration {
        var configuration = HomeClientConfiguration()
        configuration.sharedAppGroup = "group.app"
        configuration.clientID = "com.example.app"
        return configuration
    }

    init() throws {
        hub = try FakeHub()
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("matterhub-\(UUID().uuidString)").path
        var settings = ClientSettings(
            hub: HubAddress(host: "127.0.0.1", port: hub.port), folder: StateFolder(path: path))
        // A busy machine that runs all tests at once is no reason to fail.
        settings.blockingLimit = .seconds(30)
        settings.retryDelay = .milliseconds(5)
        self.settings = settings
        let grant = hub.grant
        hub.on(.grantsRequest) { _ in
            .result([
                "grant": .string(grant.text), "grantId": grant.id.json, "structure": FakeHub.structure.json,
                "scopes": ["commissioning"],
            ])
        }
    }

    deinit {
        // What a test left behind is of no interest; often there is nothing.
        try? FileManager.default.removeItem(atPath: settings.folder.path)
    }

    func connect() async throws -> Home { try await Home.connect(configuration, settings) }
    func commissioner() throws -> HomeMatterCommissioner {
        try HomeMatterCommissioner(appGroup: "group.app", settings: settings)
    }
    func structure() async throws -> Structure {
        try #require(try await connect().structures().list().first)
    }
}

/// Expects a `HomeError` and gives it.
nonisolated(nonsending) func homeError<R>(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> R
) async -> HomeError? {
    do {
        _ = try await body()
        Issue.record("nothing was thrown", sourceLocation: sourceLocation)
    } catch let error as HomeError {
        return error
    } catch {
        Issue.record("\(error)", sourceLocation: sourceLocation)
    }
    return nil
}

@Suite("Commissioning through the faces", .timeLimit(.minutes(1)))
struct CommissioningFlowTests {
    @Test(arguments: ["127.0.0.1:5540", "", nil])
    func `the hub is told the device's address when there is one`(_ address: String?) async throws {
        let both = try AppAndHub()
        try await both.structure().prepareForMatterCommissioning()
        let commissioner = try HomeMatterCommissioner(
            appGroup: "group.app", settings: both.settings, deviceAddress: address)
        try await commissioner.commissionMatterDevice(onboardingPayload: "MT:X")
        let request = try #require(both.hub.requests.last { $0.method == .sessionCommission })
        #expect(request.params["address"]?.string == (address?.isEmpty == true ? nil : address))
    }

    @Test func `prepare, commission, name, complete: the new device is listed at once`() async throws {
        let both = try AppAndHub()
        let home = try await both.connect()
        let structure = try #require(try await home.structures().list().first)
        #expect(structure.name == "Home")
        try await structure.prepareForMatterCommissioning()
        let commissioner = try both.commissioner()
        try await commissioner.commissionMatterDevice(onboardingPayload: "MT:X")
        let rooms = try commissioner.fetchRooms()
        #expect(rooms == [.init(displayName: "Kitchen"), .init(displayName: "Hall")])
        await commissioner.configureMatterDevice(deviceName: "Desk lamp", roomName: rooms[1].displayName)
        let ids = try structure.completeMatterCommissioning()
        let added = try await home.devices().list().filter { ids.contains($0.id) }
        #expect(added.map(\.name) == ["Desk lamp"])
        #expect(added.allSatisfy { $0.isMatterDevice && $0.structureID == structure.id })
        #expect(try await home.rooms().list().map(\.name).sorted() == ["Hall", "Kitchen"])
    }

    @Test func `an unknown room keeps the name`() async throws {
        let both = try AppAndHub()
        let structure = try await both.structure()
        try await structure.prepareForMatterCommissioning()
        let commissioner = try both.commissioner()
        try await commissioner.commissionMatterDevice(onboardingPayload: "MT:X")
        await commissioner.configureMatterDevice(deviceName: "Lamp", roomName: "Attic")
        let asked = both.hub.requests.filter { $0.method == .sessionConfigure }.map(\.params)
        #expect(asked == [["deviceName": "Lamp", "roomName": "Attic"], ["deviceName": "Lamp"]])
    }

    @Test @MainActor func `the synchronous calls answer on the main actor`() async throws {
        let both = try AppAndHub()
        let structure = try await both.structure()
        let commissioner = try both.commissioner()
        try await structure.prepareForMatterCommissioning()
        #expect(try commissioner.fetchRooms().count == 2)
        try await commissioner.commissionMatterDevice(onboardingPayload: "MT:X")
        #expect(try structure.completeMatterCommissioning().count == 1)
        structure.cancelMatterCommissioning()
        #expect(structure.markMatterCommissioningFailed(error: HomeError.unknown()).detailedError != nil)
    }

    @Test(arguments: SynchronousCall.allCases)
    func `each synchronous call answers in four times as many tasks as cores at once`(
        _ call: SynchronousCall
    ) async throws {
        let both = try AppAndHub()
        let structure = try await both.structure()
        let commissioner = try both.commissioner()
        try await structure.prepareForMatterCommissioning()
        try await commissioner.commissionMatterDevice(onboardingPayload: "MT:X")
        let count = 4 * ProcessInfo.processInfo.activeProcessorCount
        let finished = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<count { group.addTask { call.perform(structure, commissioner) } }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(finished == count)
    }

    enum SynchronousCall: CaseIterable {
        case fetchRooms, complete, cancel, mark

        /// - Returns: whether the answer is one of those that may come when many ask.
        func perform(_ structure: Structure, _ commissioner: HomeMatterCommissioner) -> Bool {
            do {
                switch self {
                case .fetchRooms: return try commissioner.fetchRooms().count == 2
                case .complete: return try structure.completeMatterCommissioning().count == 1
                case .cancel: structure.cancelMatterCommissioning()
                case .mark: structure.markMatterCommissioningFailed(error: HomeError.cancelled())
                }
                return true
            } catch let error as HomeError {
                // Whoever comes after the first answer finds the session ended.
                return self == .complete && error.code == .failedPrecondition
            } catch {
                return false
            }
        }
    }

    @Test func `complete after a lost answer gives the ids of the first`() async throws {
        let both = try AppAndHub()
        let structure = try await both.structure()
        try await structure.prepareForMatterCommissioning()
        try await both.commissioner().commissionMatterDevice(onboardingPayload: "MT:X")
        both.hub.on(.sessionComplete) { _ in .drop }
        let lost = await homeError { try structure.completeMatterCommissioning() }
        #expect(lost?.code == .unavailable)
        both.hub.on(.sessionComplete) { _ in .result(["deviceIds": ["0000000000000d07"]]) }
        #expect(try structure.completeMatterCommissioning() == ["0000000000000d07"])
        let keys = both.hub.requests.filter { $0.method == .sessionComplete }.map { $0.params["clientKey"] }
        #expect(keys.count == 2)
        #expect(keys.first == keys.last)
    }

    @Test func `a commission goes on when the connection breaks`() async throws {
        let both = try AppAndHub()
        let structure = try await both.structure()
        try await structure.prepareForMatterCommissioning()
        both.hub.on(.sessionCommission) { [weak hub = both.hub] request in
            hub?.on(.sessionCommission) { repeated in
                .result([
                    "provisionalId": "1", "vendorId": 1, "productId": 1, "stages": [], "elapsedMs": 1,
                    "warnings": [repeated.params["clientKey"] == request.params["clientKey"] ? "same" : "other"],
                ])
            }
            return .drop
        }
        try await both.commissioner().commissionMatterDevice(onboardingPayload: "MT:X")
        let keys = both.hub.requests.filter { $0.method == .sessionCommission }.map { $0.params["clientKey"] }
        #expect(keys.count == 2)
        #expect(keys.first == keys.last)
    }
}
