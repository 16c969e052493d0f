import HubClient
import HubControl
import NetIO

/// `matterhub commission`
enum CommissionCommand: Command {
    static let name = "commission"
    static let summary = "Commission a device in the session that is open."
    static var help: CommandHelp {
        CommandHelp(
            usage: "CODE [OPTION]…",
            text: """
                CODE is a QR text (MT:…) or a manual pairing code. Needs a session (matterhub prepare); several devices may be
                commissioned in one, and matterhub complete makes them devices of the home. Ctrl-C stops it, and the hub cleans
                the device.

                --json prints one object a line: a stage each ({"stage", "index", "total", "elapsedMs"}), then the result
                ({"provisionalId", "vendorId", "productId", "stages", "elapsedMs"}) or {"error"}.
                """,
            options: [
                .value("address", "HOST:PORT", "where the device is, instead of looking for it"),
                .value("timeout", "SECONDS", "for the whole commissioning (default 120)"),
                .value("name", "TEXT", "name the device afterwards"),
                .value("room", "TEXT", "put it into the room of that name"),
                .value("client-key", "KEY", "makes a repeat give the first answer, 1 to 64 characters"),
            ] + HubAccess.options)
    }

    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        let options = invocation.options
        let payload = try invocation.argument("the onboarding payload")
        let address = try options.string("address")
        let limit = try options.integer("timeout", as: Int.self, in: 5...1800)
        let key = try CompleteCommand.clientKey(invocation)
        let (name, room) = (try options.string("name"), try options.string("room"))
        if name == nil, room != nil { throw UsageError("--room needs --name") }
        let signals = TerminationSignals()
        return try await invocation.withHub { hub in
            let display = StageDisplay(invocation)
            let work = Task { () async -> Result<ProvisionalDevice, ControlError> in
                do throws(ControlError) {
                    return .success(
                        try await HubSession(hub).commission(
                            payload, address: address, clientKey: key,
                            limit: limit.map { .seconds($0) } ?? HubSession.commissionLimit,
                            onStage: { display.began($0) }))
                } catch {
                    return .failure(error)
                }
            }
            let watch = Task {
                await signals.wait()
                work.cancel()
            }
            defer { watch.cancel() }
            let outcome = await work.value
            display.end()
            if case .failure(let error) = outcome, error.code == .cancelled, work.isCancelled {
                invocation.console.note("Stopped. The hub leaves the device clean; the session stays open.")
                return .interrupted
            }
            if case .failure(let error) = outcome { CommissionReport.explain(error, invocation.console) }
            let device = try outcome.get()
            if let name { try await HubSession(hub).configure(deviceName: name, roomName: room) }
            CommissionReport.show(device, invocation)
            return .ok
        }
    }
}

/// Shows the running stage while a device is commissioned.
private final class StageDisplay: Sendable {
    private let isJSON: Bool
    private let console: Console

    init(_ invocation: Invocation) {
        isJSON = invocation.isJSON
        console = invocation.console
    }

    func began(_ stage: StageProgress) {
        guard !isJSON else {
            console.print([
                "stage": .string(stage.name), "index": JSONValue(stage.index), "total": JSONValue(stage.total),
                "elapsedMs": JSONValue(stage.elapsed.milliseconds),
            ])
            return
        }
        let words = CommissionReport.words(for: stage.name)
        console.progress("[\(stage.index)/\(stage.total)] \(words)… \(stage.elapsed.inSeconds)")
    }

    func end() { if !isJSON { console.endProgress() } }
}

/// What a commissioning came to, in words.
private enum CommissionReport {
    static func show(_ device: ProvisionalDevice, _ invocation: Invocation) {
        guard !invocation.isJSON else {
            invocation.console.print(device.json)
            return
        }
        var table = TextTable("STAGE", "AFTER", "WHAT")
        for stage in device.stages { table.add(stage.name, stage.elapsed.inSeconds, words(for: stage.name)) }
        invocation.console.print(table.text)
        invocation.console.print(
            "Commissioned in \(device.elapsed.inSeconds): vendor \(hex(device.vendorID)), product \(hex(device.productID))."
        )
        for warning in device.warnings { invocation.console.note("Note: \(warning)") }
        invocation.console.note("Next: matterhub complete, or another matterhub commission")
    }

    /// Prints what an error holds beyond its message: the candidates that were tried, the attestation rules that failed.
    static func explain(_ error: ControlError, _ console: Console) {
        for case .object(let rule) in error.details?["rules"]?.array ?? [] {
            console.note("Attestation: \(rule["rule"]?.string ?? "?"): \(rule["detail"]?.string ?? "")")
        }
        for case .object(let candidate) in error.details?["candidates"]?.array ?? [] {
            let members = candidate.members.map { "\($0.name) \($0.value.string ?? $0.value.text())" }
            console.note("Candidate: \(members.joined(separator: ", "))")
        }
    }

    static func words(for stage: String) -> String {
        switch stage {
        case "discover": "looking for the device"
        case "pase": "opening a channel with the passcode"
        case "readInfo": "reading what the device is"
        case "armFailSafe": "arming its fail-safe"
        case "regulatory": "setting region and time"
        case "attestation": "checking the maker's certificates"
        case "csr": "asking for a new key"
        case "addRoot": "installing the home's root certificate"
        case "addNOC": "giving it its place in the home"
        case "operational": "meeting it again as part of the home"
        case "complete": "finishing"
        default: stage
        }
    }

    static func hex(_ number: UInt16) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return "0x" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
