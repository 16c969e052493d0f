import HubClient
import HubControl

/// How subcommands reach the hub: the options that all of them have, and what they give.
struct HubAccess {
    static let options: [CommandOption] = [
        .value("hub", "HOST[:PORT]", configurable: true, "the hub (default: found by DNS-SD)"),
        .value("state-dir", "FOLDER", configurable: true, "where admin.grant is (default: $XDG_STATE_HOME/matterhub)"),
        .value("grant-file", "FILE", configurable: true, "the grant to use instead of admin.grant"),
        .value("transcript", "FILE", configurable: true, "append the dialogue to a file, without secrets"),
        .flag("plain", "without TLS: a hub of this machine that runs with --plain"),
        .flag("grant-over-plain", "send the grant without TLS too, where others may read it"),
        .json,
    ]

    let settings: ClientSettings
    private let grantFile: String?

    init(_ invocation: Invocation) throws {
        let (options, console) = (invocation.options, invocation.console)
        var settings = ClientSettings(folder: HubClient.StateFolder(path: try StateFolder.path(options, console)))
        if let text = try options.string("hub") {
            guard let address = HubAddress(text) else {
                throw UsageError("--hub must be host or host:port, not “\(text)”")
            }
            settings.hub = address
        }
        settings.isPlain = options.flag("plain")
        settings.sendsGrantOverPlain = options.flag("grant-over-plain")
        if let path = try options.string("transcript") {
            settings.records.transcript = try ClientSettings.transcript(path) { console.note($0) }
        }
        if let path = console.environment["SSLKEYLOGFILE"], !path.isEmpty {
            settings.records.tlsKeys = try ClientSettings.tlsKeys(path) { console.note($0) }
            console.note("warning: \(path) gets the TLS secrets of this connection (SSLKEYLOGFILE).")
        }
        self.settings = settings
        grantFile = try options.string("grant-file")
    }

    /// Connects with the grant.
    func connect() async throws -> HubConnection {
        let path = grantFile ?? settings.folder.adminGrantPath
        guard let grant = try HubClient.StateFolder.grant(at: path) else {
            throw CommandFailure(
                """
                there is no grant in \(path). On the hub's machine, name its state folder with --state-dir; elsewhere ask for \
                a grant with “matterhub grants request” and use it with --grant-file.
                """, status: .notPermitted)
        }
        return try await settings.connect(grant)
    }

    /// Connects without a grant, to ask for one.
    func connectWithoutGrant() async throws -> HubConnection { try await settings.connect(nil) }
}

extension Invocation {
    /// Runs the body over a connection with the grant, and closes it; with `--json` errors are printed as JSON too.
    func withHub(_ body: (HubConnection) async throws -> ExitStatus) async throws -> ExitStatus {
        try await reportingErrors {
            let connection = try await HubAccess(self).connect()
            let outcome: Result<ExitStatus, any Error>
            do { outcome = .success(try await body(connection)) } catch { outcome = .failure(error) }
            await connection.close()
            return try outcome.get()
        }
    }

    /// With `--json`, prints an error of the hub as `{"error": {…}}` besides its message.
    func reportingErrors(_ body: () async throws -> ExitStatus) async throws -> ExitStatus {
        do {
            return try await body()
        } catch let error as ControlError where isJSON {
            console.print(["error": .object(error.json)])
            throw error
        }
    }

    /// The only argument.
    func argument(_ what: String) throws -> String { try arguments([what])[0] }

    /// As many arguments as there are descriptions; of those in `optional` the last ones may be missing.
    func arguments(_ what: [String], optional: [String] = []) throws -> [String] {
        let given = options.arguments
        guard given.count >= what.count else { throw UsageError("\(what[given.count]) is missing") }
        guard given.count <= what.count + optional.count else {
            throw UsageError("“\(given[what.count + optional.count])” is one argument too many")
        }
        return given
    }
}
