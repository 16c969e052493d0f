import MatterCrypto
import MatterNode
import MatterProtocol
import MatterWire
import NetIO

/// What was seen when a fail-safe expired after AddNOC, with fabric A looking on.
struct ExpiryObservation: Sendable {
    /// The device still says that it is on the fabric.
    var hasFabric: Bool
    /// The device still answers CASE for it.
    var answersFabric: Bool
    var hasRoot: Bool
    var breadcrumb: UInt64?
    /// PASE in the window in which it began.
    var pase: PASEOutcome
}

/// What was seen when fabric B took itself away.
struct RemovalObservation: Sendable {
    var answer: DeviceAnswer
    /// The session that carried RemoveFabric answered afterwards.
    var sessionAnswers: Bool
    /// What CASE on the fabric came to.
    var handshake: HandshakeFailure?
    var isListed: Bool
    var hasRoot: Bool
    /// Fabric A's session answered afterwards, and its fabric is there.
    var otherAnswers: Bool
    var hasOther: Bool
}

/// Courses of events that several cases look at, run once.
extension DeviceBench {
    /// The time until a fail-safe that was armed just now has expired, with a margin for slow devices.
    private var expiryTime: Duration { .seconds(Int64(order.failSafe) + 3) }

    /// Adds a fabric, lets the fail-safe expire, and looks at what is left.
    func expired() async throws -> ExpiryObservation {
        if let expiry { return expiry }
        let main = try await commissioned()
        let pase = try await openPASE()
        let admin = try DeviceAdministrator("X", environment)
        _ = try await addFabric(admin, over: pase, failSafe: order.failSafe, breadcrumb: 7)
        try await sleep(expiryTime)
        let watching = try await session(of: main)
        var observation = ExpiryObservation(
            hasFabric: try await has(admin, on: watching), answersFabric: false,
            hasRoot: try await trusts(admin, on: watching), breadcrumb: try await breadcrumb(on: watching),
            pase: try await soonAttempt(try await openWindow().passcode))
        if case .success(let session) = try await handshake(as: admin.credentials, with: admin.deviceNode) {
            observation.answersFabric = true
            operational[admin.id] = session
        }
        expiry = observation
        return observation
    }

    /// A PASE attempt that is repeated for a few seconds while the device is busy or closed, for what it does on its own.
    func soonAttempt(_ passcode: UInt32) async throws -> PASEOutcome {
        let end = environment.clock.now + .seconds(5)
        while true {
            let outcome = try await attempt(PASETrial(passcode: passcode))
            if outcome.session != nil || environment.clock.now >= end { return outcome }
            try await sleep(.seconds(1))
        }
    }

    /// The device as new: adds a fabric over the printed code and lets the fail-safe expire.
    ///
    /// - Returns: what the printed code comes to then, and the device's fabrics.
    func expiredAsNew() async throws -> (PASEOutcome, [FabricEntry]) {
        guard main == nil else { throw ConformanceSkip("the device is on our fabric already") }
        let pase = try await openPASE()
        let admin = try DeviceAdministrator("N", environment)
        _ = try await addFabric(admin, over: pase, failSafe: order.failSafe)
        try await sleep(expiryTime)
        let outcome = try await soonAttempt(order.payload.passcode.rawValue)
        guard outcome.session != nil, let session = paseSessions.last else { return (outcome, []) }
        let fabrics = try await fabrics(on: session)
        return (outcome, fabrics.filter { $0.rootPublicKey == admin.credentials.rootPublicKey.bytes })
    }

    /// Has fabric B remove itself.
    func removed() async throws -> RemovalObservation {
        if let removal { return removal }
        let (main, admin) = (try await commissioned(), try await secondAdministrator())
        let session = try await session(of: admin)
        let watching = try await self.session(of: main)
        guard let index = admin.index else { throw ConformanceSkip("fabric B has no index") }
        let answer = try await invoke(.removeFabric(index), on: session)
        var observation = RemovalObservation(
            answer: answer, sessionAnswers: try await answers(session), isListed: try await has(admin, on: watching),
            hasRoot: try await trusts(admin, on: watching), otherAnswers: try await answers(watching),
            hasOther: try await has(main, on: try await self.session(of: main)))
        operational[admin.id] = nil
        switch try await handshake(as: admin.credentials, with: admin.deviceNode) {
        case .success(let session): operational[admin.id] = session
        case .failure(let failure): observation.handshake = failure
        }
        // Whether it is really gone is looked at again when the case is tidied up.
        provisional.append(admin)
        second = nil
        removal = observation
        return observation
    }
}
