import HubControl
import MatterCapture
import MatterProtocol
import MatterWire
import Transcript

extension FuzzTarget {
    /// Readers of files that somebody recorded: captures, their keys, transcripts.
    static let recordings: [FuzzTarget] = [
        FuzzTarget(
            "pcapng", "captures and the datagrams in them",
            made: {
                let head = PcapngWriter.head(link: .raw, interface: "hub", application: "fuzz")
                return [
                    head,
                    head + PcapngWriter.block(packet(direction: nil)) + PcapngWriter.block(packet(direction: .inbound)),
                ]
            }, check: checkPcapng),
        FuzzTarget(
            "capture-keys", "key files of captures", made: { [KeyFile.head, KeyFile.head + KeyFile.line(keys)] },
            check: checkKeys),
        FuzzTarget(
            "transcript-line", "lines of transcripts",
            made: {
                [
                    #"{"connection":"app","from":"client","kind":"hello","payload":{"client":"a/1"},"ms":1.5}"#,
                    #"{"connection":"app","from":"hub","kind":"response","payload":{"id":1,"result":{}}}"#,
                    #"{"connection":"app","from":"hub","kind":"event","payload":{"event":"room.added","number":1,"data":{"id":"<room-1>"}}}"#,
                ].map { Array($0.utf8) }
            }, check: checkLine),
    ]

    private static func packet(direction: CapturedPacket.Direction?) -> CapturedPacket {
        CapturedPacket(
            microseconds: 1_760_000_000_000_000, link: .raw,
            bytes: [0x45, 0, 0, 28] + [UInt8](repeating: 1, count: 24),
            direction: direction, comments: ["a"])
    }

    private static var keys: SessionKeys {
        SessionKeys(
            EstablishedSession(
                kind: .case, localSessionID: SessionID(rawValue: 1), peerSessionID: SessionID(rawValue: 2),
                initiatorToResponderKey: [UInt8](0..<16), responderToInitiatorKey: [UInt8](16..<32),
                attestationChallenge: [UInt8](32..<48), isInitiator: true, localNode: NodeID(rawValue: 3),
                peerNode: NodeID(rawValue: 4)),
            microseconds: 5)
    }

    /// No packet is larger than the file, and whatever is in it is a datagram or none.
    private static func checkPcapng(_ input: [UInt8]) throws -> Outcome {
        let packets: [CapturedPacket]
        do throws(CaptureError) { packets = try PcapngReader.packets(of: input) } catch { return .rejected }
        for packet in packets {
            try hold(packet.bytes.count <= input.count, "a packet of \(packet.bytes.count) bytes")
            if let datagram = UDPPacket(packet) {
                try hold(datagram.payload.count < packet.bytes.count, "a datagram larger than its packet")
            }
        }
        return packets.isEmpty ? .rejected : .accepted
    }

    /// What was read is written and read as the same.
    private static func checkKeys(_ input: [UInt8]) throws -> Outcome {
        let sessions: [SessionKeys]
        do throws(CaptureError) { sessions = try KeyFile.sessions(of: input) } catch { return .rejected }
        guard !sessions.isEmpty else { return .rejected }
        let written = KeyFile.head + sessions.flatMap(KeyFile.line)
        try hold(try KeyFile.sessions(of: written) == sessions, "keys that change when they are written")
        return .accepted
    }

    private static func checkLine(_ input: [UInt8]) throws -> Outcome {
        let line: DialogueLine
        do throws(TranscriptError) { line = try DialogueLine(parsing: input, number: 1) } catch { return .rejected }
        let written = Array(line.encoded.dropLast())
        try hold(try DialogueLine(parsing: written, number: 1) == line, "a line that changes when it is written")
        return .accepted
    }
}
