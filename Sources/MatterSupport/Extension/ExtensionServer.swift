import NetIO

/// The extension's side of the dialogue: one request, from the first hello to the end of the socket.
struct ExtensionServer: Sendable {
    private let socket: DialogueSocket
    private let session: HandlerSession
    private let clock: DriverClock
    private let grace: Duration

    /// - Parameters:
    ///   - group: whose `UserDefaults` are synchronised around each call; `nil` for nobody's.
    ///   - grace: how long the handler has to end when the app is gone.
    init(
        _ socket: DialogueSocket, _ factory: @escaping MatterExtensionHost.Factory, group: String?,
        clock: DriverClock = DriverClock(), grace: Duration = SetupLimits().grace
    ) {
        self.socket = socket
        session = HandlerSession(factory, group: group)
        self.clock = clock
        self.grace = grace
    }

    /// Serves until the app ends the dialogue.
    ///
    /// - Throws: ``MatterSetupError`` when the app speaks another dialogue.
    func run() async throws {
        try await socket.send(.hello(version: DialogueMessage.version))
        switch try await socket.receive() {
        case .hello(let version)?:
            guard version == DialogueMessage.version else { throw MatterSetupError.otherVersion(version) }
        case nil: return  // the app gave up before it had begun
        case .call?, .answer?, .cancel?:
            throw MatterSetupError(.extensionGarbled, "the app did not begin with a hello")
        }
        var running: Task<Void, Never>?
        var failure: (any Error)?
        do {
            while let message = try await socket.receive() {
                switch message {
                case .call(let id, let call):
                    // The app waits for each answer; should it not, the calls queue up here.
                    await running?.value
                    running = Task { [session, socket] in await Self.answer(id, call, session, socket) }
                case .cancel: session.cancel()
                case .hello, .answer:
                    throw MatterSetupError(.extensionGarbled, "the app sent what only extensions send")
                }
            }
        } catch {
            failure = error
        }
        session.cancel()
        if let running {
            _ = await LimitedStep(clock: clock, limit: nil, grace: grace, cancelAfter: .zero).run {
                await running.value
            } abandon: { [session] in
                await session.end()
            }
        }
        await session.end()
        if let failure { throw failure }
    }

    private static func answer(
        _ id: Int, _ call: ExtensionCall, _ session: HandlerSession, _ socket: DialogueSocket
    ) async {
        do throws(MatterSetupError) {
            let result = try await session.call(call)
            do throws(MatterSetupError) {
                try await socket.send(.answer(id: id, result))
            } catch {
                try await socket.send(.answer(id: id, .failure(PortableError(error))))
            }
        } catch {
            // The session does not throw, and an error is never too long.
        }
    }
}

extension MatterSetupError {
    static func otherVersion(_ version: Int) -> MatterSetupError {
        MatterSetupError(
            .extensionGarbled,
            "the other side speaks version \(version) of the dialogue, this one \(DialogueMessage.version): build app and extension with the same MatterHub"
        )
    }
}
