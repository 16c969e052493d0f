import HubControl
import MatterProtocol
import MatterWire
import Testing

@testable import Hub
@testable import MatterNode

/// Each row of the table of reasons (Protocols/commissioning-session.md), and of refusals (hub-control.md §4).
@Suite("FailureMapping (Protocols/commissioning-session.md, Reasons)") struct FailureMappingTests {
    private func payload(_ capabilities: OnboardingPayload.DiscoveryCapabilities?) -> OnboardingPayload {
        OnboardingPayload(
            vendorID: nil, productID: nil, discoveryCapabilities: capabilities,
            discriminator: .long(Discriminator(rawValue: 0xF00)!), passcode: Passcode(rawValue: 20_202_021)!)
    }

    @Test(arguments: [
        (CommissioningCause.deviceVanished, ControlErrorCode.unavailable), (.deviceBusy, .unavailable),
        (.deviceReset, .unavailable), (.deadline, .deadlineExceeded), (.deviceRefused, .failedPrecondition),
        (.attestationRefused, .failedPrecondition), (.alreadyOnFabric, .alreadyExists),
        (.fabricTableFull, .resourceExhausted), (.sessionEnded, .cancelled), (.protocolError, .internal),
        (.internalError, .internal),
    ]) func `a failed commissioning has its reason, code, stage and advice`(
        _ cause: CommissioningCause, _ code: ControlErrorCode
    ) {
        let now = MonotonicInstant(sinceStart: .seconds(10))
        var failure = CommissioningFailure(stage: .csr, cause: cause, message: "it went wrong")
        failure.deviceState = .cleaning
        failure.failSafeEnds = now.advanced(by: .seconds(50))
        failure.limit = 5
        failure.retryAfter = .seconds(3)
        failure.existingNode = NodeID(rawValue: 0x77)
        let mapped = FailureMapping.failure(failure, now: now, trustFolder: "/paa")
        #expect(mapped.error.code == code)
        #expect(mapped.error.reason == cause.rawValue)
        #expect(mapped.error.stage == "csr")
        #expect(mapped.error.message.hasPrefix("it went wrong; "))
        #expect(mapped.error.details?["limit"]?.integer == 5)
        #expect(mapped.error.details?["existingNode"]?.string == "0000000000000077")
        #expect(mapped.error.retryAfterMs == 3_000)
        #expect(mapped.condition == .cleaning)
        #expect(mapped.failSafeLeft == .seconds(50))
    }

    @Test func `a fail-safe that is over leaves nothing to wait for`() {
        let now = MonotonicInstant(sinceStart: .seconds(100))
        var failure = CommissioningFailure(stage: .csr, cause: .deviceVanished, message: "gone")
        failure.failSafeEnds = MonotonicInstant(sinceStart: .seconds(40))
        #expect(FailureMapping.failure(failure, now: now, trustFolder: "").failSafeLeft == .zero)
    }

    @Test(arguments: [
        (DiscoveryFailure.Cause.noDeviceFound, ControlErrorCode.notFound, "noDeviceFound"),
        (.wrongPasscode, .invalidArgument, "wrongPasscode"), (.noAnswer, .unavailable, "deviceVanished"),
        (.busy, .unavailable, "deviceBusy"), (.refused("no room"), .failedPrecondition, "deviceRefused"),
        (.cannotSearch("no Avahi"), .unavailable, "cannotSearch"), (.cancelled, .cancelled, "sessionEnded"),
        (.deadline, .deadlineExceeded, "deadline"),
    ]) func `a device that was not reached has its reason, and every candidate's answer`(
        _ cause: DiscoveryFailure.Cause, _ code: ControlErrorCode, _ reason: String
    ) {
        let answers: [(CandidateAnswer?, String)] = [
            (nil, "not tried"), (.trying, "no answer yet"), (.silent, "no answer"), (.wrongPasscode, "wrong passcode"),
            (.busy, "busy"), (.refused("full"), "refused: full"), (.accepted, "accepted"),
        ]
        let failure = DiscoveryFailure(
            cause: cause,
            candidates: answers.enumerated().map {
                CandidateReport(instance: "N\($0.offset)", address: nil, answer: $0.element.0)
            }, stage: .pase)
        let mapped = FailureMapping.failure(failure, payload: payload(.onNetwork))
        #expect(mapped.error.code == code)
        #expect(mapped.error.reason == reason)
        #expect(mapped.error.stage == "pase")
        #expect(mapped.condition == .untouched)
        let told = mapped.error.details?["candidates"]?.array?.compactMap { $0.object?["answer"]?.string }
        #expect(told == answers.map(\.1))
    }

    @Test func `a code that only names radio says that there is none here, and what to do`() {
        for cause in [DiscoveryFailure.Cause.noDeviceFound, .cannotSearch("no Avahi")] {
            let failure = DiscoveryFailure(cause: cause, candidates: [], stage: .discover)
            let radio = FailureMapping.failure(failure, payload: payload(.ble)).error
            #expect(radio.code == .notFound)
            #expect(radio.reason == "onlyBluetooth")
            #expect(radio.message.contains("no radio"))
            // A manual code says nothing of how the device is found.
            #expect(FailureMapping.failure(failure, payload: payload(nil)).error.reason != "onlyBluetooth")
            #expect(
                FailureMapping.failure(failure, payload: payload([.ble, .onNetwork])).error.reason != "onlyBluetooth")
        }
    }

    @Test(arguments: [
        (InteractionStatus.unsupportedAccess, ControlErrorCode.permissionDenied),
        (.unsupportedEndpoint, .notFound), (.unsupportedCluster, .notFound), (.unsupportedAttribute, .notFound),
        (.unsupportedCommand, .notFound), (.constraintError, .invalidArgument), (.invalidAction, .invalidArgument),
        (.resourceExhausted, .resourceExhausted), (.busy, .unavailable), (.timeout, .deadlineExceeded),
        (.failure, .failedPrecondition),
    ]) func `a device's status has its code and keeps its number`(
        _ status: InteractionStatus, _ code: ControlErrorCode
    ) async throws {
        for failure in [
            NodeRequestFailure.refused(StatusIB(status)), .interaction(InteractionFailure(.status(status))),
        ] {
            let error = await #expect(throws: ControlError.self) {
                try await FailureMapping.requests { throw failure }
            }
            #expect(error?.code == code)
            #expect(error?.reason == "deviceRefused")
            #expect(error?.details?["status"]?.integer == Int64(status.rawValue))
        }
    }

    @Test(arguments: [
        (InteractionFailure.Code.unreachable, ControlErrorCode.unavailable, "deviceUnreachable" as String?),
        (.sessionClosed, .unavailable, "deviceUnreachable"), (.timedOut, .deadlineExceeded, nil),
        (.mismatchedAnswer, .internal, "protocolError"), (.answerTooLarge, .internal, "protocolError"),
        (.unexpectedMessage(opcode: 1), .internal, "protocolError"),
    ]) func `a request that got no answer says why`(
        _ failure: InteractionFailure.Code, _ code: ControlErrorCode, _ reason: String?
    ) async throws {
        let error = await #expect(throws: ControlError.self) {
            try await FailureMapping.requests { throw NodeRequestFailure.interaction(InteractionFailure(failure)) }
        }
        #expect(error?.code == code)
        #expect(error?.reason == reason)
    }

    @Test func `nobody at the address, and somebody else there, are different`() async throws {
        let address = PeerAddress(ip: [UInt8](repeating: 0, count: 15) + [1], port: 5540)
        for (failures, code, reason) in [
            ([], ControlErrorCode.unavailable, "deviceUnreachable"),
            (
                [(address, HandshakeFailure(.noSharedTrustRoots, at: .sigma1, reason: "no shared root"))],
                .failedPrecondition, "deviceReset"
            ),
        ] {
            let race = RaceFailure(failures: failures, lookup: nil, timedOut: true)
            let error = await #expect(throws: ControlError.self) {
                try await FailureMapping.requests { throw NodeRequestFailure.unreachable(race) }
            }
            #expect(error?.code == code)
            #expect(error?.reason == reason)
        }
    }
}
