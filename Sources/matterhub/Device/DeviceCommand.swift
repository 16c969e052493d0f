import Foundation
import HubControl
import MatterCrypto
import MatterModel
import MatterNode
import MatterWire
import NetIO

/// `matterhub device`
enum DeviceCommand: Command {
    static let name = "device"
    static let summary = "Play a virtual device that any Matter controller can commission."
    static let standardPort: UInt16 = 5540

    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        let options = invocation.options
        guard options.arguments.isEmpty else { throw UsageError("“\(options.arguments[0])” is no option") }
        if let folder = try options.string("export-paa") {
            try export(into: folder, invocation)
            if try options.string("type") == nil { return .ok }
        }
        let wishes = try DeviceOptions(options)
        let faults = try FaultFile.plan(options)
        let folder = try wishes.stateFolder ?? stateFolder(wishes.device.kind, invocation.console)
        let store = try DeviceStateStore(directory: folder)
        let secrets = SystemSecretSource()
        let random = RandomSource { UInt64.random(in: .min ... .max) }
        let identity = try store.identity(for: wishes.device, secrets: secrets, random: random)
        let snapshot = try store.load(.node)
        let clock = DriverClock()
        let node: VirtualNode
        do throws(SnapshotError) {
            node = try VirtualNode(
                configuration: try configuration(identity, wishes), attestation: identity.attestation,
                secrets: secrets, random: random, restoring: snapshot,
                now: MonotonicInstant(sinceStart: clock.now))
        } catch {
            throw DeviceStateError(.corrupt, store.path(of: .node), "cannot be used: \(error.reason)")
        }
        let socket = try socket(wishes.port)
        let capture = try CaptureOptions.capture(options, of: wishes.device.kind.rawValue, invocation.console)
        let report = DeviceReport(identity, node, port: socket.localAddress.port, wishes.advertises, invocation)
        var environment = DeviceEnvironment(
            link: socket, port: socket.localAddress.port, clock: clock,
            wallClock: { EpochSeconds(unixSeconds: Int64(Date().timeIntervalSince1970)) }, random: random,
            secrets: secrets, advertiser: try advertiser(wishes.advertises, clock, invocation.console),
            persist: { try await store.saveInBackground($0, as: .node) }, observe: { report.happened($0) },
            faults: faults, defects: wishes.defects)
        environment.traffic = try capture?(socket.localAddress.port).observer
        let device = DeviceNode(node, environment: environment)
        let signals = TerminationSignals()
        try report.ready()
        let input = DeviceInput(device, settable: node.worldAttributes, report)
        let typing = Task { await input.run() }
        defer { typing.cancel() }
        let watch = Task {
            await signals.wait()
            device.close()
        }
        defer { watch.cancel() }
        try await device.run()
        return .ok
    }

    private static func configuration(
        _ identity: DeviceIdentity, _ wishes: DeviceOptions
    ) throws(SnapshotError) -> NodeConfiguration {
        do {
            return try identity.configuration(
                name: wishes.name, network: .current(), defects: wishes.defects)
        } catch {
            throw SnapshotError(.damaged, "\(error)")
        }
    }

    private static func socket(_ port: UInt16?) throws -> UDPSocket {
        do {
            return try UDPSocket(port: port ?? standardPort)
        } catch {
            guard error.code == .addressInUse else { throw error }
            guard let port, port != 0 else { return try UDPSocket(port: 0) }
            throw CommandFailure(
                "UDP port \(port) is taken by another program; choose another --port, or leave it out for any")
        }
    }

    private static func advertiser(
        _ isWanted: Bool, _ clock: DriverClock, _ console: Console
    ) throws(CommandFailure) -> any DeviceAdvertiser {
        guard isWanted else { return NoDeviceAdvertiser() }
        if let missing = DNSServiceAvailability.current().explanation {
            throw CommandFailure("\(missing). --no-mdns plays the device without advertising it.", status: .unreachable)
        }
        return DNSServiceAdvertiser(directory: DNSServiceDirectory(), clock: clock) { service, error in
            console.note("cannot advertise \(service.name).\(service.type): \(error). Trying again.")
        }
    }

    private static func stateFolder(_ kind: DeviceKind, _ console: Console) throws(UsageError) -> String {
        let environment = console.environment
        guard let base = environment["XDG_STATE_HOME"] ?? environment["HOME"].map({ $0 + "/.local/state" }) else {
            throw UsageError("--state-dir is missing, and neither XDG_STATE_HOME nor HOME is set")
        }
        return "\(base)/matterhub/device-\(kind.rawValue)"
    }

    private static func export(into folder: String, _ invocation: Invocation) throws {
        let file = URL(fileURLWithPath: folder, isDirectory: true).appendingPathComponent("matterhub-test-paa.der")
        do {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(TestAttestationAuthority.certificate).write(to: file, options: .atomic)
        } catch {
            throw CommandFailure("\(file.path) cannot be written: \(error.localizedDescription)")
        }
        if invocation.isJSON {
            invocation.console.print(["event": "exported", "paa": .string(file.path)])
        } else {
            invocation.console.print("attestation root: \(file.path)")
        }
    }
}
