import HubControl
import MatterNode
import NetIO

/// What a case has: ways to reach the hub, apps, devices; it notes what it made, to tidy up behind the case.
package final class HubContext: Sendable {
    /// What a case made that must not stay.
    private struct Traces {
        var dialogues: [HubDialogue] = []
        var channels: [any ByteChannel] = []
        var grants: [String] = []
        var rooms: [String] = []
        var devices: [String] = []
        var usedSessions = false
        var wentOffline = false
        var apps = 0

        /// A method was answered with a result.
        mutating func note(_ method: String, _ result: JSONObject) {
            switch method {
            case "session.prepare": usedSessions = true
            case "hub.setReachable": wentOffline = result["reachable"] == false
            case "rooms.create": if let id = result["id"]?.string { rooms.append(id) }
            case "grants.create", "grants.request": if let id = result["grantId"]?.string { grants.append(id) }
            case "session.complete": devices += result["deviceIds"]?.array?.compactMap(\.string) ?? []
            default: break
            }
        }
    }

    let setup: HubSetup
    private let traces = Locked(Traces())
    private let devices: VirtualDevices

    init(_ setup: HubSetup, _ devices: VirtualDevices) {
        self.setup = setup
        self.devices = devices
    }

    var clock: DriverClock { setup.clock }

    // MARK: - Connections

    /// A TCP connection that has said nothing.
    func tcp() async throws -> TCPConnection {
        let connection = try await TCPConnection.connect(
            to: setup.address, timeout: setup.times.answer, clock: setup.clock)
        traces.withLock { $0.channels.append(connection) }
        return connection
    }

    /// A TLS connection that has said nothing; only the hub of the grant is taken.
    func tls(applicationProtocol: String = "matterhub/1") async throws -> TLSConnection {
        let context = try TLSContext.client(
            trust: .pinned(setup.grant.authorityHash), applicationProtocol: applicationProtocol)
        let connection = try await TLSConnection.establish(
            over: try await tcp(), context, timeout: setup.times.answer, clock: setup.clock)
        traces.withLock { $0.channels.append(connection) }
        return connection
    }

    /// A dialogue over a channel that has said nothing.
    func dialogue(over channel: any ByteChannel) -> HubDialogue {
        let dialogue = HubDialogue(channel, times: setup.times, clock: setup.clock) { [traces] method, result in
            traces.withLock { $0.note(method, result) }
        }
        traces.withLock { $0.dialogues.append(dialogue) }
        return dialogue
    }

    /// A dialogue whose preface is sent; hello is not.
    func prefaced() async throws -> HubDialogue {
        let dialogue = dialogue(over: try await tls())
        try await dialogue.send(ControlPreface.bytes)
        return dialogue
    }

    /// A client that the hub has let in.
    ///
    /// - Parameter grant: the grant's whole text; `nil` for a stranger.
    func client(_ grant: String?) async throws -> HubDialogue {
        let dialogue = try await prefaced()
        try await dialogue.hello(grant)
        _ = try await dialogue.welcomed()
        return dialogue
    }

    /// A client with the admin grant of the run.
    func admin() async throws -> HubDialogue { try await client(setup.grant.text) }

    /// A client without a grant.
    func stranger() async throws -> HubDialogue { try await client(nil) }

    // MARK: - Apps

    /// An app that exists for this case only.
    struct App: Sendable {
        let grant: String
        let grantID: String
        let appID: String
        let appGroup: String
    }

    /// Makes an app with these scopes.
    ///
    /// - Parameter identity: the app id of an earlier app, to give it another grant.
    func app(_ scopes: [String], by admin: HubDialogue, identity: App? = nil) async throws -> App {
        let number = traces.withLock { traces in
            traces.apps += 1
            return traces.apps
        }
        let mark = "\(UInt32.random(in: .min ... .max))"
        let (appID, group) =
            identity.map { ($0.appID, $0.appGroup) }
            ?? ("conformance.app-\(number).\(mark)", "conformance.group-\(number).\(mark)")
        let result = try await admin.call(
            "grants.create",
            [
                "appId": .string(appID), "appGroup": .string(group), "scopes": .array(scopes.map { .string($0) }),
                "structure": (await admin.structure).map { .string($0) },
            ])
        return App(
            grant: try result.text("grant"), grantID: try result.id("grantId"), appID: appID, appGroup: group)
    }

    /// A client of a new app with these scopes.
    func client(scopes: [String]) async throws -> HubDialogue {
        let admin = try await admin()
        return try await client(try await app(scopes, by: admin).grant)
    }

    // MARK: - Devices

    /// A device to commission: a virtual one, or the user's when nothing is to go wrong and the run plays none.
    func device(
        _ faults: [String] = [], kind: DeviceKind = .onOffLight, named name: String? = nil
    ) async throws -> CaseDevice {
        if !setup.playsDevices, let device = setup.device {
            return CaseDevice(code: device.code, address: device.address, virtual: nil)
        }
        let probe = try await tcp()
        let ip = probe.localAddress.ip
        probe.close()
        return CaseDevice(try await devices.start(faults, at: ip, kind: kind, named: name))
    }

    /// The device of a case as it came out of its box.
    func reset(_ device: CaseDevice) async throws -> CaseDevice {
        guard let virtual = device.virtual else { throw ConformanceSkip("only a virtual device can be reset") }
        return CaseDevice(try await devices.reset(virtual))
    }

    // MARK: - Afterwards

    /// Closes what is open.
    func closeAll() async {
        let (dialogues, channels) = traces.withLock { traces in
            defer { (traces.dialogues, traces.channels) = ([], []) }
            return (traces.dialogues, traces.channels)
        }
        for dialogue in dialogues { await dialogue.close() }
        for channel in channels { channel.close() }
    }

    /// Takes away what the case made.
    ///
    /// - Returns: what could not be taken away.
    func tidy() async -> [String] {
        let left = traces.withLock { $0 }
        let isDirty =
            left.usedSessions || left.wentOffline || !left.grants.isEmpty || !left.rooms.isEmpty
            || !left.devices.isEmpty
        var remarks: [String] = []
        if isDirty {
            do {
                let admin = try await admin()
                func attempt(
                    _ method: String, _ params: JSONObject, missing: Set<String> = [],
                    within limit: Duration = .seconds(5)
                ) async throws {
                    let id = try await admin.begin(method, params)
                    guard case .refused(let refusal) = try await admin.answer(to: id, within: limit),
                        !missing.contains(refusal.reason ?? "")
                    else { return }
                    remarks.append("\(method) in tidying up: \(refusal.words)")
                }
                if left.wentOffline { try await attempt("hub.setReachable", ["reachable": true]) }
                if left.usedSessions { try await attempt("session.cancel", ["force": true]) }
                for id in left.devices {
                    // One that is gone is tried to be reached first.
                    try await attempt(
                        "devices.remove", ["id": .string(id), "force": true], missing: ["noDevice"],
                        within: .seconds(60))
                }
                for id in left.rooms { try await attempt("rooms.delete", ["id": .string(id)], missing: ["noRoom"]) }
                for id in left.grants { try await attempt("grants.revoke", ["id": .string(id)], missing: ["noGrant"]) }
            } catch {
                remarks.append("not everything that the case made could be taken away: \(Self.words(error))")
            }
        }
        await closeAll()
        return remarks
    }

    /// Forgets the orphans that cases left.
    func forgetOrphans() async -> [String] {
        defer { traces.withLock { $0 = Traces() } }
        guard setup.playsDevices else { return [] }
        do {
            let admin = try await admin()
            let list = try await admin.call("devices.list", ["orphans": true, "limit": 1000])
            for orphan in try list.listed("devices") {
                guard let address = orphan["address"]?.string, devices.has(address), let id = orphan["id"] else {
                    continue
                }
                try await admin.call("orphans.forget", ["id": id])
            }
            await closeAll()
            return []
        } catch {
            await closeAll()
            return ["orphans of the run's devices may be left: \(Self.words(error))"]
        }
    }

    private static func words(_ error: any Error) -> String {
        (error as? ConformanceFailure)?.summary ?? "\(error)"
    }
}

/// A device that a case commissions.
struct CaseDevice: Sendable {
    /// Its onboarding code.
    let code: String
    /// `nil` lets the hub search.
    let address: String?
    /// `nil` for the user's own.
    let virtual: VirtualDevice?

    init(code: String, address: String?, virtual: VirtualDevice?) {
        self.code = code
        self.address = address
        self.virtual = virtual
    }

    init(_ virtual: VirtualDevice) {
        self.init(code: virtual.code, address: "\(virtual.address)", virtual: virtual)
    }

    /// Params of `session.commission`.
    func params(_ key: String, code other: String? = nil, deadlineMs: Int64? = nil) -> JSONObject {
        [
            "payload": .string(other ?? code), "clientKey": .string(key), "address": address.map { .string($0) },
            "deadlineMs": deadlineMs.map { .integer($0) },
        ]
    }
}

extension HubDialogue {
    /// Says hello, as a whole client would.
    func hello(_ grant: String?) async throws {
        let hello: JSONObject = ["client": "matterhub-conformance/1.0", "grant": grant.map { .string($0) }]
        try await send(.hello, hello.encoded())
    }

    /// The first structure of the grant.
    var structure: String? { welcome["structures"]?.array?.first?.object?["id"]?.string }
}
