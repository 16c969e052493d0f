import Conformance
import Foundation
import HubControl
import MatterCrypto
import MatterNode
import MatterWire
import NetIO

/// `matterhub conformance device`
enum ConformanceDeviceCommand: Command {
    static let name = "device"
    static let summary = "Run the conformance cases for devices on any Matter device that waits to be commissioned."
    static var help: CommandHelp {
        CommandHelp(
            usage: "CODE [OPTION]…",
            text: """
                CODE is the device's QR text or its 11- or 21-digit code. The device must wait for a commissioner, on a network
                that this machine is on. It is commissioned on fabrics that are made for the run and forgotten with it, again
                and again; fail-safes are left to expire, wrong passcodes are tried, windows are opened. At the end the device is
                taken off these fabrics, also after Ctrl-C; what could not be undone is said.

                After a few handshakes with the printed code the run goes on in windows that it opens itself, so that the device's
                count of failed attempts (20 close a window) does not end it. --passcode-attempts limits the wrong passcodes in
                all: window.attempt-limit needs 20 of them.

                Like “matterhub attestation verify”, this trusts the CHIP SDK's public test authorities, our own and the published
                test key for declarations.

                \(ConformanceRun.help)
                At the end --json prints {"left": […]}: what could not be undone, in words; the status is 1 then too.
                """,
            options: [
                .value("address", "HOST:PORT", "where the device is, instead of a search"),
                .flag("mdns", "try the advertisement although --address is given"),
                .flag("no-mdns", "do not use multicast DNS; needs --address"),
                .value("search-time", "SECONDS", "how long the device is looked for (default 15)"),
                .value("passcode-attempts", "N", "how many wrong passcodes may be spent (default 25)"),
                .value("fail-safe", "SECONDS", "the fail-safe whose expiry is waited for, 5 to 900 (default 10)"),
            ] + AttestationAuthorities.options + ConformanceRun.options)
    }

    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        if try ConformanceRun.list(DeviceSuite.suite, invocation) { return .ok }
        let order = try order(invocation)
        let clock = DriverClock()
        let bench = DeviceBench(
            order,
            environment: ControllerEnvironment(
                link: try UDPSocket(port: 0), clock: clock,
                wallClock: { EpochSeconds(unixSeconds: Int64(Date().timeIntervalSince1970)) },
                random: RandomSource { UInt64.random(in: .min ... .max) }, secrets: SystemSecretSource(),
                discovery: try discovery(order, invocation)))
        let running = Task { await bench.run() }
        defer { running.cancel() }
        let status: ExitStatus
        do {
            status = try await ConformanceRun.perform(DeviceSuite.suite, of: DeviceSubject(bench), invocation)
        } catch {
            _ = await bench.leave()
            throw error
        }
        let left = await bench.leave()
        if invocation.isJSON { invocation.console.print(["left": .array(left.map { .string($0) })]) }
        for remark in left { invocation.console.note(remark) }
        return left.isEmpty || status == .interrupted ? status : .failed
    }

    private static func order(_ invocation: Invocation) throws -> DeviceOrder {
        let options = invocation.options
        let code = try invocation.argument("the device's onboarding code")
        let payload: OnboardingPayload
        do throws(OnboardingPayloadError) {
            payload = try ParsedOnboardingPayload(code, blanks: .ignored).validated()
        } catch {
            let place = error.offset.map { ", at character \($0 + 1)" } ?? ""
            throw UsageError("the code cannot be used\(place): \(error.message)")
        }
        let text = try options.string("address")
        let address = text.flatMap { PeerAddress(text: $0) }
        if let text, address == nil {
            throw UsageError("--address must be IP:PORT, [IPv6]:PORT or [IPv6%interface]:PORT, not “\(text)”")
        }
        var order = DeviceOrder(payload: payload, address: address, trust: try AttestationAuthorities.trust(options))
        order.passcodeAttempts =
            try options.integer("passcode-attempts", as: Int.self, in: 0...1_000) ?? order.passcodeAttempts
        order.failSafe = try options.integer("fail-safe", as: UInt16.self, in: 5...900) ?? order.failSafe
        let searchTime = try options.integer("search-time", as: Int64.self, in: 1...600)
        order.searchTime = searchTime.map { .seconds($0) } ?? order.searchTime
        return order
    }

    /// Multicast DNS, where it is wanted.
    private static func discovery(_ order: DeviceOrder, _ invocation: Invocation) throws -> (any NodeDiscovery)? {
        if invocation.options.flag("no-mdns") {
            guard order.address != nil else { throw UsageError("--no-mdns needs --address HOST:PORT") }
            return nil
        }
        guard order.address == nil || invocation.options.flag("mdns") else { return nil }
        if let missing = DNSServiceAvailability.current().explanation {
            throw CommandFailure("\(missing). --address HOST:PORT needs no search.", status: .unreachable)
        }
        return DNSServiceNodeDiscovery(directory: DNSServiceDirectory())
    }
}
