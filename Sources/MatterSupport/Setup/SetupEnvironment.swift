package import NetIO

/// What a setup runs with: whose extension, whose answers, which phone.
package struct SetupEnvironment: Sendable {
    /// Where the app's extension runs.
    package enum Host: Sendable {
        /// In this process.
        case inProcess(MatterExtensionHost.Factory)
        /// In a process of its own, of this executable.
        case executable(String)
    }

    /// Where the app's extension runs.
    package var host: Host
    /// The person.
    package var assistant: SetupAssistant
    /// Takes the phone's controller into use.
    package var phone: @Sendable () throws -> any SetupPhone
    /// The app group; `nil` for none.
    package var group: String?
    /// What the extension's process inherits.
    package var variables: [String: String]
    /// How long steps may take.
    package var limits = SetupLimits()
    /// Where time comes from.
    package var clock = DriverClock()
    /// Draws the commissioning's id.
    package var newID: @Sendable () -> UUID = { UUID() }
    /// Takes a line on what the setup does or leaves out.
    package var log: @Sendable (String) -> Void

    /// Puts an environment together.
    package init(
        host: Host, assistant: SetupAssistant, phone: @escaping @Sendable () throws -> any SetupPhone,
        group: String? = nil, variables: [String: String] = [:], log: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.host = host
        self.assistant = assistant
        self.phone = phone
        self.group = group
        self.variables = variables
        self.log = log
    }

    /// The environment of this process.
    ///
    /// - Throws: ``MatterSetupError``: `noExtension`, `invalidScript` or `invalidAppGroup`.
    package static func current(
        _ variables: [String: String] = ProcessInfo.processInfo.environment
    ) throws(MatterSetupError) -> SetupEnvironment {
        let variablesScript = try MatterSetupScript(variables: variables)
        let script = MatterExtensionHost.scripted.withLock { $0 }?.completed(by: variablesScript) ?? variablesScript
        return SetupEnvironment(
            host: try host(variables), assistant: SetupAssistant(script, prompt: TerminalPrompt.prompt()),
            phone: { try SystemPhone.phone() }, group: try AppGroupSuites.name(variables), variables: variables,
            log: { FileHandle.standardError.write(Data("MatterSupport: \($0)\n".utf8)) })
    }

    private static func host(_ variables: [String: String]) throws(MatterSetupError) -> Host {
        if let factory = MatterExtensionHost.registered.withLock({ $0 }) { return .inProcess(factory) }
        if let path = variables[MatterExtensionHost.executableVariable], !path.isEmpty { return .executable(path) }
        throw MatterSetupError(
            .noExtension,
            "the app has no extension: call MatterExtensionHost.register { RequestHandler() } before perform(), or set \(MatterExtensionHost.executableVariable) to the path of an executable whose @main file says try await MatterExtensionHost.main { RequestHandler() }"
        )
    }

    /// Makes the connection of one request.
    func connect() async throws -> any ExtensionConnection {
        switch host {
        case .inProcess(let factory): return HandlerSession(factory, group: group)
        case .executable(let path):
            await AppGroupSuites.synchronize(group)
            return try await ExtensionProcess.start(
                path, environment: variables, group: group, limits: limits, clock: clock)
        }
    }
}
