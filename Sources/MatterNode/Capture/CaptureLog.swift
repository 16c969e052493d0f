import MatterCapture
import MatterProtocol
import MatterWire
import NetIO

/// A capture that is being written: a node's datagrams as pcapng, and its session keys beside them when that was asked for.
///
/// Both files are appended to and readable by their owner only (Protocols/captures.md). A file that cannot be written any
/// more ends with a word to `report`; the node goes on.
package final class CaptureLog: Sendable {
    private struct State {
        /// Our own address as peers see it, by theirs.
        var localAddresses: [[UInt8]: [UInt8]] = [:]
        /// Stages that no packet tells of yet.
        var marks: [StageMark] = []
        var isBroken = false
    }

    private static let addressLimit = 1024

    private let packets: AppendFile
    private let keys: AppendFile?
    private let localPort: UInt16
    private let now: @Sendable () -> Int64
    private let report: @Sendable (String) -> Void
    private let state = Locked(State())

    /// Opens the files and writes their heads.
    ///
    /// - Parameters:
    ///   - keys: where session keys go: who has them can read the traffic. `nil` for nowhere.
    ///   - interface: what the node is called in the capture.
    ///   - localPort: the node's own, host order.
    ///   - now: microseconds since 1970.
    ///   - report: told once when a file cannot be written any more.
    /// - Throws: ``NetError``; ``CaptureError`` when a file is there that is no capture, or holds no keys.
    package init(
        path: String, keys keyPath: String?, interface: String, application: String, localPort: UInt16,
        now: @escaping @Sendable () -> Int64 = { SystemTime.unixMicroseconds },
        report: @escaping @Sendable (String) -> Void
    ) throws {
        packets = try AppendFile(path: path)
        keys = try keyPath.map { try AppendFile(path: $0) }
        self.localPort = localPort
        self.now = now
        self.report = report
        let head = PcapngWriter.head(link: .raw, interface: interface, application: application)
        let start = try packets.beginning(atMost: 4)
        guard start.isEmpty || head.starts(with: start) else { throw CaptureError(.notPcapng, at: 0) }
        if let keys {
            let start = try keys.beginning(atMost: 64)
            guard start.isEmpty || KeyFile.head.starts(with: start) else { throw CaptureError(.notKeys, at: 1) }
            try keys.append(KeyFile.head)
        }
        try packets.append(head)
    }

    /// What a node's environment takes.
    package var observer: TrafficObserver {
        TrafficObserver(
            datagram: { self.datagram($0, $1, $2) }, session: { self.session($0) }, stage: { self.stage($0) })
    }

    private func datagram(_ bytes: [UInt8], _ isOutbound: Bool, _ peer: PeerAddress) {
        write { state throws(NetError) in
            let own = PeerAddress(ip: Self.localAddress(peer, &state), port: localPort)
            let packet = UDPPacket(
                source: isOutbound ? own : peer, destination: isOutbound ? peer : own, payload: bytes)
            let marks = state.marks
            state.marks = []
            try packets.append(
                PcapngWriter.block(
                    CapturedPacket(
                        microseconds: now(), link: .raw, bytes: packet.encoded,
                        direction: isOutbound ? .outbound : .inbound, comments: marks.map(\.comment))))
        }
    }

    private func session(_ session: EstablishedSession) {
        guard let keys else { return }
        write { _ throws(NetError) in
            try keys.append(KeyFile.line(SessionKeys(session, microseconds: now())))
        }
    }

    private func stage(_ stage: CommissioningStage) {
        state.withLock { $0.marks.append(StageMark(stage: stage, microseconds: now())) }
    }

    private func write(_ body: (inout State) throws(NetError) -> Void) {
        let trouble: String? = state.withLock { state in
            guard !state.isBroken else { return nil }
            do throws(NetError) {
                try body(&state)
                return nil
            } catch {
                state.isBroken = true
                return "the capture ends here: \(error)"
            }
        }
        if let trouble { report(trouble) }
    }

    /// The address that we have for a peer; the unspecified one where the system has none.
    private static func localAddress(_ peer: PeerAddress, _ state: inout State) -> [UInt8] {
        if let known = state.localAddresses[peer.ip] { return known }
        let mine = SocketAddress.local(toward: peer.socketAddress).map { PeerAddress($0).ip }
        let address = mine ?? [UInt8](repeating: 0, count: 16)
        if state.localAddresses.count < addressLimit { state.localAddresses[peer.ip] = address }
        return address
    }
}
