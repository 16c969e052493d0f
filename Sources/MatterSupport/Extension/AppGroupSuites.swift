import HubClient
import HubControl
import NetIO

/// The app's own `UserDefaults(suiteName:)` of its app group, which app and extension share.
///
/// On Linux a process writes its defaults to the disk only on `synchronize()`, and sees another's only after its own. So
/// the faces call it around each call of the extension, on both sides.
package enum AppGroupSuites {
    private static let current = Locked<String?>(nil)

    /// The variable that names the group to a process that has not configured GoogleHomeSDK.
    package static let variable = "MATTERHUB_APP_GROUP"

    /// Remembers the app group of this process; `Home.configure` calls it. An empty name is none.
    package static func use(_ name: String) {
        current.withLock { $0 = name.isEmpty ? nil : name }
    }

    /// The app group of this process: what ``use(_:)`` was given, else ``variable``.
    ///
    /// - Throws: ``MatterSetupError`` `invalidAppGroup` for a name that could leave the folder of preferences.
    static func name(_ environment: [String: String]) throws(MatterSetupError) -> String? {
        let variable = environment[Self.variable].flatMap { $0.isEmpty ? nil : $0 }
        guard let name = current.withLock({ $0 }) ?? variable else { return nil }
        do throws(ControlError) {
            _ = try StateFolder(path: "").group(name)
        } catch {
            throw MatterSetupError(.invalidAppGroup, error.message)
        }
        return name
    }

    /// Writes what this process has set in the suite, and reads what others have; does nothing without a group.
    ///
    /// - Parameter name: as ``name(_:)`` gives it.
    static func synchronize(_ name: String?) async {
        guard let name else { return }
        // It touches the disk. Without a thread the values cross at the next call.
        _ = await DedicatedThread.call { @Sendable in UserDefaults(suiteName: name)?.synchronize() }
    }
}
