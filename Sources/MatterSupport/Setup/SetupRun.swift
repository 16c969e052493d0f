/// Drives one setup: does what ``SetupFlow`` asks for, one thing at a time, and tells it what came of it.
package actor SetupRun {
    private let environment: SetupEnvironment
    private var flow: SetupFlow
    private var connection: (any ExtensionConnection)?
    private var phone: (any SetupPhone)?

    /// Prepares a setup.
    ///
    /// - Parameter code: the app's; `nil` to let the person scan.
    package init(_ request: MatterAddDeviceRequest, _ code: SetupCode?, _ environment: SetupEnvironment) {
        self.environment = environment
        let script = environment.assistant.script
        flow = SetupFlow(
            SetupFlow.Plan(
                topology: request.topology, criteria: request.showDeviceCriteria, code: code,
                usesPhoneFabric: script.phoneFabric ?? true, wifi: script.wifi, thread: script.thread,
                scansNetworks: request.shouldScanNetworks, commissioningID: environment.newID()))
    }

    /// Runs the setup to its end; for one call.
    ///
    /// Cancelling the task cancels the running step, waits until it has ended and what must be undone is undone.
    package func run() async throws(SetupFailure) -> SetupReport {
        var action = flow.handle(.started)
        while true {
            if case .finish(let outcome) = action {
                await connection?.end()
                if case .success(let report) = outcome { note(report) }
                return try outcome.get()
            }
            action = await perform(action)
        }
    }

    private func note(_ report: SetupReport) {
        guard let reason = report.skippedValidation else { return }
        environment.log("validateDeviceCredential was not called: \(reason)")
    }

    // MARK: - One action

    private func perform(_ action: SetupFlow.Action) async -> SetupFlow.Action {
        if case .remove(let device) = action {
            // Not a child task: what was begun on the device is undone whoever cancels.
            let phone = phone
            await Task { await phone?.remove(device) }.value
            return flow.handle(.removed)
        }
        guard let step = flow.step else { preconditionFailure("no step runs, and yet there is \(action)") }
        let script = environment.assistant.script
        let limited = LimitedStep(
            clock: environment.clock, limit: limit(action), grace: environment.limits.grace,
            cancelAfter: script.cancelAt == step ? script.cancelAfter : nil)
        if Task.isCancelled || (script.cancelAt == step && Self.isQuestion(action)) {
            return flow.handle(.failed(.cancelled))
        }
        let (result, interruption) = await limited.run { [self] in
            try await event(of: action)
        } abandon: { [self] in
            await connection?.end()
        }
        switch (result, interruption) {
        case (.success(let event), nil):
            if script.cancelAt == step {
                environment.log("\(step.rawValue) ended before the person had cancelled it: the setup goes on")
            }
            return flow.handle(event)
        case (.success(let event), let interruption?): return flow.stopped(cause(interruption, step), late: event)
        case (.failure, let interruption?): return flow.stopped(cause(interruption, step), late: nil)
        case (.failure(let error), nil): return flow.handle(.failed(Self.cause(error)))
        }
    }

    private static func isQuestion(_ action: SetupFlow.Action) -> Bool {
        switch action {
        case .scanCode, .pickHome, .pickRoom, .askName: true
        case .examine, .join, .call, .openWindow, .remove, .finish, .none: false
        }
    }

    private func limit(_ action: SetupFlow.Action) -> Duration? {
        switch action {
        case .examine, .join, .openWindow: environment.limits.phone
        case .call(let call): environment.limits.start + environment.limits.limit(of: call)
        case .scanCode, .pickHome, .pickRoom, .askName, .remove, .finish, .none: nil
        }
    }

    private func cause(_ interruption: LimitedStep.Interruption, _ step: MatterSetupStep) -> SetupFailure.Cause {
        switch interruption {
        case .cancelled: .cancelled
        case .timedOut: .setup(MatterSetupError(.timedOut, "the step took too long and was ended"))
        }
    }

    private static func cause(_ error: any Error) -> SetupFailure.Cause {
        switch error {
        case let cause as SetupFailure.Cause: cause
        case let error as MatterSetupError: .setup(error)
        case is CancellationError: .cancelled
        default: .phone(PortableError(error))
        }
    }

    /// Does what an action asks for.
    private func event(of action: SetupFlow.Action) async throws -> SetupFlow.Event {
        let assistant = environment.assistant
        switch action {
        case .scanCode: return .codeScanned(try await assistant.code())
        case .pickHome(let homes): return .homePicked(try await assistant.home(among: homes))
        case .pickRoom(let rooms): return .roomPicked(try await assistant.room(among: rooms))
        case .askName: return .named(try await assistant.name())
        case .examine(let code):
            return .examined(try await usedPhone().examine(code.payload, address: code.address))
        case .join(let code):
            let log = environment.log
            let device = try await usedPhone().commission(code.payload, address: code.address) { stage in
                log("the phone commissions the device: \(stage)")
            }
            return .joined(device)
        case .openWindow(let device): return .windowOpened(try await usedPhone().openWindow(on: device))
        case .call(let call):
            let connection = try await connected()
            await AppGroupSuites.synchronize(environment.group)
            let result = try await connection.call(call)
            await AppGroupSuites.synchronize(environment.group)
            switch result {
            case .success(let answer): return .answered(answer)
            case .failure(let error): throw SetupFailure.Cause.handler(error)
            }
        case .remove, .finish, .none: preconditionFailure("nothing that a step does: \(action)")
        }
    }

    private func usedPhone() throws -> any SetupPhone {
        if let phone { return phone }
        let phone = try environment.phone()
        self.phone = phone
        return phone
    }

    private func connected() async throws -> any ExtensionConnection {
        if let connection { return connection }
        let connection = try await environment.connect()
        self.connection = connection
        return connection
    }
}

extension SetupFailure.Cause: Error {}
