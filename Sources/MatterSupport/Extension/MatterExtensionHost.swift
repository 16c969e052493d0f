import Glibc
import NetIO

/// Where an app's extension lives on Linux, since no system starts it.
///
/// Either in the app's own process, by ``register(_:)``, or in an executable of its own that serves with ``main(_:)`` and
/// that `MATTERHUB_EXTENSION` names.
public enum MatterExtensionHost {
    /// Makes the handler of one request.
    public typealias Factory = @Sendable () -> MatterAddDeviceExtensionRequestHandler

    /// Hosts the extension in this process; an earlier registration is replaced.
    ///
    /// - Parameter factory: called once a request.
    public static func register(_ factory: @escaping Factory) {
        registered.withLock { $0 = factory }
    }

    /// Ends what ``register(_:)`` began.
    public static func unregister() {
        registered.withLock { $0 = nil }
    }

    /// Serves one request of the app that started this executable, and returns when it is over.
    ///
    /// To be called by the `@main` file of the extension's executable, and by nothing else.
    ///
    /// - Parameter factory: called once a request.
    /// - Throws: ``MatterSetupError`` when no app has started this process.
    public static func main(_ factory: @escaping Factory) async throws {
        let environment = ProcessInfo.processInfo.environment
        guard let descriptor = environment[socketVariable].flatMap({ Int32($0) }),
            fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
        else {
            throw MatterSetupError(
                .noExtension,
                "this executable is an app's extension: MatterAddDeviceRequest.perform() starts it when \(executableVariable) names it in the app's environment"
            )
        }
        let group = try AppGroupSuites.name(environment)
        try await ExtensionServer(DialogueSocket(takingOwnership: descriptor), factory, group: group).run()
    }

    /// Sets what the person on the phone does; `nil` takes it back. What it leaves open, `MATTERHUB_SETUP` and its sisters
    /// say, else the terminal.
    public static func setup(_ script: MatterSetupScript?) {
        scripted.withLock { $0 = script }
    }

    /// Names the extension's executable to the app.
    package static let executableVariable = "MATTERHUB_EXTENSION"
    /// Names the dialogue's descriptor to the extension.
    package static let socketVariable = "MATTERHUB_EXTENSION_SOCKET"

    static let registered = Locked<Factory?>(nil)
    static let scripted = Locked<MatterSetupScript?>(nil)
}
