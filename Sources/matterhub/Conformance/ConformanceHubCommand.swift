import Conformance
import Foundation
import HubClient
import HubControl
import NetIO

/// `matterhub conformance hub`
enum ConformanceHubCommand: Command {
    static let name = "hub"
    static let summary = "Run the conformance cases for hubs on any implementation of the control protocol."
    static var help: CommandHelp {
        CommandHelp(
            usage: "HOST[:PORT] --grant FILE|TEXT [OPTION]…",
            text: """
                For hubs that are there for tests: the cases cancel the session that is active, set the hub unreachable and
                reachable again, and make apps, rooms and devices. They take away what they made; revoked grants stay in the
                hub's list. The grant must have the scope admin.

                Cases that need a device are skipped unless there is one. --virtual-device plays virtual lights on this machine,
                which also go wrong as cases want it; the hub must be able to reach this machine by UDP and to trust our test
                attestation (MatterHub does; for others “matterhub device --export-paa FOLDER” writes the root). --device
                CODE is a device of yours: it is commissioned and removed again and again.

                \(ConformanceRun.help)
                3 the grant is none or no admin's, 4 the hub cannot be reached.
                """,
            options: [
                .value("grant", "FILE|TEXT", configurable: true, "an admin grant, or a file that holds one"),
                .flag("virtual-device", "play virtual devices on this machine"),
                .value("device", "CODE", "the onboarding code of a device that waits to be commissioned"),
                .value("address", "HOST:PORT", "where that device is (default: the hub searches)"),
                .flag("patient", "try also what takes 10 s to 2 min of waiting each"),
                .flag("no-mdns", "skip the advertisement"),
                .value("patience", "SECONDS", "how long the hub may take for an answer (default 10)"),
            ] + ConformanceRun.options)
    }

    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        if try ConformanceRun.list(.hub, invocation) { return .ok }
        let options = invocation.options
        let address = try address(try invocation.argument("the hub's HOST[:PORT]"))
        let device = try options.string("device")
        let place = try options.string("address")
        guard place == nil || device != nil else { throw UsageError("--address is that of --device, which is missing") }
        if let place, HostAndPort(place) == nil {
            throw UsageError("--address must be host:port, not “\(place)”")
        }
        let patience = Duration.seconds(try options.integer("patience", as: Int.self, in: 1...600) ?? 10)
        let setup = HubSetup(
            address: address, grant: try grant(try options.required("grant")),
            device: device.map { HubSetup.Device(code: $0, address: place) },
            playsDevices: options.flag("virtual-device"), isPatient: options.flag("patient"),
            directory: directory(options), times: HubSetup.Times(answer: patience, silence: patience))
        let subject = HubSubject(setup)
        try await check(subject)
        return try await ConformanceRun.perform(.hub, of: subject, invocation)
    }

    /// The hub's place on the command line.
    static func address(_ text: String) throws(UsageError) -> HostAndPort {
        guard let address = HostAndPort(text, defaultPort: ServeCommand.standardPort) else {
            throw UsageError("the hub must be host or host:port, not “\(text)”")
        }
        return address
    }

    /// `--grant`: a grant, or the name of a file that holds one.
    static func grant(_ text: String) throws -> GrantToken {
        do throws(GrantToken.Failure) { return try GrantToken(parsing: text) } catch {
            // Not a grant itself: then the name of a file that holds one.
            guard !text.hasPrefix("mh1.") else {
                throw CommandFailure("--grant looks like a grant, and is damaged", status: .notPermitted)
            }
        }
        guard let grant = try HubClient.StateFolder.grant(at: text) else {
            throw CommandFailure("--grant: there is no file \(text)", status: .notPermitted)
        }
        return grant
    }

    private static func directory(_ options: ParsedOptions) -> HubSetup.Directory {
        if options.flag("no-mdns") { return .absent("--no-mdns was given") }
        if let missing = DNSServiceAvailability.current().explanation { return .absent(missing) }
        return .there(DNSServiceDirectory())
    }

    /// A hub that cannot be reached at all fails once, not in each case.
    private static func check(_ subject: HubSubject) async throws {
        do {
            try await subject.check()
        } catch let failure as ConformanceFailure {
            throw CommandFailure("the hub cannot be examined: \(failure.summary)", status: .notPermitted)
        } catch let error as NetError {
            throw CommandFailure("the hub cannot be examined: \(error)", status: .unreachable)
        }
    }
}
