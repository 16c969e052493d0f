import Hub
import HubControl
import MatterNode
import MatterWire
import NetIO
import TestSupport

/// A hub in memory that is asked whatever the input says; its devices answer nothing.
enum ParamsBench {
    static let structure = StructureID(rawValue: 0xA1)
    private static let methods = ControlMethod.all.filter { ![.grantsRequest].contains($0) }
        .sorted { $0.rawValue < $1.rawValue }

    /// Reads `{"method": …, "params": {…}}` and lets a hub with a room, a device and a session perform it.
    static func run(_ input: [UInt8]) async throws -> FuzzTarget.Outcome {
        guard let json = try? JSONObject(parsing: input), let name = json["method"]?.string,
            let method = methods.first(where: { $0.rawValue == name })
        else { return .rejected }
        let request = ControlRequest(id: .first, method: method, params: json["params"]?.object ?? JSONObject())
        switch try await hub().perform(request) {
        case .success(let result):
            try hold(try JSONObject(parsing: result.encoded()) == result, "a result that cannot be read")
            return .accepted
        case .failure(let error):
            // Whatever the params are, it is the caller's fault, and said so.
            try hold(error.code != .internal && error.code != .unknown, "\(name) answers \(error)")
            try hold(!error.message.isEmpty, "an error without words")
            return [.invalidArgument, .unimplemented].contains(error.code) ? .rejected : .accepted
        }
    }

    static var seeds: [[UInt8]] {
        let device: JSONValue = "00000000000000d1"
        let room: JSONValue = "00000000000000b1"
        let path: JSONObject = ["id": device, "endpoint": 1, "cluster": 6, "attribute": 0]
        var write = path
        write["value"] = ["0": 1, "1": ["octets": "AAEC"]]
        var invoke: JSONObject = ["id": device, "endpoint": 1, "cluster": 6, "command": 2, "timedMs": 100]
        invoke["fields"] = ["0": ["f32": .number(1.5)]]
        let params: [String: JSONObject] = [
            "session.prepare": ["lifetimeMs": 60_000], "session.complete": ["clientKey": "k"],
            "session.commission": [
                "payload": "MT:Y.K90AFN00KA0648G00", "clientKey": "k", "address": "[::1]:5540", "deadlineMs": 100,
            ],
            "session.configure": ["deviceName": "Lamp", "roomName": "Kitchen"], "session.cancel": ["force": true],
            "rooms.create": ["name": "Caf\u{E9}"], "rooms.rename": ["id": room, "name": "Bath"],
            "rooms.delete": ["id": room], "rooms.list": [:],
            "devices.list": ["cursor": "800000000.00000000000000d1", "limit": 2, "orphans": false],
            "devices.get": ["id": device], "devices.rename": ["id": device, "name": "x"],
            "devices.move": ["id": device, "room": .null], "devices.read": path, "devices.write": write,
            "devices.invoke": invoke, "devices.openWindow": ["id": device, "timeoutSeconds": 180],
            "devices.remove": ["id": device, "force": true], "orphans.retry": ["id": device],
            "grants.create": ["appId": "a", "appGroup": "g", "scopes": ["admin"]], "grants.revoke": ["id": device],
            "faults.set": ["rules": ["session.prepare:offline@2x3"]],
        ]
        return methods.map { method in
            let object: JSONObject = [
                "method": .string(method.rawValue), "params": .object(params[method.rawValue] ?? [:]),
            ]
            return object.encoded()
        }
    }

    // MARK: - The hub

    private struct AskedHub {
        let service: HubService
        let router: ControlRouter
        let caller: Caller

        func perform(_ request: ControlRequest) async throws -> Result<JSONObject, ControlError> {
            if ![.sessionPrepare, .sessionGet].contains(request.method) {
                _ = try await service.prepare(by: caller, lifetime: nil)
            }
            return await router.perform(request, by: caller)
        }
    }

    private static func hub() async throws -> AskedHub {
        let node = NodeRecord(
            id: NodeID(rawValue: 0xC1), structure: structure, state: .commissioned, session: nil,
            address: "[::1]:5540", stage: "", failSafeEnds: nil,
            info: NodeInfo(vendorID: 0xFFF1, productID: 0x8001, vendorName: "Maker", productName: "Light"),
            createdAt: FuzzHome.wallClock)
        let light = EndpointInfo(endpoint: EndpointID(rawValue: 1), deviceTypes: [0x100], isBridged: false, label: "")
        let ledger = try await HubLedger(store: Forgetful())
        try await ledger.commit([
            .setHub(HubID(rawValue: 1), name: "Hub"),
            .putStructure(
                StructureRecord(
                    id: structure, name: "Home", controlCAKey: FuzzHome.controlKey,
                    controlCACertificate: FuzzHome.controlCertificate)),
            .putRoom(RoomRecord(id: RoomID(rawValue: 0xB1), structure: structure, name: "Kitchen")),
            .putNode(node),
            .putDevice(
                DeviceRecord(
                    id: DeviceID(rawValue: 0xD1), structure: structure, node: node.id, endpoint: light, name: "Lamp",
                    room: RoomID(rawValue: 0xB1), commissionedAt: FuzzHome.wallClock)),
        ])
        let service = await HubService(
            ledger: ledger, operators: [structure: Deaf()],
            environment: HubEnvironment(
                clock: DriverClock(ManualClock()), wallClock: { FuzzHome.wallClock }, random: .seeded(1),
                secrets: SeededSecretSource(seed: 1), faults: HubFaults(isAllowed: true)))
        let token = try await service.createGrant(
            app: AppIdentity(appID: "org.example", appGroup: "group"), structure: structure, scopes: .admin)
        return AskedHub(
            service: service,
            router: ControlRouter(service: service, defaultStructure: structure, name: "Hub", version: "1"),
            caller: try await service.authenticate(token))
    }

    private struct Forgetful: HubStore {
        func load() -> HubSnapshot { HubSnapshot() }
        func commit(_ changes: [StoreChange]) {}
        func close() {}
    }

    /// The Matter side of a home whose devices are all off.
    private struct Deaf: FabricOperator {
        private static let off = ControlError(.unavailable, "nobody answers", details: ["reason": "deviceUnreachable"])
        func commission(_ order: CommissionOrder, observer: any CommissionObserver) throws -> CommissionedNode {
            throw CommissionFailure(error: Self.off, condition: .untouched)
        }
        func settle(_ node: NodeID, address: String) -> SettleOutcome { .notOnFabric }
        func presence(of node: NodeID, address: String) -> NodePresence { .unreachable }
        func read(_ paths: [AttributePath], of node: NodeID) throws -> [AttributeReport] { throw Self.off }
        func write(_ write: AttributeWrite, to node: NodeID) throws { throw Self.off }
        func invoke(_ path: CommandPath, fields: TLVValue, timeout: UInt16?, on node: NodeID) throws -> InvokeOutcome {
            throw Self.off
        }
        func subscribe(to paths: [AttributePath], of node: NodeID) throws -> NodeFeed { throw Self.off }
        func unsubscribe(_ feed: Int, from node: NodeID) {}
        func openWindow(on node: NodeID, timeout: Duration) throws -> OpenedWindow { throw Self.off }
        func isReachable(_ node: NodeID) -> Bool? { nil }
        func run() {}
    }
}
