import Foundation
import HubClient
import HubControl
import NetIO
import Transcript

/// `matterhub transcript replay`
enum TranscriptReplayCommand: Command {
    static let name = "replay"
    static let summary = "Play one half of a dialogue to a hub or to an app, and compare the other half."
    static var help: CommandHelp {
        CommandHelp(
            usage: "[OPTION]… FILE",
            text: """
                Without --as-hub, sends what the client said, each frame when all has come that the hub had said before it, and
                compares the hub's frames by the rules of “transcript diff”. With --as-hub, listens and answers an app as the hub did;
                it serves TLS under an authority of its own, whose grant --grant-out writes for the app, and ends when all was played.

                Placeholders of secrets get values by options. Exit status 1 when something was different. --json prints one
                object a line: passed with line, from, kind and method; differs; and finished with differences.
                """,
            options: ReplayOptions.substitutions + [
                .value("hub", "HOST[:PORT]", configurable: true, "the hub (default localhost)"),
                .value("state-dir", "FOLDER", configurable: true, "where admin.grant is"),
                .value("timeout", "SECONDS", "how long to wait for what should come (default 30)"),
                .flag("as-hub", "play the hub"),
                .value("listen", "HOST:PORT", "with --as-hub: where (default 127.0.0.1:0)"),
                .value("grant-out", "FILE", "with --as-hub: write a grant that an app can use, mode 0600"),
                .flag("plain", "without TLS; with --as-hub: allow it too"),
                .flag("grant-over-plain", "send the grant without TLS too, where others may read it"),
            ] + DifferenceReport.options + [.json])
    }

    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        let dialogue = try TranscriptFile.read(try invocation.argument("a transcript"))
        let report = ReplayReport(invocation)
        if invocation.options.flag("as-hub") {
            try await playHub(dialogue, invocation, report)
        } else {
            try await playClient(dialogue, invocation, report)
        }
        return report.finish()
    }

    private static func playClient(
        _ dialogue: Dialogue, _ invocation: Invocation, _ report: ReplayReport
    ) async throws {
        let options = invocation.options
        let isPlain = options.flag("plain")
        var values = try ReplayOptions.values(invocation, needsGrant: !isPlain || options.flag("grant-over-plain"))
        if isPlain, !options.flag("grant-over-plain") {
            values.values = values.values.filter { !$0.key.hasPrefix("grant-text") }
        }
        let replay: ClientReplay
        do throws(MissingSubstitutions) {
            replay = try ClientReplay(dialogue, values, matcher: DifferenceReport.matcher(options))
        } catch {
            throw UsageError(
                "the transcript has placeholders without a value: \(error.names.map { "<\($0)>" }.joined(separator: ", ")). "
                    + "Give --grant-file, --code, --address or --set NAME=VALUE (over plain TCP also --grant-over-plain)"
            )
        }
        let patience = try options.integer("timeout", as: Int.self, in: 1...86_400) ?? 30
        let run = ClientReplayRun(
            hub: try ReplayOptions.hub(options), tls: isPlain ? nil : try tls(values), clock: DriverClock(),
            patience: .seconds(patience))
        do throws(NetError) {
            try await run.run(replay) { report.step($0) }
        } catch {
            throw CommandFailure("the hub cannot be reached: \(error)", status: .unreachable)
        }
    }

    /// The hub must be the one that the grant is for.
    private static func tls(_ values: ReplaySubstitutions) throws -> TLSContext {
        let texts = values.values.filter { $0.key.hasPrefix("grant-text") }.map(\.value)
        var pins: Set<[UInt8]> = []
        for text in texts {
            do throws(GrantToken.Failure) { pins.insert(try GrantToken(parsing: text).authorityHash) } catch {
                throw CommandFailure("a grant that was given is none: it has the form mh1.….….…", status: .usage)
            }
        }
        guard pins.count <= 1 else {
            throw CommandFailure("the grants that were given are for hubs of different homes", status: .usage)
        }
        return try TLSContext.client(
            trust: pins.first.map { .pinned($0) } ?? .anyAuthority, applicationProtocol: "matterhub/1")
    }

    private static func playHub(_ dialogue: Dialogue, _ invocation: Invocation, _ report: ReplayReport) async throws {
        let options = invocation.options
        let now = Int64(Date().timeIntervalSince1970)
        let validity = CertificateValidity(notBefore: now - 86_400, notAfter: now + 30 * 86_400)
        let authority = try ControlCA.create(commonName: "MatterHub replay", validity: validity)
        var secrets = SystemRandomNumberGenerator()
        let grant = GrantToken(
            authorityHash: authority.pin, id: GrantID(rawValue: secrets.next()),
            secret: (0..<GrantToken.partLength).map { _ in UInt8.random(in: 0...255, using: &secrets) })
        if let path = try options.string("grant-out") {
            try AppendFile(path: path, isNew: true).append(Array("\(grant.text)\n".utf8))
        }
        var values = try ReplayOptions.values(invocation, needsGrant: false)
        if values.values["grant-text"] == nil { values.values["grant-text"] = grant.text }
        let listener = try ReplayOptions.listener(options)
        let server = HubReplayServer(
            HubReplay(
                dialogue, values, .init(now: now, version: MatterHubCommand.version),
                matcher: DifferenceReport.matcher(options)),
            listener: listener,
            tls: try TLSContext.server(
                authority.issue(commonName: "MatterHub replay", validity: validity),
                applicationProtocol: "matterhub/1"),
            allowsPlain: options.flag("plain"), clock: DriverClock()
        ) { report.step($0) }
        let signals = TerminationSignals()
        report.ready(port: listener.port)
        let running = Task { await server.run() }
        let watch = Task {
            await signals.wait()
            running.cancel()
        }
        await running.value
        watch.cancel()
    }
}
