import Foundation
import HubControl

/// The configuration file: a JSON object whose members are option names, or subcommand names with such objects.
///
///     {"state-dir": "/var/lib/matterhub", "serve": {"port": 5543}}
enum Configuration {
    /// The options for one subcommand: its own object, then the outermost members.
    ///
    /// - Throws: ``UsageError`` when the file that `MATTERHUB_CONFIG` names cannot be read, or a file is no JSON object.
    static func section(for command: String, environment: [String: String]) throws(UsageError) -> JSONObject {
        guard let (path, isRequired) = path(environment) else { return JSONObject() }
        guard let data = FileManager.default.contents(atPath: path) else {
            guard isRequired else { return JSONObject() }
            throw UsageError("the configuration file \(path) cannot be read")
        }
        do throws(ControlProtocolError) {
            var section = try JSONObject(parsing: [UInt8](data))
            if let own = section[command]?.object {
                for member in own.members { section[member.name] = member.value }
            }
            return section
        } catch {
            throw UsageError("the configuration file \(path): \(error.message)")
        }
    }

    private static func path(_ environment: [String: String]) -> (path: String, isRequired: Bool)? {
        if let path = environment["MATTERHUB_CONFIG"] { return (path, true) }
        let base = environment["XDG_CONFIG_HOME"] ?? environment["HOME"].map { $0 + "/.config" }
        return base.map { ($0 + "/matterhub/config.json", false) }
    }
}
