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
        throw MatterSetupError(.unimplemented, "the extension as an executable is not there yet")
    }

    static let registered = Locked<Factory?>(nil)
}
