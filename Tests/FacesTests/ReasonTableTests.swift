import FakeHub
import HubControl
import MatterSupport
import Testing

@testable import GoogleHomeSDK

/// What an app sees of each reason of Protocols/commissioning-session.md.
@Suite("Reasons of a failed commissioning", .timeLimit(.minutes(1)))
struct ReasonTableTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var reason: String
        var code: ControlErrorCode
        /// When the hub suggests nothing.
        var actions: [MatterSuggestedUserAction]
        var testDescription: String { reason }
    }

    static let rows: [Row] = [
        Row(reason: "invalidPayload", code: .invalidArgument, actions: [.checkDeviceAvailability]),
        Row(reason: "noDeviceFound", code: .notFound, actions: [.checkDeviceAvailability, .checkWifiNetwork]),
        Row(reason: "onlyBluetooth", code: .notFound, actions: [.checkDeviceAvailability]),
        Row(reason: "wrongPasscode", code: .invalidArgument, actions: [.checkDeviceAvailability]),
        Row(reason: "deviceVanished", code: .unavailable, actions: [.checkDeviceAvailability, .checkWifiNetwork]),
        Row(reason: "stillCleaning", code: .unavailable, actions: [.tryAgainLater]),
        Row(reason: "sessionEnded", code: .cancelled, actions: [.tryAgainLater]),
        Row(reason: "cannotSearch", code: .unavailable, actions: [.checkHubAvailability]),
        Row(reason: "hubOffline", code: .unavailable, actions: [.checkHubAvailability, .checkWifiNetwork]),
        Row(reason: "attestationRefused", code: .failedPrecondition, actions: [.checkDeviceAvailability]),
        Row(reason: "alreadyOnFabric", code: .alreadyExists, actions: [.factoryResetDevice]),
        Row(reason: "fabricTableFull", code: .resourceExhausted, actions: [.factoryResetDevice]),
        Row(reason: "deviceBusy", code: .unavailable, actions: [.tryAgainLater]),
        Row(reason: "deviceRefused", code: .failedPrecondition, actions: [.tryAgainLater, .factoryResetDevice]),
        Row(reason: "protocolError", code: .internal, actions: [.factoryResetDevice]),
        Row(reason: "deadline", code: .deadlineExceeded, actions: [.tryAgainLater, .checkDeviceAvailability]),
        Row(reason: "internalError", code: .internal, actions: [.checkHubAvailability]),
        Row(reason: "storage", code: .internal, actions: [.checkHubAvailability]),
        Row(reason: "deviceReset", code: .unavailable, actions: [.factoryResetDevice]),
    ]

    @Test(arguments: rows) func `commission throws it, and mark explains it`(_ row: Row) async throws {
        let both = try AppAndHub()
        let structure = try await both.structure()
        try await structure.prepareForMatterCommissioning()
        both.hub.on(.sessionCommission) { _ in
            .error(
                ControlError(
                    row.code, "in plain words", stage: "pase", details: ["reason": .string(row.reason)],
                    retryAfterMs: 5000))
        }
        let error = await homeError {
            try await both.commissioner().commissionMatterDevice(onboardingPayload: "MT:X")
        }
        #expect(error?.code.rawValue == row.code.rawValue)
        #expect(error?.errorUserInfo[HomeError.reasonKey] as? String == row.reason)
        #expect(error?.domain == HomeError.hubDomain)
        #expect(error?.localizedDescription == "in plain words (stage pase)")
        if row.code != .alreadyExists { #expect(error?.reason?.rawValue == row.reason) }
        let system = NSError(domain: "com.apple.MatterSupport", code: 1)
        let result = structure.markMatterCommissioningFailed(error: system)
        #expect(result.detailedError as? HomeError == error)
        #expect(result.suggestedUserActions == row.actions)
        let trace = try #require(result.traceString)
        #expect(trace.contains("stage pase; reason \(row.reason); retry after 5000 ms; in plain words"))
        #expect(error?.partnerDebugString == trace)
        // Whatever failed, the next attempt begins at once.
        try await structure.prepareForMatterCommissioning()
    }

    @Test func `what the hub suggests comes first`() {
        let error = ControlError(
            .unavailable, "", details: ["reason": "deviceBusy"], suggestedUserActions: [.checkWifiNetwork])
        #expect(MatterSuggestedUserAction.actions(for: HomeError(error)) == [.checkWifiNetwork])
        let newer = ControlError(
            .unavailable, "", details: ["reason": "deviceBusy"],
            suggestedUserActions: [SuggestedUserAction(rawValue: "callSomebody")])
        #expect(MatterSuggestedUserAction.actions(for: HomeError(newer)) == [.tryAgainLater])
    }

    @Test(arguments: [
        (ControlErrorCode.permissionDenied, "missingScope", HomeError.Code.permissionDenied),
        (.permissionDenied, "otherStructure", .permissionDenied), (.unauthenticated, "noGrant", .permissionDenied),
        (.unavailable, "hubOffline", .unavailable), (.notFound, "noStructure", .notFound),
        (.failedPrecondition, "sessionActive", .failedPrecondition),
        (.failedPrecondition, "commissionRunning", .failedPrecondition),
    ])
    func `each check of prepare has its code`(
        _ code: ControlErrorCode, _ reason: String, _ expected: HomeError.Code
    ) async throws {
        let both = try AppAndHub()
        let structure = try await both.structure()
        both.hub.on(.sessionPrepare) { _ in .error(ControlError(code, "no", details: ["reason": .string(reason)])) }
        let error = await homeError { try await structure.prepareForMatterCommissioning() }
        #expect(error?.code == expected)
        #expect(error?.reason?.rawValue == reason)
    }

    @Test(arguments: HomeError.Code.allCases) func `every code has a maker`(_ code: HomeError.Code) {
        let makers: [(String) -> HomeError] = [
            HomeError.cancelled, HomeError.unknown, HomeError.invalidArgument, HomeError.deadlineExceeded,
            HomeError.notFound, HomeError.alreadyExists, HomeError.permissionDenied, HomeError.resourceExhausted,
            HomeError.failedPrecondition, HomeError.aborted, HomeError.outOfRange, HomeError.unimplemented,
            HomeError.internal, HomeError.unavailable, HomeError.dataLoss, HomeError.unauthenticated,
        ]
        let error = makers[code.rawValue - 1]("why")
        #expect(error.code == code && error.message == "why")
        #expect(error.subtype == nil && error.reason == nil && error.domain == nil && error.partnerDebugString == nil)
        #expect(error == HomeError(code: code, message: "why"))
    }
}
