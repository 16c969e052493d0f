import MatterModel
import MatterWire
import Testing

@Suite("DoorLock (application clusters §5.2)")
struct DoorLockTests {
    private let lock = ManyDevices.lock
    private static let locked = 1
    private static let unlocked = 2

    private func state(_ node: inout TestNode) -> Int? { node.number(.doorLock, 0, lock) }

    @Test func `locks and unlocks in timed invokes only`() throws {
        var node = try ManyDevices.node()
        #expect(state(&node) == Self.locked)
        #expect(node.send(.doorLock, 1, to: lock) == .needsTimedInteraction)
        #expect(node.send(.doorLock, 1, to: lock, timed: true) == .success)
        #expect(state(&node) == Self.unlocked)
        #expect(node.takeEffects().contains(.persist))
        let code = TLVValue.members((0, .octets(Array("1234".utf8))))
        #expect(node.send(.doorLock, 0, code, to: lock, timed: true) == .success)
        #expect(state(&node) == Self.locked)
        #expect(node.send(.doorLock, 0, .members((0, .bool(true))), to: lock, timed: true) == .invalidCommand)
    }

    @Test func `locks again after its time`() throws {
        var node = try ManyDevices.node()
        #expect(node.send(.doorLock, 3, .members((0, .uint(5 as UInt16))), to: lock, timed: true) == .success)
        node.live(.milliseconds(4999))
        #expect(state(&node) == Self.unlocked)
        node.live(.milliseconds(1))
        #expect(state(&node) == Self.locked && node.node.deadline == nil)
        #expect(node.put(.doorLock, 0x23, .uint(3 as UInt32), on: lock) == .success)
        #expect(node.send(.doorLock, 1, to: lock, timed: true) == .success)
        node.live(.seconds(3))
        #expect(state(&node) == Self.locked)
        // Who locks or turns the key before, ends the time.
        #expect(node.send(.doorLock, 1, to: lock, timed: true) == .success)
        #expect(node.world(.doorLock, 0, .uint(2 as UInt8), at: lock) == nil)
        node.live(.seconds(9))
        #expect(state(&node) == Self.unlocked)
    }

    @Test func `fails when nobody may lock over the network, or the actuator is off`() throws {
        var node = try ManyDevices.node()
        #expect(node.put(.doorLock, 0x25, .uint(1 as UInt8), on: lock) == .constraintError)
        #expect(node.put(.doorLock, 0x25, .uint(3 as UInt8), on: lock) == .success)
        #expect(node.send(.doorLock, 1, to: lock, timed: true) == .failure)
        #expect(node.put(.doorLock, 0x25, .uint(0 as UInt8), on: lock) == .success)
        #expect(node.world(.doorLock, 2, .bool(false), at: lock) == nil)
        #expect(node.send(.doorLock, 1, to: lock, timed: true) == .failure)
        #expect(state(&node) == Self.locked)
    }

    @Test func `is as it was after a restart`() throws {
        var node = try ManyDevices.node()
        #expect(node.world(.doorLock, 0, .null, at: lock) == nil)
        var restarted = try ManyDevices.node(restoring: node.node.snapshot())
        #expect(restarted.value(.doorLock, 0, lock) == .null)
    }
}

@Suite("WindowCovering (application clusters §5.3)")
struct WindowCoveringTests {
    private let cover = ManyDevices.cover

    private func number(_ node: inout TestNode, _ attribute: UInt32) -> Int? {
        node.number(.windowCovering, attribute, cover)
    }

    private func position(_ node: inout TestNode) -> [Int?] {
        [number(&node, 0x0E), number(&node, 8), number(&node, 0x0B), number(&node, 0x0A)]
    }

    private func go(_ hundredths: Int) -> TLVValue { .members((0, .unsigned(UInt64(hundredths)))) }

    @Test func `travels, shows the way, and stops where it is told`() throws {
        var node = try ManyDevices.node()
        #expect(position(&node) == [0, 0, 0, 0])
        #expect(node.send(.windowCovering, 1, to: cover) == .success)
        node.live(.seconds(3))
        #expect(position(&node) == [3000, 30, 10_000, 0b1010])
        #expect(node.send(.windowCovering, 2, to: cover) == .success)
        node.live(.seconds(30))
        #expect(position(&node) == [3000, 30, 3000, 0])
        #expect(node.send(.windowCovering, 5, go(2000), to: cover) == .success)
        #expect(position(&node) == [3000, 30, 2000, 0b0101])
        node.live(.seconds(1))
        #expect(position(&node) == [2000, 20, 2000, 0])
        #expect(node.send(.windowCovering, 0, to: cover) == .success)
        node.live(.seconds(2))
        #expect(position(&node) == [0, 0, 0, 0] && node.node.deadline == nil)
        #expect(node.send(.windowCovering, 0, to: cover) == .success)
        #expect(position(&node) == [0, 0, 0, 0])
    }

    @Test func `refuses what is no percentage, and does nothing in maintenance`() throws {
        var node = try ManyDevices.node()
        #expect(node.send(.windowCovering, 5, go(10_001), to: cover) == .constraintError)
        #expect(node.send(.windowCovering, 5, to: cover) == .invalidCommand)
        #expect(node.put(.windowCovering, 0x17, .uint(4 as UInt8), on: cover) == .success)
        #expect(number(&node, 7) == 0b1000)
        #expect(node.send(.windowCovering, 1, to: cover) == .busy)
        #expect(node.put(.windowCovering, 0x17, .uint(2 as UInt8), on: cover) == .success)
        #expect(node.send(.windowCovering, 1, to: cover) == .failure)
        #expect(node.put(.windowCovering, 0x17, .uint(1 as UInt8), on: cover) == .success)
        #expect(number(&node, 7) == 0b1101)
        #expect(node.put(.windowCovering, 0x17, .uint(16 as UInt8), on: cover) == .constraintError)
    }

    @Test func `stands still after a restart, and can be pulled`() throws {
        var node = try ManyDevices.node()
        _ = node.send(.windowCovering, 1, to: cover)
        node.live(.seconds(4))
        var restarted = try ManyDevices.node(restoring: node.node.snapshot())
        #expect(position(&restarted) == [4000, 40, 4000, 0])
        #expect(node.world(.windowCovering, 0x0E, .uint(9900 as UInt16), at: cover) == nil)
        node.live(.seconds(4))
        #expect(position(&node) == [9900, 99, 9900, 0])
    }
}
