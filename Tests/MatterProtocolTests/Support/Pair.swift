import MatterCrypto
import MatterWire
import TestSupport
import Testing

@testable import MatterProtocol

/// Two nodes, a network between them and a clock that jumps from one deadline to the next.
struct Pair: Sendable {
    var commissioner: TestNode
    var device: TestNode
    var network: VirtualNetwork
    private(set) var now = MonotonicInstant(sinceStart: .zero)

    init(
        seed: UInt64 = 1, conditions: VirtualNetwork.Conditions = .perfect,
        deviceParameters: SessionParameters = .init(), limits: MessageLayer.Limits = .init()
    ) {
        commissioner = TestNode(1, seed: seed)
        device = TestNode(2, seed: seed, parameters: deviceParameters, limits: limits)
        network = VirtualNetwork(conditions: conditions, seed: seed)
    }

    /// What happened, for the message of a failing test.
    var trace: Comment {
        Comment(
            rawValue: (network.trace.suffix(80) + ["commissioner: \(commissioner.events)", "device: \(device.events)"])
                .joined(separator: "\n"))
    }

    /// Goes from event to event until the condition holds; `false` when nothing more happens or the time is over.
    @discardableResult
    mutating func run(limit: Duration = .seconds(180), until isDone: (Pair) -> Bool = { _ in false }) -> Bool {
        let end = now.advanced(by: limit)
        for _ in 0..<20_000 {
            post()
            if isDone(self) { return true }
            guard let next = [network.nextArrival, commissioner.deadline, device.deadline].compactMap(\.self).min(),
                next <= end
            else { return false }
            now = max(now, next)
            for datagram in network.arrivals(now: now) {
                if datagram.destination == device.address {
                    device.datagramReceived(datagram, now: now)
                } else if datagram.destination == commissioner.address {
                    commissioner.datagramReceived(datagram, now: now)
                }
            }
            if let deadline = commissioner.deadline, deadline <= now { commissioner.timerFired(now: now) }
            if let deadline = device.deadline, deadline <= now { device.timerFired(now: now) }
        }
        return false
    }

    private mutating func post() {
        for (bytes, destination) in commissioner.outbox {
            network.send(.init(bytes: bytes, source: commissioner.address, destination: destination), now: now)
        }
        for (bytes, destination) in device.outbox {
            network.send(.init(bytes: bytes, source: device.address, destination: destination), now: now)
        }
        commissioner.outbox = []
        device.outbox = []
    }
}

/// A fabric made for a test, and its members.
struct TestFabric: Sendable {
    let authority: CertificateAuthority
    let fabricID: FabricID
    let epochKey: [UInt8]
    let secrets: SeededSecretSource

    init(seed: UInt64, fabricID: UInt64 = 0xFAB1) throws {
        secrets = SeededSecretSource(seed: seed)
        self.fabricID = FabricID(rawValue: fabricID)
        epochKey = try secrets.bytes(16)
        authority = try CertificateAuthority.create(
            rcacID: 1, notBefore: EpochSeconds(rawValue: 1), secrets: secrets)
    }

    func member(
        _ node: UInt64, index: UInt8 = 1, cats: [CASEAuthenticatedTag] = [], notAfter: EpochSeconds? = nil,
        epochKeys: [[UInt8]]? = nil
    ) throws -> FabricCredentials {
        let key = try P256PrivateKey.generate(using: secrets)
        let noc = try authority.issueNOC(
            publicKey: key.publicKey, nodeID: NodeID(rawValue: node), fabricID: fabricID, cats: cats,
            notBefore: EpochSeconds(rawValue: 1), notAfter: notAfter, secrets: secrets)
        return try FabricCredentials(
            fabricIndex: FabricIndex(rawValue: index), rootCertificate: authority.rootCertificateBytes, icac: nil,
            noc: noc.encoded(), operationalKey: key, epochKeys: epochKeys ?? [epochKey])
    }
}
