import Foundation
import HubControl
import MatterProtocol
import MatterWire
import NetIO
import TestSupport
import Testing
import VirtualHome

@testable import MatterCapture
@testable import MatterNode

/// What one node told of its traffic, in memory.
private final class Recorded: Sendable {
    let packets = Locked<[CapturedPacket]>([])
    let keys = Locked<[SessionKeys]>([])
    private let marks = Locked<[StageMark]>([])
    private let time = Locked<Int64>(1_796_040_000_000_000)
    private let port: UInt16

    init(port: UInt16) { self.port = port }

    private func tick() -> Int64 {
        time.withLock { time in
            time += 1000
            return time
        }
    }

    var observer: TrafficObserver {
        TrafficObserver(
            datagram: { bytes, isOutbound, peer in
                let own = MemoryNetwork.address(self.port)
                let packet = UDPPacket(
                    source: isOutbound ? own : peer, destination: isOutbound ? peer : own, payload: bytes)
                let marks = self.marks.withLock { marks in
                    defer { marks = [] }
                    return marks
                }
                self.packets.withLock {
                    $0.append(
                        CapturedPacket(
                            microseconds: self.tick(), link: .raw, bytes: packet.encoded,
                            direction: isOutbound ? .outbound : .inbound, comments: marks.map(\.comment)))
                }
            },
            session: { session in self.keys.withLock { $0.append(SessionKeys(session, microseconds: self.tick())) } },
            stage: { stage in
                self.marks.withLock { $0.append(StageMark(stage: stage, microseconds: self.tick())) }
            })
    }

    func decoded(keys: [SessionKeys]? = nil) -> CaptureDecoder {
        var decoder = CaptureDecoder(keys: keys ?? self.keys.withLock { $0 })
        decoder.decode(packets.withLock { $0 })
        return decoder
    }
}

@Suite("Captures of a commissioning", .timeLimit(.minutes(1))) struct CommissioningCaptureTests {
    /// A light that is commissioned, switched and read; both sides captured.
    private static func run(
        _ conditions: VirtualNetwork.Conditions? = nil
    ) async throws -> (controller: Recorded, device: Recorded) {
        let home = try Home()
        let (controller, device) = (Recorded(port: 41), Recorded(port: Home.devicePort))
        try await home.withLight(traffic: device.observer) { light in
            try await home.withController(port: 41, traffic: controller.observer) { node in
                func work() async throws {
                    let task = Task { await node.commission(home.order(0x77), observer: StageObserver()) }
                    let outcome = await home.outcome(of: task)
                    _ = try #require(outcome.report, "\(outcome)")
                }
                if let conditions {
                    try await home.network.suffer(conditions, seed: 5, clock: home.driverClock, work)
                } else {
                    try await work()
                    _ = try await node.invoke(home.command(1), on: NodeID(rawValue: 0x77))
                }
            }
        }
        return (controller, device)
    }

    @Test func `both sides' captures are decrypted, whole, and have the same messages`() async throws {
        let (controller, device) = try await Self.run()
        for side in [controller, device] {
            let decoder = side.decoded()
            #expect(decoder.skipped == CaptureDecoder.Skipped())
            #expect(decoder.messages.count == side.packets.withLock { $0.count })
            #expect(decoder.messages.allSatisfy { $0.inner != nil && $0.direction != nil })
        }
        let (mine, theirs) = (controller.decoded().messages, device.decoded().messages)
        // Nothing is lost here, so one sent what the other got; either key file opens either capture.
        for (sent, got) in [(mine, theirs), (theirs, mine)] {
            let ways = Set(sent.filter { $0.direction == .outbound }.map(\.plain))
            #expect(got.filter { $0.direction == .inbound }.allSatisfy { ways.contains($0.plain) })
        }
        let crossed = controller.decoded(keys: device.keys.withLock { $0 })
        #expect(crossed.messages.map(\.plain) == mine.map(\.plain))
        let names = mine.map(MessageText.name)
        for name in [
            "PBKDFParamRequest", "PBKDFParamResponse", "Pake1", "Pake2", "Pake3", "StatusReport", "ReadRequest",
            "ReportData", "InvokeRequest", "InvokeResponse", "Sigma1", "Sigma2", "Sigma3", "StandaloneAck",
        ] {
            #expect(names.contains(name), "\(name)")
        }
    }

    @Test func `every stage has its time, from the commissioner's remarks or from the messages alone`() async throws {
        let (controller, device) = try await Self.run()
        let own = CommissioningTimeline.all(in: controller.decoded().messages)
        #expect(own.count == 1 && own[0].isComplete)
        #expect(own[0].spans.map(\.stage) == CommissioningStage.allCases)
        let left = own[0].spans.filter { $0.begin == nil }
        #expect(left.map(\.stage) == [.regulatory])
        #expect(left[0].note.hasPrefix("left out"))
        let begun = own[0].spans.compactMap(\.begin)
        #expect(begun == begun.sorted())
        for span in own[0].spans where span.begin != nil { #expect(span.end != nil && span.end! >= span.begin!) }
        let messages = controller.decoded().messages.count
        #expect(own[0].spans.map(\.messages).reduce(0, +) <= messages)
        let other = CommissioningTimeline.all(in: device.decoded().messages)
        #expect(other.count == 1 && other[0].isComplete)
        #expect(other[0].spans.filter { $0.begin == nil }.map(\.stage) == [.discover, .regulatory])
    }

    @Test func `what messages say is shown, and no key`() async throws {
        let (controller, _) = try await Self.run()
        let messages = controller.decoded().messages
        let lines = messages.map { "\(MessageText.name($0)) \(MessageText(limit: .max).content($0))" }
        for words in [
            "InvokeRequest 0/GeneralCommissioning/ArmFailSafe {expiryLengthSeconds: 60, breadcrumb: ",
            "0/OperationalCredentials/AddNOC {NOCValue: ",
            "InvokeResponse 0/OperationalCredentials/AddNOC answer {statusCode: 0, fabricIndex: 1",
            "StatusReport session established",
            "0/BasicInformation/vendorID = 65521", "InvokeRequest 1/OnOff/On",
            "InvokeResponse 1/OnOff/On: success (0x00)",
            "IPKValue: 16 octets, not shown",
        ] {
            #expect(lines.contains { $0.contains(words) }, "\(words)")
        }
        #expect(!lines.contains { $0.contains("cannot be read") })
        let add = try #require(messages.compactMap(\.command).first { $0.path.command.rawValue == 0x06 })
        let epochKey = try #require(add.fields[2]?.octets)
        #expect(epochKey.count == 16)
        #expect(!lines.joined().contains(epochKey.hex))
    }

    @Test func `retransmissions and acknowledgements are told on a network that loses`() async throws {
        let (controller, _) = try await Self.run(.init(latency: .milliseconds(5) ... .milliseconds(20), loss: 0.15))
        let decoder = controller.decoded()
        #expect(decoder.messages.contains { $0.isRetransmission })
        #expect(decoder.messages.allSatisfy { $0.inner != nil })
        for message in decoder.messages {
            guard let index = message.acknowledges else { continue }
            let other = decoder.messages[index]
            #expect(other.header.counter == message.inner?.acknowledged)
            #expect(other.source == message.destination && other.microseconds <= message.microseconds)
        }
        #expect(decoder.messages.contains { $0.acknowledges != nil && $0.isStandaloneAck })
        let timeline = try #require(CommissioningTimeline.all(in: decoder.messages).last)
        #expect(timeline.isComplete)
        #expect(timeline.spans.contains { $0.retransmissions > 0 })
    }

    @Test func `without keys, or with others, only handshakes are read`() async throws {
        let (controller, _) = try await Self.run()
        for keys in [[], [KeyFileTests.keys(1)]] {
            let decoder = controller.decoded(keys: keys)
            #expect(decoder.skipped.noKey > 10)
            #expect(decoder.messages.allSatisfy { ($0.inner == nil) == ($0.channel == .unknown) })
            #expect(CommissioningTimeline.all(in: decoder.messages).allSatisfy { !$0.isComplete })
        }
    }

    @Test func `decrypted messages are written under a link type of their own`() async throws {
        let (controller, _) = try await Self.run()
        let decoder = controller.decoded()
        let packets = decoder.messages.compactMap(CleartextFrame.packet)
        #expect(packets.count == decoder.messages.count)
        for (message, packet) in zip(decoder.messages, packets) {
            #expect(packet.link == .user0 && packet.bytes[0] == 1)
            #expect(packet.bytes[1] & 2 == 0 ? message.channel == .unsecured : message.channel != .unsecured)
            #expect(
                packet.bytes.dropFirst(CleartextFrame.headerLength).elementsEqual(message.headerBytes + message.plain))
        }
        #expect(decoder.messages.first.map { CleartextFrame.packet($0) == nil } == false)
    }

    @Test func `damaged traffic is decoded as far as it goes`() async throws {
        let (controller, _) = try await Self.run()
        var generator = SeededGenerator(seed: 3)
        let packets = controller.packets.withLock { $0 }
        let keys = controller.keys.withLock { $0 }
        // Damage after decryption too: what a sender with the keys could say.
        for _ in 0..<40 {
            var decoder = CaptureDecoder(keys: keys)
            decoder.decode(
                packets.map { packet in
                    var packet = packet
                    packet.bytes = generator.mutated(packet.bytes)
                    return packet
                })
            for var message in decoder.messages + controller.decoded().messages {
                message.payload = generator.mutated(message.payload)
                _ = MessageText().content(message)
            }
            _ = CommissioningTimeline.all(in: decoder.messages)
        }
    }

    @Test func `files are their owner's, keys are written only when asked for, and others' files are left alone`()
        async throws
    {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("capture-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (path, keyPath) = (
            folder.appendingPathComponent("a.pcapng").path, folder.appendingPathComponent("a.keys").path
        )
        func log(_ keys: String?) throws -> CaptureLog {
            try CaptureLog(
                path: path, keys: keys, interface: "test", application: "test", localPort: 41, now: { 1000 },
                report: { Issue.record("\($0)") })
        }
        let session = EstablishedSession(
            kind: .pase, localSessionID: SessionID(rawValue: 1), peerSessionID: SessionID(rawValue: 2),
            initiatorToResponderKey: [UInt8](repeating: 1, count: 16),
            responderToInitiatorKey: [UInt8](repeating: 2, count: 16), attestationChallenge: [], isInitiator: true)
        for keys in [nil, keyPath] {
            let observer = try log(keys).observer
            observer.stage(.pase)
            observer.datagram([1, 2, 3], true, MemoryNetwork.address(5540))
            observer.session(session)
            #expect(FileManager.default.fileExists(atPath: keyPath) == (keys != nil))
        }
        let packets = try PcapngReader.packets(of: [UInt8](Data(contentsOf: URL(fileURLWithPath: path))))
        #expect(packets.count == 2)
        #expect(packets.map(\.comments) == [["matterhub: stage pase at 1000"], ["matterhub: stage pase at 1000"]])
        #expect(packets.compactMap { UDPPacket($0)?.source } == [MemoryNetwork.address(41), MemoryNetwork.address(41)])
        let keys = try KeyFile.sessions(of: [UInt8](Data(contentsOf: URL(fileURLWithPath: keyPath))))
        #expect(keys == [SessionKeys(session, microseconds: 1000)])
        for file in [path, keyPath] {
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions]
            #expect(mode as? Int == 0o600)
        }
        try Data("precious".utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: CaptureError.self) { try log(nil) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("precious".utf8))
    }
}
