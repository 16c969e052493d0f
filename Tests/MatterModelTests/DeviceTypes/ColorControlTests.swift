import MatterModel
import MatterWire
import Testing

@Suite("ColorControl (application clusters §3.2)")
struct ColorControlTests {
    private let light = ManyDevices.color
    private static let hue: UInt32 = 0
    private static let saturation: UInt32 = 1
    private static let remaining: UInt32 = 2
    private static let mireds: UInt32 = 7
    private static let mode: UInt32 = 8

    /// Numbers in the order of their tags, and the two option fields after them.
    private func fields(_ numbers: Int..., options: UInt8 = 0, signed: Bool = false) -> TLVValue {
        var members = numbers.enumerated().map { index, number in
            TLVElement(UInt8(index), signed && index < 2 ? .signed(Int64(number)) : .unsigned(UInt64(number)))
        }
        members.append(TLVElement(UInt8(numbers.count), .uint(options)))
        members.append(TLVElement(UInt8(numbers.count + 1), .uint(options)))
        return .structure(members)
    }

    private func node(on: Bool = true) throws -> TestNode {
        var node = try ManyDevices.node()
        if on { _ = node.send(.onOff, 1, to: light) }
        return node
    }

    private func number(_ node: inout TestNode, _ attribute: UInt32) -> Int? {
        node.number(.colorControl, attribute, light)
    }

    @discardableResult
    private func send(_ node: inout TestNode, _ command: UInt32, _ fields: TLVValue) -> InteractionStatus? {
        node.send(.colorControl, command, fields, to: light)
    }

    @Test func `colour temperature moves, steps, stops, and stays in its range`() throws {
        var node = try node()
        #expect(send(&node, 0x0A, fields(200, 0)) == .success)
        #expect(number(&node, Self.mireds) == 200 && number(&node, Self.mode) == 2)
        #expect(send(&node, 0x0A, fields(1000, 0)) == .success)
        #expect(number(&node, Self.mireds) == 500)
        #expect(send(&node, 0x0A, fields(300, 20)) == .success)
        node.live(.seconds(1))
        #expect(number(&node, Self.mireds) == 400 && number(&node, Self.remaining) == 10)
        #expect(send(&node, 0x47, fields()) == .success)
        node.live(.seconds(9))
        #expect(number(&node, Self.mireds) == 400 && number(&node, Self.remaining) == 0)
        #expect(send(&node, 0x4C, fields(3, 50, 0, 0, 0)) == .success)
        #expect(number(&node, Self.mireds) == 350)
        #expect(send(&node, 0x4B, fields(1, 10, 0, 380)) == .success)
        node.live(.seconds(9))
        #expect(number(&node, Self.mireds) == 380)
        #expect(send(&node, 0x4B, fields(0, 0, 0, 0)) == .success)
        #expect(send(&node, 0x4B, fields(1, 0, 0, 0)) == .invalidCommand)
        #expect(send(&node, 0x4B, fields(2, 1, 0, 0)) == .constraintError)
        #expect(send(&node, 0x4C, fields(1, 1, 0, 400, 300)) == .constraintError)
        #expect(send(&node, 0x4C, fields(0, 1, 0, 0, 0)) == .constraintError)
    }

    /// From hue 250 to hue 10: 15 up, or 240 down.
    @Test(arguments: [(0, 250 + 7), (1, 250 - 120), (2, 250 + 7), (3, 250 - 120)])
    func `hue goes round the way that the direction says`(_ direction: Int, _ half: Int) throws {
        var node = try node()
        #expect(send(&node, 0x00, fields(250, 2, 0)) == .success)
        #expect(send(&node, 0x00, fields(10, direction, 20)) == .success)
        node.live(.seconds(1))
        #expect(number(&node, Self.hue) == half % 255 && number(&node, Self.mode) == 0)
        node.live(.seconds(1))
        #expect(number(&node, Self.hue) == 10 && node.node.deadline == nil)
    }

    @Test func `hue turns until it is stopped, and steps over zero`() throws {
        var node = try node()
        _ = send(&node, 0x00, fields(200, 0, 0))
        #expect(send(&node, 0x01, fields(1, 50)) == .success)
        node.live(.seconds(2))
        #expect(number(&node, Self.hue) == 45 && number(&node, Self.remaining) == 0xFFFF)
        node.live(.seconds(60))
        #expect(number(&node, Self.hue) == (200 + 62 * 50) % 255)
        #expect(send(&node, 0x01, fields(0, 0)) == .success)
        node.live(.seconds(5))
        #expect(number(&node, Self.hue) == (200 + 62 * 50) % 255 && number(&node, Self.remaining) == 0)
        _ = send(&node, 0x00, fields(5, 0, 0))
        #expect(send(&node, 0x02, fields(3, 10, 0)) == .success)
        #expect(number(&node, Self.hue) == 250)
        #expect(send(&node, 0x02, fields(1, 10, 10)) == .success)
        node.live(.seconds(1))
        #expect(number(&node, Self.hue) == 5)
        #expect(send(&node, 0x02, fields(1, 0, 0)) == .invalidCommand)
        #expect(send(&node, 0x02, fields(0, 1, 0)) == .constraintError)
        #expect(send(&node, 0x00, fields(255, 0, 0)) == .constraintError)
        #expect(send(&node, 0x00, fields(1, 4, 0)) == .constraintError)
    }

    @Test func `saturation moves within its range, and both together`() throws {
        var node = try node()
        #expect(send(&node, 0x03, fields(100, 0)) == .success)
        #expect(send(&node, 0x04, fields(3, 60)) == .success)
        node.live(.seconds(1))
        #expect(number(&node, Self.saturation) == 40)
        node.live(.seconds(1))
        #expect(number(&node, Self.saturation) == 0)
        #expect(send(&node, 0x05, fields(1, 255, 0)) == .success)
        #expect(number(&node, Self.saturation) == 254)
        #expect(send(&node, 0x06, fields(20, 154, 10)) == .success)
        node.live(.milliseconds(500))
        #expect(number(&node, Self.hue) == 10 && number(&node, Self.saturation) == 204)
        node.live(.milliseconds(500))
        #expect(number(&node, Self.hue) == 20 && number(&node, Self.saturation) == 154)
    }

    @Test func `xy moves to, at and by`() throws {
        var node = try node()
        #expect(send(&node, 0x07, fields(1000, 2000, 0)) == .success)
        #expect(number(&node, 3) == 1000 && number(&node, 4) == 2000 && number(&node, Self.mode) == 1)
        #expect(send(&node, 0x08, fields(100, -100, signed: true)) == .success)
        node.live(.seconds(2))
        #expect(number(&node, 3) == 1200 && number(&node, 4) == 1800)
        #expect(send(&node, 0x08, fields(0, 0, signed: true)) == .success)
        node.live(.seconds(2))
        #expect(number(&node, 3) == 1200)
        #expect(send(&node, 0x09, fields(-2000, 10, 0, signed: true)) == .success)
        #expect(number(&node, 3) == 0 && number(&node, 4) == 1810)
        #expect(send(&node, 0x09, fields(0, 0, 0, signed: true)) == .invalidCommand)
        #expect(send(&node, 0x07, fields(0xFF00, 0, 0)) == .constraintError)
    }

    @Test func `a light that is off keeps its colour, unless the options say so`() throws {
        var node = try node(on: false)
        #expect(send(&node, 0x0A, fields(200, 0)) == .success)
        #expect(number(&node, Self.mireds) == 370)
        #expect(send(&node, 0x0A, fields(200, 0, options: 1)) == .success)
        #expect(number(&node, Self.mireds) == 200)
    }

    @Test func `a white light takes no hue`() throws {
        var node = try node()
        #expect(node.send(.colorControl, 0, fields(1, 0, 0), to: ManyDevices.white) == .unsupportedCommand)
        #expect(node.value(.colorControl, 0xFFFC, ManyDevices.white) == .uint(0x10 as UInt32))
    }

    @Test func `a coupled light gets warmer as it gets darker`() throws {
        var node = try node()
        _ = send(&node, 0x0A, fields(200, 0))
        #expect(node.put(.levelControl, 0x0F, .uint(2 as UInt8), on: light) == .success)
        let dark = TLVValue.members((0, .uint(1 as UInt8)), (1, .null), (2, .uint(0 as UInt8)), (3, .uint(0 as UInt8)))
        #expect(node.send(.levelControl, 0, dark, to: light) == .success)
        #expect(number(&node, Self.mireds) == 500)
        #expect(node.world(.levelControl, 0, .uint(254 as UInt8), at: light) == nil)
        #expect(number(&node, Self.mireds) == 153)
    }

    @Test func `a restart gives the start-up temperature`() throws {
        var node = try node()
        _ = send(&node, 0x00, fields(9, 0, 0))
        var restarted = try ManyDevices.node(restoring: node.node.snapshot())
        #expect(number(&restarted, Self.hue) == 9 && number(&restarted, Self.mode) == 0)
        #expect(node.put(.colorControl, 0x4010, .uint(100 as UInt16), on: light) == .success)
        restarted = try ManyDevices.node(restoring: node.node.snapshot())
        #expect(number(&restarted, Self.mireds) == 153 && number(&restarted, Self.mode) == 2)
    }

    @Test func `the world picks a colour`() throws {
        var node = try node()
        #expect(node.world(.colorControl, Self.mireds, .uint(160 as UInt16), at: light) == nil)
        #expect(number(&node, Self.mireds) == 160 && number(&node, Self.mode) == 2)
        #expect(node.world(.colorControl, Self.mireds, .uint(100 as UInt16), at: light) != nil)
        #expect(node.world(.colorControl, Self.hue, .uint(3 as UInt8), at: light) == nil)
        #expect(number(&node, Self.mode) == 0)
        #expect(node.world(.colorControl, Self.mode, .uint(1 as UInt8), at: light)?.contains("works it out") == true)
    }
}
