public import HubControl

/// The folder where hub, command line and apps of this machine keep what must last.
///
///     admin.grant              written by the hub at its first start, mode 0600
///     groups/<app group>/      one folder an app group: grant, state.json, lock
///
/// Files are mode 0600 and replaced by rename, folders 0700.
public struct StateFolder: Hashable, Sendable {
    /// The folder's path.
    public let path: String

    /// Takes a path; nothing is created yet.
    public init(path: String) { self.path = path }

    /// `$MATTERHUB_STATE_DIR`, else `$XDG_STATE_HOME/matterhub`, else `$HOME/.local/state/matterhub`.
    public init(environment: [String: String]) {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        let base = value("XDG_STATE_HOME") ?? "\(value("HOME") ?? "/var/tmp")/.local/state"
        self.init(path: value("MATTERHUB_STATE_DIR") ?? "\(base)/matterhub")
    }

    /// Where the hub writes the admin grant.
    public var adminGrantPath: String { "\(path)/admin.grant" }

    /// The admin grant of a hub on this machine; `nil` when there is none.
    public func adminGrant() throws(ControlError) -> GrantToken? { try Self.grant(at: adminGrantPath) }

    /// Reads a grant from a file; `nil` when there is no such file.
    ///
    /// - Throws: ``ControlError`` `internal` with reason `state` when it cannot be read or is no grant.
    public static func grant(at path: String) throws(ControlError) -> GrantToken? {
        guard let bytes = try StateFile.read(path) else { return nil }
        do throws(GrantToken.Failure) {
            return try GrantToken(parsing: String(decoding: bytes, as: UTF8.self))
        } catch {
            throw ControlError(.internal, "\(path) holds no grant", reason: ClientReason.state)
        }
    }

    /// The folder of an app group; nothing is created yet.
    ///
    /// - Throws: ``ControlError`` `invalidArgument` for a name that is no folder name: empty, longer than 200 bytes, with a
    ///   slash, a control character or two dots in a row, or a single dot.
    public func group(_ name: String) throws(ControlError) -> GroupFolder {
        let isFolderName =
            (1...200).contains(name.utf8.count) && name != "."
            && !name.unicodeScalars.contains { $0 == "/" || $0.properties.generalCategory == .control }
            && !Self.hasTwoDots(name)
        guard isFolderName else {
            throw ControlError(
                .invalidArgument,
                "“\(name)” is no app group: it must be a name without slashes, control characters and “..”",
                reason: ClientReason.state)
        }
        return GroupFolder(name: name, path: "\(path)/groups/\(name)")
    }

    private static func hasTwoDots(_ name: String) -> Bool {
        zip(name.utf8, name.utf8.dropFirst()).contains { $0 == UInt8(ascii: ".") && $1 == UInt8(ascii: ".") }
    }
}
