import MatterCrypto
import MatterModel
import MatterProtocol
import MatterWire
import NetIO
import TestSupport

/// What the machines of the targets are made of; made once, the same in each run where nothing says otherwise.
enum FuzzHome {
    static let start = MonotonicInstant(sinceStart: .seconds(100))
    static let wallClock = EpochSeconds(rawValue: 800_000_000)
    static let peer = PeerAddress(ip: [UInt8](repeating: 0, count: 15) + [1], port: 5540)
    static let salt = [UInt8](repeating: 1, count: 16)
    static let ipk = [UInt8](repeating: 3, count: 16)
    static let fabricID = FabricID(rawValue: 1)
    static let controllerID = NodeID(rawValue: 0x10)
    static let deviceID = NodeID(rawValue: 0x20)
    static let challenge = [UInt8](repeating: 0xCC, count: 16)

    static let pake = PAKEParameters(
        verifier: made { try PAKEVerifier.compute(passcode: 20_202_021, salt: salt, iterations: 1_000) }, salt: salt,
        iterations: 1_000)

    static let authority = made {
        try CertificateAuthority.create(
            rcacID: 1, notBefore: EpochSeconds(rawValue: 1), secrets: SeededSecretSource(seed: 1))
    }

    /// A node of the home's fabric.
    static func credentials(_ node: NodeID, key: P256PrivateKey) throws -> FabricCredentials {
        let noc = try authority.issueNOC(
            publicKey: key.publicKey, nodeID: node, fabricID: fabricID, notBefore: EpochSeconds(rawValue: 1),
            secrets: SeededSecretSource(seed: node.rawValue))
        return try FabricCredentials(
            fabricIndex: FabricIndex(rawValue: 1), rootCertificate: authority.rootCertificateBytes, icac: nil,
            noc: noc.encoded(), operationalKey: key, epochKeys: [ipk])
    }

    static let controller = made { try credentials(controllerID, key: key(5)) }
    static let device = made { try credentials(deviceID, key: key(6)) }

    static func key(_ seed: UInt8) throws(CryptoError) -> P256PrivateKey {
        try P256PrivateKey(rawValue: [UInt8](repeating: seed, count: 32))
    }

    private static let control = made {
        try ControlCA.create(
            commonName: "fuzz", validity: CertificateValidity(notBefore: 1_700_000_000, notAfter: 4_000_000_000))
    }
    static let controlCertificate = control.certificate
    static let controlKey = control.privateKey
    static let controlPin = control.pin

    /// A home without its parts is no use to any target.
    static func made<Value>(_ make: () throws -> Value) -> Value {
        do { return try make() } catch { fatalError("\(error)") }
    }
}
