import FakeHub
import Foundation
import HubClient
import HubControl
import Testing

@testable import GoogleHomeSDK

@Suite("Errors that an app sees", .timeLimit(.minutes(1)))
struct ErrorTests {
    // MARK: - Permission

    @Test func `a refused permission`() async throws {
        let both = try AppAndHub()
        both.hub.on(.grantsRequest) { _ in .error(ControlError(.permissionDenied, "the request was refused")) }
        #expect(await homeError { try await both.connect() }?.code == .permissionDenied)
        #expect(try await Home.restoreSession(both.configuration, both.settings) == nil)
    }

    @Test func `a revoked permission empties queries, and prepare says it`() async throws {
        let both = try AppAndHub()
        let home = try await both.connect()
        let structure = try #require(try await home.structures().list().first)
        both.hub.revoke()
        both.hub.dropConnections()
        await both.hub.waitForNoConnection()
        #expect(try await home.devices().list().isEmpty)
        #expect(await homeError { try await structure.prepareForMatterCommissioning() }?.code == .permissionDenied)
        #expect(await homeError { try structure.completeMatterCommissioning() }?.code == .permissionDenied)
        structure.cancelMatterCommissioning()
        #expect(try await Home.restoreSession(both.configuration, both.settings) == nil)
        #expect(await homeError { try both.commissioner() }?.code == .permissionDenied)
    }

    @Test func `a restored session needs no new permission`() async throws {
        let both = try AppAndHub()
        _ = try await both.connect()
        let home = try #require(try await Home.restoreSession(both.configuration, both.settings))
        #expect(try await home.structures().list().count == 1)
        _ = try await both.connect()
        #expect(both.hub.requests.count { $0.method == .grantsRequest } == 1)
    }

    @Test func `without an app group`() async throws {
        let both = try AppAndHub()
        var configuration = both.configuration
        configuration.sharedAppGroup = ""
        #expect(
            await homeError { try await Home.connect(configuration, both.settings) }?.code == .failedPrecondition)
        configuration.sharedAppGroup = "../other"
        #expect(await homeError { try await Home.connect(configuration, both.settings) }?.code == .invalidArgument)
        #expect(
            await homeError { try HomeMatterCommissioner(appGroup: "a/b", settings: both.settings) }?.code
                == .invalidArgument)
    }

    // MARK: - The hub

    @Test func `a hub that is away`() async throws {
        let both = try AppAndHub()
        let home = try await both.connect()
        let structure = try #require(try await home.structures().list().first)
        let away = ClientSettings(
            hub: HubAddress(host: "127.0.0.2", port: both.hub.port), folder: both.settings.folder)
        let later = try #require(try await Home.restoreSession(both.configuration, away))
        #expect(try await later.devices().list().isEmpty)
        let gone = Structure(Welcome.Structure(id: FakeHub.structure, name: structure.name), link: later.link)
        let prepare = await homeError { try await gone.prepareForMatterCommissioning() }
        #expect(prepare?.code == .unavailable)
        #expect(prepare?.recoverySuggestion?.contains("hub") == true)
        #expect(await homeError { try gone.completeMatterCommissioning() }?.code == .unavailable)
        gone.cancelMatterCommissioning()
        let result = gone.markMatterCommissioningFailed(error: prepare ?? HomeError.unknown())
        #expect(result.suggestedUserActions.first == .checkHubAvailability)
    }

    @Test func `another hub at the address`() async throws {
        let (both, other) = (try AppAndHub(), try FakeHub())
        _ = try await both.connect()
        let settings = ClientSettings(
            hub: HubAddress(host: "127.0.0.1", port: other.port), folder: both.settings.folder)
        let error = await homeError { try await Home.connect(both.configuration, settings) }
        #expect(error?.code == .unauthenticated)
        #expect(other.hellos.isEmpty)
    }

    // MARK: - The session

    @Test func `commission, complete and rooms without prepare`() async throws {
        let both = try AppAndHub()
        let structure = try await both.structure()
        let commission = await homeError {
            try await both.commissioner().commissionMatterDevice(onboardingPayload: "MT:X")
        }
        #expect(commission?.code == .failedPrecondition)
        #expect(await homeError { try structure.completeMatterCommissioning() }?.code == .failedPrecondition)
        structure.cancelMatterCommissioning()
        structure.cancelMatterCommissioning()
        #expect(try both.commissioner().fetchRooms().count == 2)
    }

    @Test func `complete without a device, then a device after all`() async throws {
        let both = try AppAndHub()
        let structure = try await both.structure()
        try await structure.prepareForMatterCommissioning()
        let error = await homeError { try structure.completeMatterCommissioning() }
        #expect(error?.code == .failedPrecondition)
        #expect(error?.errorUserInfo[HomeError.reasonKey] as? String == "nothingCommissioned")
        structure.cancelMatterCommissioning()
        try await structure.prepareForMatterCommissioning()
        try await both.commissioner().commissionMatterDevice(onboardingPayload: "MT:X")
        #expect(try structure.completeMatterCommissioning().count == 1)
    }

    @Test func `another app's session`() async throws {
        let both = try AppAndHub()
        let structure = try await both.structure()
        both.hub.on(.sessionPrepare) { _ in
            .error(
                ControlError(
                    .failedPrecondition, "another app holds the session (other)",
                    details: ["reason": "sessionActive"], suggestedUserActions: [.tryAgainLater]))
        }
        let error = await homeError { try await structure.prepareForMatterCommissioning() }
        #expect(error?.code == .failedPrecondition)
        #expect(error?.message == "another app holds the session (other)")
        #expect(error?.localizedDescription == "another app holds the session (other)")
    }

    // MARK: - The device

    @Test func `the app learns the extension's failure, whatever the system made of it`() async throws {
        let both = try AppAndHub()
        let structure = try await both.structure()
        try await structure.prepareForMatterCommissioning()
        let seen = await homeError {
            try await both.commissioner().commissionMatterDevice(onboardingPayload: "MT:LOST")
        }
        #expect(seen?.code == .unavailable)
        #expect(seen?.errorUserInfo[HomeError.stageKey] as? String == "pase")
        #expect(seen?.localizedDescription == "the device went away (stage pase)")
        let system = NSError(domain: "com.apple.MatterSupport", code: 1)
        let result = structure.markMatterCommissioningFailed(error: system)
        #expect((result.detailedError as? HomeError) == seen)
        #expect(result.suggestedUserActions == [.checkDeviceAvailability])
        #expect(result.traceString?.contains("stage pase; reason deviceVanished") == true)
        #expect(both.hub.requests.last?.method == .sessionCancel)
        try await structure.prepareForMatterCommissioning()
        #expect(structure.markMatterCommissioningFailed(error: system).traceString == nil)
    }

    @Test func `a payload that is none`() async throws {
        let both = try AppAndHub()
        let structure = try await both.structure()
        try await structure.prepareForMatterCommissioning()
        let error = await homeError {
            try await both.commissioner().commissionMatterDevice(onboardingPayload: "MT:BAD")
        }
        #expect(error?.code == .invalidArgument)
        try await both.commissioner().commissionMatterDevice(onboardingPayload: "MT:X")
        #expect(try structure.completeMatterCommissioning().count == 1)
    }

    @Test func `a cancelled task stops the commission`() async throws {
        let both = try AppAndHub()
        let structure = try await both.structure()
        try await structure.prepareForMatterCommissioning()
        both.hub.on(.sessionCommission) { _ in .silence }
        let commissioner = try both.commissioner()
        let commissioning = Task {
            await homeError { try await commissioner.commissionMatterDevice(onboardingPayload: "MT:X") }?.code
        }
        await both.hub.waitForRequests(.sessionCommission)
        commissioning.cancel()
        #expect(await commissioning.value == .cancelled)
        await both.hub.waitForRequests(.cancel)
    }

    // MARK: - Values

    @Test func `the root cause of nested errors is found`() {
        let root = HomeError.notFound("no device")
        let middle = NSError(domain: "a", code: 1, userInfo: [NSUnderlyingErrorKey: root])
        let outer = NSError(domain: "b", code: 2, userInfo: [NSUnderlyingErrorKey: middle])
        let result = MatterUnsuccessfulCommissioningResult(error: outer, failure: nil)
        #expect((result.detailedError as? HomeError) == root)
        #expect(result.suggestedUserActions == [.checkDeviceAvailability, .checkWifiNetwork])
        #expect(result.traceString == nil)
        let plain = MatterUnsuccessfulCommissioningResult(error: CancellationError(), failure: nil)
        #expect(plain.detailedError is CancellationError)
        #expect(plain.suggestedUserActions == MatterSuggestedUserAction.defaultActions)
    }

    @Test(arguments: ControlErrorCode.allCases) func `every code of the hub is one of the app`(_ code: ControlErrorCode)
    {
        let error = HomeError(ControlError(code, "why"))
        #expect(error.code.rawValue == code.rawValue)
        #expect("\(error.code)" == code.name)
        #expect((error as NSError).domain == HomeError.errorDomain)
        #expect((error as NSError).code == code.rawValue)
        #expect((error as NSError).localizedDescription == "why")
    }

    @Test func `a grant that is missing or refused is a missing permission`() {
        for reason in ["badGrant", "noGrant", "grantRevoked"] {
            #expect(
                HomeError(ControlError(.unauthenticated, "", details: ["reason": .string(reason)])).code
                    == .permissionDenied)
        }
        #expect(HomeError(ControlError(.unauthenticated, "", details: ["reason": "wrongHub"])).code == .unauthenticated)
    }
}
