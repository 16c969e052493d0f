import HubClient
import HubControl
import NetIO
import Transcript

/// `matterhub transcript record`
enum TranscriptRecordCommand: Command {
    static let name = "record"
    static let summary = "Stand between apps and a hub, and write down what they say."
    static var help: CommandHelp {
        CommandHelp(
            usage: "[OPTION]… FILE",
            text: """
                Listens, and passes everything on to the hub and back; the app is pointed at --listen. What is said without TLS is
                appended to FILE, without grants, codes and PINs. TLS is passed on unread: nobody but the hub has a
                certificate that clients take. Record that at the hub (serve --transcript) or at the client (--transcript).

                --json prints {"event": "ready", "port"} first. Ctrl-C ends it.
                """,
            options: [
                .value("listen", "HOST:PORT", "where apps connect; port 0 for any (default 127.0.0.1:0)"),
                .value("hub", "HOST[:PORT]", configurable: true, "the hub (default localhost)"), .json,
            ])
    }

    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        let path = try invocation.argument("the file to record to")
        let options = invocation.options
        let hub = try ReplayOptions.hub(options)
        let listener = try ReplayOptions.listener(options)
        let log = try TranscriptFile.log(path, about: "Recorded between clients and a hub.", invocation.console)
        let relay = RecordingRelay(listener: listener, hub: hub, log: log, clock: DriverClock())
        let signals = TerminationSignals()
        if invocation.isJSON {
            invocation.console.print(["event": "ready", "port": JSONValue(relay.port)])
        } else {
            invocation.console.print("Clients of port \(relay.port) are passed on to \(hub[0]).")
        }
        let running = Task { await relay.run() }
        await signals.wait()
        running.cancel()
        await running.value
        return .ok
    }
}
