import MatterCrypto
import MatterWire
import TestSupport
import Testing

@testable import MatterProtocol

@Suite("PASE and CASE between two nodes (Core §4.14)")
struct PairTests {
    static let passcode: UInt32 = 20_202_021
    static let deviceNode = NodeID(rawValue: 0x1234)
    static let adminNode = NodeID(rawValue: 0x1)

    /// Bad links: they lose, delay, reorder and repeat.
    static let badLinks: [VirtualNetwork.Conditions] = [
        .init(latency: .milliseconds(1) ... .milliseconds(5)),
        .init(latency: .milliseconds(5) ... .milliseconds(700)),
        .init(latency: .milliseconds(1) ... .milliseconds(40), loss: 0.15, duplication: 0.2),
        .init(latency: .milliseconds(1) ... .milliseconds(400), loss: 0.1, duplication: 0.5),
    ]

    /// PASE, an exchange in it, CASE, an exchange in that.
    private func runAll(seed: UInt64, conditions: VirtualNetwork.Conditions) throws -> Pair {
        let fabric = try TestFabric(seed: seed)
        var pair = Pair(seed: seed, conditions: conditions)
        try pair.device.openWindow(passcode: Self.passcode)
        pair.device.server.fabrics = [try fabric.member(Self.deviceNode.rawValue, index: 2)]
        try pair.commissioner.startPASE(with: pair.device.address, passcode: Self.passcode, now: pair.now)
        guard pair.run(until: { $0.commissioner.established.count == 1 }) else { return pair }
        let pase = pair.commissioner.established[0].handle
        try pair.commissioner.ask([0x15, 0x18], on: pase, now: pair.now)
        guard pair.run(until: { $0.commissioner.received.count == 1 }) else { return pair }
        try pair.commissioner.startCASE(
            with: pair.device.address, fabric: try fabric.member(Self.adminNode.rawValue), node: Self.deviceNode,
            wallClock: EpochSeconds(rawValue: 1000), now: pair.now)
        guard pair.run(until: { $0.commissioner.established.count == 2 }) else { return pair }
        let operational = pair.commissioner.established[1].handle
        try pair.commissioner.ask([0x15, 0x24, 1, 2, 0x18], on: operational, now: pair.now)
        pair.run()
        return pair
    }

    @Test func `a quiet link carries everything with the fewest datagrams`() throws {
        let pair = try runAll(seed: 1, conditions: .perfect)
        try check(pair)
        // PASE has 6 messages, CASE 4, an exchange 2; the last message of each wants one acknowledgement alone.
        #expect(pair.network.sentCount == (6 + 1) + (4 + 1) + 2 * (2 + 1), pair.trace)
        #expect(pair.now.sinceStart < .seconds(1))
    }

    @Test(arguments: badLinks.indices, UInt64(1)...12)
    func `a bad link carries everything too`(link: Int, seed: UInt64) throws {
        try check(try runAll(seed: seed, conditions: Self.badLinks[link]))
    }

    /// Eight requests at once in each direction, as many as fit one window with their answers and acknowledgements:
    /// each is seen once, and each gets its own answer, once.
    @Test(arguments: UInt64(1)...24)
    func `many exchanges at once keep apart`(seed: UInt64) throws {
        let link = VirtualNetwork.Conditions(
            latency: .milliseconds(1) ... .milliseconds(300), loss: 0.08, duplication: 0.02)
        var pair = try requestsBothWays(count: 8, seed: seed, conditions: link)
        let payloads = Set((0..<8).map(Self.payload))
        for node in [pair.commissioner, pair.device] {
            #expect(node.received.count == 8 && Set(node.received.map(\.payload)) == payloads, pair.trace)
            #expect(node.opened.count == 8 && Set(node.opened.map(\.payload)) == payloads, pair.trace)
            #expect(node.layer.exchanges.isEmpty && node.layer.timers.count == 0, pair.trace)
        }
        pair.run()
        #expect(pair.commissioner.deadline == nil && pair.device.deadline == nil)
    }

    /// Far more than fit: some get no answer, but nothing comes twice, nothing is mixed up, and nothing stays behind.
    @Test(arguments: UInt64(1)...12)
    func `an overload loses requests, and nothing else`(seed: UInt64) throws {
        let link = VirtualNetwork.Conditions(
            latency: .milliseconds(1) ... .milliseconds(300), loss: 0.1, duplication: 0.3)
        var pair = try requestsBothWays(count: 60, seed: seed, conditions: link)
        // What got no answer in its time is closed by its owner.
        pair.commissioner.closeAll(now: pair.now)
        pair.device.closeAll(now: pair.now)
        pair.run()
        for node in [pair.commissioner, pair.device] {
            #expect(Set(node.received.map(\.payload)).count == node.received.count, pair.trace)
            #expect(Set(node.opened.map(\.payload)).count == node.opened.count, pair.trace)
            #expect(node.received.count >= 30, pair.trace)
            #expect(node.layer.exchanges.isEmpty && node.layer.timers.count == 0, pair.trace)
        }
    }

    private static func payload(_ number: Int) -> [UInt8] { [0x15, 0x24, 0, UInt8(number), 0x18] }

    private func requestsBothWays(
        count: Int, seed: UInt64, conditions: VirtualNetwork.Conditions
    ) throws -> Pair {
        var pair = Pair(seed: seed, conditions: conditions)
        try pair.device.openWindow(passcode: Self.passcode)
        try pair.commissioner.startPASE(with: pair.device.address, passcode: Self.passcode, now: pair.now)
        pair.run { $0.commissioner.established.count == 1 && $0.device.established.count == 1 }
        let ours = try #require(pair.commissioner.established.first, pair.trace).handle
        let theirs = try #require(pair.device.established.first, pair.trace).handle
        for number in 0..<count {
            try pair.commissioner.ask(Self.payload(number), on: ours, now: pair.now)
            try pair.device.ask(Self.payload(number), on: theirs, now: pair.now)
        }
        pair.run()
        return pair
    }

    private func check(_ pair: Pair) throws {
        try #require(pair.commissioner.established.count == 2, pair.trace)
        #expect(pair.commissioner.handshakeFailures.isEmpty && pair.device.handshakeFailures.isEmpty, pair.trace)
        let payloads: [[UInt8]] = [[0x15, 0x18], [0x15, 0x24, 1, 2, 0x18]]
        #expect(pair.commissioner.received.map(\.payload) == payloads, pair.trace)
        #expect(pair.device.opened.map(\.payload) == payloads, pair.trace)
        for index in 0..<2 {
            let ours = pair.commissioner.established[index].session
            let theirs = pair.device.established[index].session
            #expect(ours.kind == (index == 0 ? .pase : .case) && ours.kind == theirs.kind)
            #expect(ours.initiatorToResponderKey == theirs.initiatorToResponderKey)
            #expect(ours.responderToInitiatorKey == theirs.responderToInitiatorKey)
            #expect(ours.attestationChallenge == theirs.attestationChallenge)
            #expect(ours.localSessionID == theirs.peerSessionID && ours.peerSessionID == theirs.localSessionID)
            #expect(ours.isInitiator && !theirs.isInitiator)
        }
        let ours = pair.commissioner.established[1].session
        let theirs = pair.device.established[1].session
        #expect(ours.localNode == Self.adminNode && ours.peerNode == Self.deviceNode)
        #expect(theirs.localNode == Self.deviceNode && theirs.peerNode == Self.adminNode)
        #expect(ours.fabricIndex.rawValue == 1 && theirs.fabricIndex.rawValue == 2)
        #expect(pair.commissioner.deadline == nil && pair.device.deadline == nil, pair.trace)
        #expect(pair.commissioner.layer.exchanges.isEmpty && pair.device.layer.exchanges.isEmpty, pair.trace)
    }

    @Test func `peers use each other's timing`() throws {
        let parameters = SessionParameters(
            idleInterval: 800, activeInterval: 350, activeThreshold: 5000, maxPathsPerInvoke: 9)
        var pair = Pair(deviceParameters: parameters)
        try pair.device.openWindow(passcode: Self.passcode)
        try pair.commissioner.startPASE(with: pair.device.address, passcode: Self.passcode, now: pair.now)
        let isDone = pair.run(until: { $0.commissioner.established.count == 1 })
        #expect(isDone, pair.trace)
        let session = try #require(pair.commissioner.established.first)
        #expect(session.session.peerTiming == MRPParameters(parameters))
        #expect(session.session.maxPathsPerInvoke == 9)
        #expect(pair.commissioner.layer.session(session.handle)?.peerTiming == MRPParameters(parameters))
        #expect(pair.device.established.first?.session.peerTiming == MRPParameters())
        #expect(pair.device.established.first?.session.maxPathsPerInvoke == 1)
    }
}

/// Whether a datagram is an unsecured message of the secure channel with this opcode.
func isOpcode(_ opcode: SecureChannelOpcode, _ bytes: [UInt8]) -> Bool {
    var reader = ByteReader(bytes)
    guard let header = try? MessageHeader(decoding: &reader), header.isUnsecured,
        let message = try? ProtocolHeader(decoding: &reader)
    else { return false }
    return message.protocolID == .secureChannel && message.opcode == opcode.rawValue
}
