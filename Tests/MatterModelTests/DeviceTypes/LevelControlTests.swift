import MatterModel
import MatterWire
import Testing

@Suite("LevelControl with lighting (application clusters §1.6)")
struct LevelControlTests {
    private let light = ManyDevices.dimmable
    private static let onOffTime: UInt32 = 0x0010
    private static let onLevel: UInt32 = 0x0011

    /// Level and time in tenths; options as the mask and the override have them.
    private func to(_ level: UInt8, _ tenths: UInt16?, _ options: UInt8 = 0) -> TLVValue {
        .members(
            (0, .uint(level)), (1, tenths.map { .uint($0) } ?? .null), (2, .uint(options)), (3, .uint(options)))
    }

    private func move(_ isDown: Bool, _ rate: UInt8?) -> TLVValue {
        .members(
            (0, .uint(isDown ? 1 as UInt8 : 0)), (1, rate.map { .uint($0) } ?? .null), (2, .uint(0 as UInt8)),
            (3, .uint(0 as UInt8)))
    }

    private func step(_ isDown: Bool, _ size: UInt8, _ tenths: UInt16?) -> TLVValue {
        .members(
            (0, .uint(isDown ? 1 as UInt8 : 0)), (1, .uint(size)), (2, tenths.map { .uint($0) } ?? .null),
            (3, .uint(0 as UInt8)), (4, .uint(0 as UInt8)))
    }

    private let stop = TLVValue.members((0, .uint(0 as UInt8)), (1, .uint(0 as UInt8)))

    private func node(on: Bool = true) throws -> TestNode {
        var node = try ManyDevices.node()
        if on { #expect(node.send(.onOff, 1, to: light) == .success) }
        return node
    }

    private func level(_ node: inout TestNode) -> Int? { node.number(.levelControl, 0, light) }
    private func isOn(_ node: inout TestNode) -> Bool { node.value(.onOff, 0, light) == .bool(true) }

    @Test func `a level is reached at once, or evenly in its time`() throws {
        var node = try node()
        #expect(node.send(.levelControl, 0, to(100, 0), to: light) == .success)
        #expect(level(&node) == 100 && node.number(.levelControl, 1, light) == 0)
        #expect(node.send(.levelControl, 0, to(200, 100), to: light) == .success)
        #expect(level(&node) == 100 && node.number(.levelControl, 1, light) == 100)
        node.live(.seconds(5))
        #expect(level(&node) == 150 && node.number(.levelControl, 1, light) == 50)
        node.live(.seconds(5))
        #expect(level(&node) == 200 && node.number(.levelControl, 1, light) == 0)
        #expect(node.node.deadline == nil)
    }

    @Test func `a moving level is reported once a second and at its end`() throws {
        var node = try node()
        _ = node.node.takeEffects()
        _ = node.node.invoke(
            CommandPath(endpoint: .init(rawValue: light), cluster: .levelControl, command: .init(rawValue: 0)),
            fields: to(1, 25), context: node.admin())
        _ = node.node.takeEffects()
        var reports: [Duration] = []
        let start = node.now
        while let deadline = node.node.deadline, reports.count < 10 {
            node.now = deadline
            let effects = node.node.timerFired(now: deadline)
            if effects.contains(.attributeChanged(TestNode.path(.levelControl, 0, light))) {
                reports.append(start.duration(to: deadline))
            }
        }
        #expect(reports == [.seconds(1), .seconds(2), .milliseconds(2500)])
        #expect(level(&node) == 1)
    }

    @Test func `a level is cut to what the light can`() throws {
        var node = try node()
        #expect(node.send(.levelControl, 0, to(0, 0), to: light) == .success)
        #expect(level(&node) == 1)
        #expect(node.send(.levelControl, 0, to(255, 0), to: light) == .constraintError)
        #expect(node.send(.levelControl, 1, move(false, nil), to: light) == .success)
        #expect(level(&node) == 254)
        #expect(node.send(.levelControl, 2, step(true, 255, 0), to: light) == .success)
        #expect(level(&node) == 1)
    }

    @Test func `a light that is off takes only commands with on/off, unless the options say so`() throws {
        var node = try node(on: false)
        #expect(node.send(.levelControl, 0, to(9, 0), to: light) == .success)
        #expect(level(&node) == 254)
        #expect(node.send(.levelControl, 0, to(9, 0, 1), to: light) == .success)
        #expect(level(&node) == 9 && !isOn(&node))
        #expect(node.put(.levelControl, 0xF, .uint(1 as UInt8), on: light) == .success)
        #expect(node.send(.levelControl, 0, to(10, 0), to: light) == .success)
        #expect(level(&node) == 10 && !isOn(&node))
        #expect(node.send(.levelControl, 4, to(20, 0), to: light) == .success)
        #expect(level(&node) == 20 && isOn(&node))
    }

    @Test func `what is invalid is so for a light that is off`() throws {
        var node = try node(on: false)
        #expect(node.send(.levelControl, 1, move(false, 0), to: light) == .invalidCommand)
        #expect(node.send(.levelControl, 2, step(false, 0, 0), to: light) == .invalidCommand)
        #expect(node.send(.levelControl, 0, .members((0, .uint(9 as UInt8))), to: light) == .invalidCommand)
        #expect(node.send(.levelControl, 0, .members((0, .utf8("9"))), to: light) == .invalidCommand)
        #expect(node.send(.levelControl, 8, to: light) == .unsupportedCommand)
    }

    @Test func `the lowest level with on/off switches off at its end`() throws {
        var node = try node()
        #expect(node.send(.levelControl, 4, to(1, 20), to: light) == .success)
        node.live(.milliseconds(1900))
        #expect(isOn(&node))
        node.live(.milliseconds(100))
        #expect(!isOn(&node) && level(&node) == 1)
        #expect(node.send(.levelControl, 5, move(false, 100), to: light) == .success)
        #expect(isOn(&node))
        node.live(.milliseconds(1000))
        #expect(level(&node) == 101)
        #expect(node.send(.levelControl, 7, stop, to: light) == .success)
        node.live(.seconds(5))
        #expect(level(&node) == 101 && node.node.deadline == nil)
    }

    @Test func `move goes at its rate or the default one, step in its time`() throws {
        var node = try node()
        _ = node.send(.levelControl, 0, to(100, 0), to: light)
        #expect(node.send(.levelControl, 1, move(true, 10), to: light) == .success)
        node.live(.seconds(2))
        #expect(level(&node) == 80)
        #expect(node.send(.levelControl, 3, stop, to: light) == .success)
        #expect(node.put(.levelControl, 0x14, .uint(20 as UInt8), on: light) == .success)
        #expect(node.send(.levelControl, 1, move(false, nil), to: light) == .success)
        node.live(.seconds(1))
        #expect(level(&node) == 100)
        #expect(node.send(.levelControl, 2, step(false, 50, 10), to: light) == .success)
        node.live(.milliseconds(500))
        #expect(level(&node) == 125)
        node.live(.milliseconds(500))
        #expect(level(&node) == 150)
    }

    @Test func `on rises to the level that the light had, off falls from it`() throws {
        var node = try node()
        _ = node.send(.levelControl, 0, to(101, 0), to: light)
        #expect(node.put(.levelControl, Self.onOffTime, .uint(100 as UInt16), on: light) == .success)
        #expect(node.send(.onOff, 0, to: light) == .success)
        #expect(!isOn(&node) && level(&node) == 101)
        node.live(.seconds(5))
        #expect(level(&node) == 51)
        node.live(.seconds(5))
        #expect(level(&node) == 101)
        #expect(node.send(.onOff, 1, to: light) == .success)
        #expect(isOn(&node) && level(&node) == 1)
        node.live(.seconds(5))
        #expect(level(&node) == 51)
        // A light that is switched off and on while it fades remembers its level.
        _ = node.send(.levelControl, 0, to(200, 0), to: light)
        _ = node.send(.onOff, 0, to: light)
        node.live(.seconds(3))
        _ = node.send(.onOff, 1, to: light)
        node.live(.seconds(10))
        #expect(level(&node) == 200)
    }

    @Test func `on level is where a light goes on`() throws {
        var node = try node()
        #expect(node.put(.levelControl, Self.onLevel, .uint(77 as UInt8), on: light) == .success)
        #expect(node.put(.levelControl, Self.onLevel, .uint(0 as UInt8), on: light) == .constraintError)
        #expect(node.send(.onOff, 0, to: light) == .success)
        #expect(level(&node) == 1)
        #expect(node.send(.onOff, 2, to: light) == .success)
        #expect(level(&node) == 77)
    }

    @Test func `a timed on ends as off does`() throws {
        var node = try node(on: false)
        #expect(node.put(.levelControl, 0x13, .uint(10 as UInt16), on: light) == .success)
        let timed = TLVValue.members((0, .uint(0 as UInt8)), (1, .uint(20 as UInt16)), (2, .uint(0 as UInt16)))
        #expect(node.send(.onOff, 0x42, timed, to: light) == .success)
        node.live(.milliseconds(2500))
        #expect(!isOn(&node) && level(&node) == 128)
        node.live(.milliseconds(500))
        #expect(level(&node) == 254)
    }

    @Test(arguments: [(TLVValue.null, 100), (.uint(0 as UInt8), 1), (.uint(33 as UInt8), 33)])
    func `a restart gives the start-up level`(_ startUp: TLVValue, _ expected: Int) throws {
        var node = try node()
        _ = node.send(.levelControl, 0, to(100, 0), to: light)
        #expect(node.put(.levelControl, 0x4000, startUp, on: light) == .success)
        var restarted = try ManyDevices.node(restoring: node.node.snapshot())
        #expect(level(&restarted) == expected && isOn(&restarted))
    }

    @Test func `the world turns the dimmer`() throws {
        var node = try node()
        #expect(node.world(.levelControl, 0, .uint(12 as UInt8), at: light) == nil)
        #expect(level(&node) == 12)
        #expect(node.world(.levelControl, 0, .uint(0 as UInt8), at: light)?.contains("out of its limits") == true)
        #expect(node.world(.onOff, 0, .bool(false), at: light) == nil)
        #expect(!isOn(&node) && level(&node) == 12)
    }
}
