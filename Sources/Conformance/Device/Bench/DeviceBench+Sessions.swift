import MatterCrypto
import MatterNode
import MatterProtocol
import MatterWire
import NetIO

/// A window that the bench opened on the device.
struct DeviceWindow: Sendable {
    var passcode: UInt32
    var discriminator: UInt16
}

extension DeviceBench {
    // MARK: - PASE

    /// How long a device that is busy with what went before is waited for: its own fail-safe is 60 s (Core §5.5).
    private static let patience = Duration.seconds(70)

    /// A PASE session, with the printed code or in a window of ours.
    func openPASE() async throws -> ProbeSession {
        try await sparePrintedCode()
        if main == nil { return try await having(.session) { try await openPASE(order.payload.passcode.rawValue) } }
        let window = try await openWindow()
        return try await having(.session) { try await openPASE(window.passcode) }
    }

    /// A PASE session with this passcode.
    func openPASE(_ passcode: UInt32) async throws -> ProbeSession {
        let outcome = try await tried(PASETrial(passcode: passcode))
        guard let established = outcome.session else {
            throw ConformanceFailure(
                expected: "a PASE session with the right passcode", seen: outcome.words,
                meaning:
                    "Other cases need this session too. See what the device logs of the handshake, and whether its window "
                    + "is still open: 20 failed attempts close it.")
        }
        return try await keep(established)
    }

    /// A handshake, tried again when the device is busy; a session that comes of it is closed with the case.
    func patientAttempt(_ trial: PASETrial) async throws -> PASEOutcome {
        let outcome = try await tried(trial)
        if let established = outcome.session { _ = try await keep(established) }
        return outcome
    }

    /// Tries a handshake; again when the device is busy.
    private func tried(_ trial: PASETrial) async throws -> PASEOutcome {
        let address = try await locate()
        let end = environment.clock.now + Self.patience
        while true {
            if main == nil { printedAttempts += 1 }
            let outcome = try await probe.attempt(trial, at: address)
            guard case .refused(let report) = outcome.end, let wait = report.busyWait, environment.clock.now < end
            else {
                return outcome
            }
            try await sleep(min(max(wait, .milliseconds(500)), .seconds(5)))
        }
    }

    /// A handshake to its end, and the end of the session that comes of it: the device is free again.
    func finishedAttempt(_ trial: PASETrial) async throws -> PASEOutcome {
        let outcome = try await tried(trial)
        if let established = outcome.session {
            let session = try await keep(established)
            await disarm(session)
            paseSessions.removeAll { $0.handle == session.handle }
        }
        return outcome
    }

    /// One handshake, whatever it leads to; a session that comes of it is closed with the case.
    func attempt(_ trial: PASETrial) async throws -> PASEOutcome {
        if main == nil { printedAttempts += 1 }
        let outcome = try await probe.attempt(trial, at: try await locate())
        if let established = outcome.session { _ = try await keep(established) }
        return outcome
    }

    private func keep(_ established: EstablishedSession) async throws -> ProbeSession {
        let session = try await probe.add(established, at: try await locate())
        paseSessions.append(session)
        return session
    }

    /// The passcode that opens the device now, after a window of ours was opened where there must be one.
    func passcode() async throws -> UInt32 {
        try await sparePrintedCode()
        return main == nil ? order.payload.passcode.rawValue : try await openWindow().passcode
    }

    /// Handshakes with the printed code after which fabric A takes over: a device may close that window for good after 20.
    private static let printedLimit = 8

    private func sparePrintedCode() async throws {
        guard main == nil, printedAttempts >= Self.printedLimit, !isCommissioning else { return }
        // When it fails, its own case says so; the printed code goes on to be used.
        do { _ = try await commissioned() } catch is ConformanceFailure {} catch is ConformanceSkip {}
    }

    /// Another valid passcode than this one; counts it as spent.
    func wrongPasscode(insteadOf right: UInt32) throws -> UInt32 {
        try spendWrongPasscodes(1)
        return right == 11_223_344 ? 55_667_788 : 11_223_344
    }

    /// - Throws: ``ConformanceSkip`` when the run may not spend so many.
    func spendWrongPasscodes(_ count: Int) throws {
        guard wrongPasscodes + count <= order.passcodeAttempts else {
            throw ConformanceSkip(
                "it spends \(count) wrong passcodes, and of \(order.passcodeAttempts) (--passcode-attempts) "
                    + "\(wrongPasscodes) are spent")
        }
        wrongPasscodes += count
    }

    // MARK: - CASE

    /// A session with the device as an administrator's fabric knows it; the one that is open, or a new one.
    func session(of admin: DeviceAdministrator) async throws -> ProbeSession {
        if let session = operational[admin.id], await probe.isOpen(session) { return session }
        let result = try await handshake(as: admin.credentials, with: admin.deviceNode)
        switch result {
        case .success(let session):
            operational[admin.id] = session
            return session
        case .failure(let failure):
            throw ConformanceFailure(
                expected: "a CASE session with the device on fabric \(admin.name)", seen: failure.words,
                meaning:
                    "The device has the fabric and does not answer for it, or has lost it. See what it logs of Sigma1.")
        }
    }

    /// A CASE handshake, tried again when the device is busy or silent: after AddNOC it may need a moment.
    ///
    /// - Parameter alter: changes what is sent.
    func handshake(
        as credentials: FabricCredentials, with node: NodeID,
        alter: @Sendable (OutboundMessage) -> OutboundMessage = { $0 }
    ) async throws -> Result<ProbeSession, HandshakeFailure> {
        let end = environment.clock.now + Self.patience
        var silences = 0
        while true {
            let result = try await handshakeOnce(as: credentials, with: node, alter: alter)
            guard case .failure(let failure) = result else { return result }
            switch failure.code {
            case .busy(let wait):
                guard environment.clock.now < end else { return result }
                try await sleep(min(max(wait, .milliseconds(500)), .seconds(5)))
            case .noAnswer, .exchangeLost:
                silences += 1
                guard silences < 3 else { return result }
                try await sleep(.seconds(1))
            case .wrongPasscode, .noSharedTrustRoots, .refused, .timedOut, .malformedMessage, .unexpectedMessage,
                .invalidParameter, .untrustedIdentity, .wrongNode, .authenticationFailed, .cryptography, .cancelled:
                return result
            }
        }
    }

    private func handshakeOnce(
        as credentials: FabricCredentials, with node: NodeID, alter: @Sendable (OutboundMessage) -> OutboundMessage
    ) async throws -> Result<ProbeSession, HandshakeFailure> {
        let initiator = CASEInitiator(
            fabric: credentials, peer: node, localSessionID: await probe.newSessionID(),
            sessionParameters: DeviceProbe.sessionParameters, wallClock: environment.wallClock(),
            secrets: environment.secrets)
        let result = await probe.handshake(initiator, at: try await locate(), alter: alter)
        try Task.checkCancellation()
        return result
    }

    // MARK: - Windows

    /// The window that is open, or a new one that fabric A opens.
    func openWindow() async throws -> DeviceWindow {
        if let window { return window }
        let admin = try await commissioned()
        return try await having(.window) {
            let wanted = newWindow()
            let command = try openCommand(wanted)
            let end = environment.clock.now + Self.patience
            while true {
                let answer = try await invoke(command, on: try await session(of: admin))
                if answer.status?.clusterStatus == 2, environment.clock.now < end {
                    // The fail-safe of a case before may still be armed.
                    try await sleep(.seconds(2))
                    continue
                }
                try answer.expectSuccess("OpenCommissioningWindow")
                window = wanted
                return wanted
            }
        }
    }

    func newWindow() -> DeviceWindow {
        var random = environment.random
        return DeviceWindow(
            passcode: Passcode.random(using: &random).rawValue,
            discriminator: UInt16.random(in: 0...0xFFF, using: &random))
    }

    /// - Parameters:
    ///   - iterations: 1000 … 100,000 where it is to be accepted.
    ///   - saltCount: 16 … 32 where it is to be accepted.
    func openCommand(
        _ window: DeviceWindow, seconds: UInt16 = 180, iterations: UInt32 = 1_000, saltCount: Int = 32
    ) throws -> ClusterCommand {
        let salt = try environment.secrets.bytes(saltCount)
        let verifier = try PAKEVerifier.compute(
            passcode: window.passcode, salt: salt, iterations: Int(iterations), isStrict: false)
        return .openCommissioningWindow(
            seconds: seconds, verifier: verifier.serialized, discriminator: window.discriminator,
            iterations: iterations, salt: salt)
    }
}

extension HandshakeFailure {
    /// What happened, in words.
    var words: String {
        let peer = peerStatus.map { " (\($0.words))" } ?? ""
        return "the handshake ended at \(step.rawValue): \(reason.isEmpty ? "\(code)" : reason)\(peer)"
    }
}
