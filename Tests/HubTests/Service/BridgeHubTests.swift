import HubControl
import MatterNode
import MatterWire
import NetIO
import Testing
import VirtualHome

@testable import Hub

/// Service, store, controller and a virtual bridge together, down to the datagram.
@Suite("Hub and bridge", .timeLimit(.minutes(2))) struct BridgeHubTests {
    private let home: Home
    private let folder = TemporaryFolder()

    init() throws { home = try Home(.bridge, bridging: [.onOffLight, .dimmableLight, .onOffLight, .contactSensor]) }

    private func sets(_ label: String, on endpoint: UInt16, of bridge: Home.Light) async {
        let path = ConcreteAttributePath(
            endpoint: EndpointID(rawValue: endpoint), cluster: .bridgedDeviceBasicInformation,
            attribute: AttributeID(rawValue: 5))
        await withCheckedContinuation { continuation in
            bridge.node.worldSets(path, to: .utf8(label)) { _ in continuation.resume() }
        }
    }

    @Test func `every bridged endpoint is a device, with its own label, and acts for itself`() async throws {
        try await home.withLight { bridge in
            await sets("Hall", on: 3, of: bridge)
            await sets("", on: 4, of: bridge)
            try await LightHub.run(home, in: folder) { hub in
                try await hub.prepare()
                _ = try await hub.commission("a")
                try await hub.service.configure(by: hub.caller, deviceName: "Attic", roomName: nil)
                let ids = try await hub.service.complete(by: hub.caller, clientKey: "a")["deviceIds"]?.array ?? []
                let devices = await hub.devices.sorted { $0.endpoint.endpoint.rawValue < $1.endpoint.endpoint.rawValue }
                #expect(devices.map(\.endpoint.endpoint.rawValue) == [2, 3, 4, 5])
                #expect(Set(ids.compactMap(\.string)) == Set(devices.map(\.id.text)))
                #expect(devices.map(\.name) == ["Light", "Hall", "Attic", "Contact sensor"])
                #expect(devices.map(\.endpoint.deviceTypes.first) == [0x0100, 0x0101, 0x0100, 0x0015])
                for device in devices {
                    let json = await hub.service.json(of: device)
                    #expect(json["bridged"] == true && json["productName"] == "MatterHub Bridge")
                }
                let toggle = CommandPath(
                    endpoint: devices[1].endpoint.endpoint, cluster: .onOff, command: CommandID(rawValue: 2))
                _ = try await hub.service.invoke(
                    toggle, fields: .structure([]), timeout: nil, on: devices[1].id, by: hub.caller)
                func isOn(_ endpoint: UInt16) async -> Bool {
                    let path = ConcreteAttributePath(
                        endpoint: EndpointID(rawValue: endpoint), cluster: .onOff, attribute: AttributeID(rawValue: 0))
                    return await bridge.node.value(of: path) == .bool(true)
                }
                #expect(await [isOn(2), isOn(3), isOn(4)] == [false, true, false])
            }
        }
    }

    @Test func `naming and moving one leaves the others, removing one takes the bridge`() async throws {
        try await home.withLight { bridge in
            try await LightHub.run(home, in: folder) { hub in
                let first = try await hub.addLight("a")
                let others = Set(await hub.devices.map(\.id)).subtracting([first])
                let room = try await hub.service.createRoom(named: "Cellar", by: hub.caller)
                _ = try await hub.service.rename(first, to: "Lamp", by: hub.caller)
                _ = try await hub.service.move(first, to: room.id, by: hub.caller)
                #expect(await hub.devices.filter { $0.name == "Lamp" }.map(\.id) == [first])
                #expect(await hub.devices.filter { $0.room != nil }.map(\.id) == [first])
                let (removed, orphaned) = try await hub.service.remove(first, force: false, by: hub.caller)
                #expect(Set(removed) == others.union([first]) && orphaned.isEmpty)
                #expect(await hub.devices.isEmpty)
                #expect(await hub.nodes.isEmpty)
                #expect(await bridge.isFresh)
                // What was removed can come back, with new ids.
                let again = try await hub.addLight("b")
                #expect(!others.union([first]).contains(again))
            }
        }
    }

    @Test func `a bridge with nothing behind it is one device`() async throws {
        let home = try Home(.bridge, bridging: [])
        try await home.withLight { _ in
            try await LightHub.run(home, in: folder) { hub in
                _ = try await hub.addLight("a")
                #expect(await hub.devices.map(\.name) == ["MatterHub Bridge"])
                #expect(await hub.devices.map(\.endpoint.isBridged) == [false])
            }
        }
    }
}
