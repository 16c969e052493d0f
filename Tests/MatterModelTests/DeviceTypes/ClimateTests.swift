import MatterModel
import MatterWire
import Testing

@Suite("Thermostat (application clusters §4.3)")
struct ThermostatTests {
    private let room = ManyDevices.thermostat
    private static let cooling: UInt32 = 0x11
    private static let heating: UInt32 = 0x12

    private func setpoints(_ node: inout TestNode) -> [Int?] {
        [Self.heating, Self.cooling].map { node.number(.thermostat, $0, room) }
    }

    private func raise(_ mode: UInt8, _ tenths: Int64) -> TLVValue { .members((0, .uint(mode)), (1, .signed(tenths))) }

    private func put(_ node: inout TestNode, _ attribute: UInt32, _ value: Int64) -> InteractionStatus {
        node.put(.thermostat, attribute, .signed(value), on: room)
    }

    @Test func `setpoints lie within their limits`() throws {
        var node = try ManyDevices.node()
        #expect(setpoints(&node) == [2000, 2600])
        #expect(put(&node, Self.heating, 2150) == .success)
        #expect(put(&node, Self.heating, 3001) == .constraintError)
        #expect(put(&node, Self.heating, 699) == .constraintError)
        #expect(put(&node, Self.cooling, 3201) == .constraintError)
        #expect(node.put(.thermostat, Self.heating, .uint(2150 as UInt16), on: room) == .invalidDataType)
        #expect(setpoints(&node) == [2150, 2600])
    }

    @Test func `a setpoint pushes the other one away by the dead band`() throws {
        var node = try ManyDevices.node()
        #expect(put(&node, Self.heating, 2500) == .success)
        #expect(setpoints(&node) == [2500, 2700])
        #expect(put(&node, Self.cooling, 1800) == .success)
        #expect(setpoints(&node) == [1600, 1800])
        #expect(put(&node, Self.cooling, 1600) == .success)
        #expect(setpoints(&node) == [1400, 1600])
        #expect(put(&node, Self.heating, 3000) == .success)
        #expect(setpoints(&node) == [3000, 3200])
    }

    @Test func `raise and lower stop at the limits`() throws {
        var node = try ManyDevices.node()
        #expect(node.send(.thermostat, 0, raise(0, 15), to: room) == .success)
        #expect(setpoints(&node) == [2150, 2600])
        #expect(node.send(.thermostat, 0, raise(1, -60), to: room) == .success)
        #expect(setpoints(&node) == [1800, 2000])
        #expect(node.send(.thermostat, 0, raise(2, 127), to: room) == .success)
        #expect(setpoints(&node) == [3000, 3200])
        #expect(node.send(.thermostat, 0, raise(0, -128), to: room) == .success)
        #expect(node.send(.thermostat, 0, raise(0, -128), to: room) == .success)
        #expect(setpoints(&node) == [700, 3200])
        #expect(node.send(.thermostat, 0, raise(3, 1), to: room) == .constraintError)
        #expect(node.send(.thermostat, 0, .members((0, .uint(0 as UInt8))), to: room) == .invalidCommand)
    }

    @Test func `limits fit each other, and setpoints follow them`() throws {
        var node = try ManyDevices.node()
        #expect(put(&node, 0x15, 600) == .constraintError)
        #expect(put(&node, 0x15, 3001) == .constraintError)
        #expect(put(&node, 0x16, 1900) == .success)
        #expect(setpoints(&node) == [1900, 2600])
        #expect(put(&node, 0x17, 2700) == .success)
        #expect(setpoints(&node) == [1900, 2700])
        #expect(put(&node, 0x18, 2000) == .constraintError)
        #expect(put(&node, 0x19, 127) == .success)
        #expect(setpoints(&node) == [1900, 3170])
        #expect(put(&node, 0x19, 128) == .constraintError)
    }

    @Test func `modes fit the sequence of operation`() throws {
        var node = try ManyDevices.node()
        func mode(_ node: inout TestNode, _ mode: UInt8) -> InteractionStatus {
            node.put(.thermostat, 0x1C, .uint(mode), on: room)
        }
        #expect(mode(&node, 1) == .success)
        #expect(mode(&node, 5) == .constraintError)
        #expect(node.put(.thermostat, 0x1B, .uint(1 as UInt8), on: room) == .constraintError)
        #expect(node.put(.thermostat, 0x1B, .uint(2 as UInt8), on: room) == .success)
        #expect(node.number(.thermostat, 0x1C, room) == 0)
        #expect(mode(&node, 3) == .constraintError)
        #expect(mode(&node, 4) == .success)
    }

    @Test func `shows what it does about the temperature`() throws {
        var node = try ManyDevices.node()
        func running(_ node: inout TestNode) -> [Int?] {
            [node.number(.thermostat, 0x1E, room), node.number(.thermostat, 0x29, room)]
        }
        #expect(node.put(.thermostat, 0x1C, .uint(1 as UInt8), on: room) == .success)
        #expect(running(&node) == [0, 0])
        #expect(node.world(.thermostat, 0, .signed(1850), at: room) == nil)
        #expect(running(&node) == [4, 1])
        var restarted = try ManyDevices.node(restoring: node.node.snapshot())
        #expect(running(&restarted) == [4, 1])
        #expect(node.world(.thermostat, 0, .signed(2700), at: room) == nil)
        #expect(running(&node) == [3, 2])
        #expect(put(&node, Self.cooling, 2750) == .success)
        #expect(running(&node) == [0, 0])
        #expect(node.world(.thermostat, 0, .null, at: room) == nil)
        #expect(running(&node) == [0, 0])
        #expect(node.world(.thermostat, 0, .signed(-30_000), at: room)?.contains("-27315 to 32767") == true)
        #expect(node.world(.thermostat, Self.heating, .signed(100), at: room)?.contains("limits") == true)
    }
}

@Suite("FanControl (application clusters §4.4)")
struct FanControlTests {
    private let fan = ManyDevices.fan

    /// Mode, percent setting, percent, speed setting, speed; -1 for null.
    private func state(_ node: inout TestNode) -> [Int] {
        [0, 2, 3, 5, 6].map { node.number(.fanControl, $0, fan) ?? -1 }
    }

    @Test func `mode, percent and speed are one setting`() throws {
        var node = try ManyDevices.node()
        func put(_ attribute: UInt32, _ value: UInt8) -> InteractionStatus {
            node.put(.fanControl, attribute, .uint(value), on: fan)
        }
        #expect(state(&node) == [0, 0, 0, 0, 0])
        #expect(put(0, 3) == .success)
        #expect(state(&node) == [3, 100, 100, 10, 10])
        #expect(put(2, 25) == .success)
        #expect(state(&node) == [1, 25, 25, 3, 3])
        #expect(put(5, 5) == .success)
        #expect(state(&node) == [2, 50, 50, 5, 5])
        #expect(put(0, 5) == .success)
        #expect(state(&node) == [5, -1, 50, -1, 5])
        var restarted = try ManyDevices.node(restoring: node.node.snapshot())
        #expect(state(&restarted) == [5, -1, 50, -1, 5])
        #expect(put(0, 4) == .success)
        #expect(state(&node) == [3, 100, 100, 10, 10])
        #expect(put(2, 0) == .success)
        #expect(state(&node) == [0, 0, 0, 0, 0])
        #expect(put(0, 7) == .constraintError)
        #expect(put(2, 101) == .constraintError)
        #expect(put(5, 11) == .constraintError)
        #expect(node.put(.fanControl, 2, .null, on: fan) == .invalidInState)
        #expect(node.put(.fanControl, 0, .null, on: fan) == .invalidDataType)
    }

    @Test func `steps from speed to speed, and round when asked`() throws {
        var node = try ManyDevices.node()
        func step(_ down: Bool, wrap: Bool? = nil, lowestOff: Bool? = nil) -> Int? {
            let fields = TLVValue.members(
                (0, .uint(down ? 1 as UInt8 : 0)), (1, wrap.map { .bool($0) }), (2, lowestOff.map { .bool($0) }))
            #expect(node.send(.fanControl, 0, fields, to: fan) == .success)
            return node.number(.fanControl, 6, fan)
        }
        #expect(step(false) == 1)
        #expect(step(true, lowestOff: false) == 1)
        #expect(step(true) == 0)
        #expect(step(true) == 0)
        #expect(step(true, wrap: true) == 10)
        #expect(step(false) == 10)
        #expect(step(false, wrap: true, lowestOff: false) == 1)
        #expect(step(true, wrap: true, lowestOff: true) == 0)
    }
}
