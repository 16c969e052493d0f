package import MatterCrypto
import MatterProtocol
package import MatterWire

/// A fabric that this side administers, with the administrator's own node on it; the root's key is kept apart.
package struct AdministeredFabric: Hashable, Sendable {
    package var fabricID: FabricID
    /// Matter TLV.
    package var rootCertificate: [UInt8]
    /// Epoch key of group key set 0, 16 bytes, as AddNOC carries it.
    package var ipkEpochKey: [UInt8]
    /// The administrator's node.
    package var nodeID: NodeID
    /// The administrator's operational certificate, Matter TLV.
    package var noc: [UInt8]
    /// The private key of ``noc``, 32 bytes.
    package var nodeKey: [UInt8]

    package init(
        fabricID: FabricID, rootCertificate: [UInt8], ipkEpochKey: [UInt8], nodeID: NodeID, noc: [UInt8],
        nodeKey: [UInt8]
    ) {
        self.fabricID = fabricID
        self.rootCertificate = rootCertificate
        self.ipkEpochKey = ipkEpochKey
        self.nodeID = nodeID
        self.noc = noc
        self.nodeKey = nodeKey
    }

    /// The administrator's own index of its only fabric.
    private static let index = FabricIndex(rawValue: 1)
    /// Certificates begin this long before the founding, in s: devices without a clock refuse a later beginning.
    private static let backdating: Int64 = 366 * 86_400

    /// A new root.
    ///
    /// - Parameters:
    ///   - time: now, by the wall clock.
    ///   - fabricID: put into the root's name when the root is for one fabric only.
    ///   - signer: the root's key when somebody else keeps it; `nil` makes one.
    package static func newRoot(
        at time: EpochSeconds, fabricID: FabricID? = nil, signer: (any CertificateSigner)? = nil, random: RandomSource,
        secrets: any SecretSource
    ) throws(CryptoError) -> CertificateAuthority {
        var random = random
        return try CertificateAuthority.create(
            rcacID: UInt64.random(in: 1...UInt64.max, using: &random), fabricID: fabricID,
            notBefore: EpochSeconds(rawValue: time.rawValue - backdating), signer: signer, secrets: secrets)
    }

    /// A new fabric under a root, with the administrator as its first node.
    ///
    /// - Parameters:
    ///   - fabricID: `nil` draws one.
    ///   - ipkEpochKey: 16 bytes; `nil` draws them.
    ///   - nodeID: the administrator's; `nil` draws one.
    package static func found(
        under root: CertificateAuthority, fabricID: FabricID? = nil, ipkEpochKey: [UInt8]? = nil,
        nodeID: NodeID? = nil, random: RandomSource, secrets: any SecretSource
    ) throws(CryptoError) -> AdministeredFabric {
        var random = random
        let fabricID = fabricID ?? FabricID(rawValue: UInt64.random(in: 1...UInt64.max, using: &random))
        let node = nodeID ?? NodeID.drawn(using: random)
        let key = try P256PrivateKey.generate(using: secrets)
        let noc = try root.issueNOC(
            publicKey: key.publicKey, nodeID: node, fabricID: fabricID,
            notBefore: root.rootCertificate.notBefore, secrets: secrets)
        let epochKey: [UInt8]
        if let ipkEpochKey { epochKey = ipkEpochKey } else { epochKey = try secrets.bytes(16) }
        return AdministeredFabric(
            fabricID: fabricID, rootCertificate: root.rootCertificateBytes, ipkEpochKey: epochKey, nodeID: node,
            noc: noc.encoded(), nodeKey: key.rawValue)
    }

    /// The controller node of this fabric.
    ///
    /// - Parameters:
    ///   - root: signs; its certificate is ``rootCertificate``.
    ///   - knownAddresses: where nodes were heard in an earlier run.
    /// - Throws: ``CryptoError`` or ``FabricCredentialsError`` when the parts do not belong together.
    package func controller(
        root: CertificateAuthority, trust: AttestationTrustStore, knownAddresses: [NodeID: PeerAddress] = [:],
        adminVendor: VendorID = VendorID(rawValue: 0xFFF1), environment: ControllerEnvironment
    ) throws -> ControllerNode {
        let key = try P256PrivateKey(rawValue: nodeKey)
        let credentials = try FabricCredentials(
            fabricIndex: Self.index, rootCertificate: rootCertificate, icac: nil, noc: noc, operationalKey: key,
            epochKeys: [ipkEpochKey])
        let authority = FabricAuthority(
            root: root, fabricID: fabricID, trust: trust, notBefore: root.rootCertificate.notBefore,
            usedKeys: [key.publicKey], secrets: environment.secrets)
        return ControllerNode(
            fabric: credentials, authority: authority, ipkEpochKey: ipkEpochKey, adminVendor: adminVendor,
            knownAddresses: knownAddresses, environment: environment)
    }
}

/// The stored form: TLV `{0 fabric id, 1 root certificate, 2 epoch key, 3 node id, 4 NOC, 5 node key}`.
extension AdministeredFabric {
    package var value: TLVValue {
        .members(
            (0, .uint(fabricID.rawValue)), (1, .octets(rootCertificate)), (2, .octets(ipkEpochKey)),
            (3, .uint(nodeID.rawValue)), (4, .octets(noc)), (5, .octets(nodeKey)))
    }

    /// - Throws: ``TLVError`` for a value that is no fabric; whether the parts belong together shows in
    ///   ``controller(root:trust:knownAddresses:adminVendor:environment:)``.
    package init(_ value: TLVValue) throws(TLVError) {
        self.init(
            fabricID: FabricID(rawValue: try value.integer(0)), rootCertificate: try value.octets(1),
            ipkEpochKey: try value.octets(2, count: 16), nodeID: NodeID(rawValue: try value.integer(3)),
            noc: try value.octets(4), nodeKey: try value.octets(5, count: 32))
    }
}

extension NodeID {
    /// Draws an operational node id that `isTaken` does not know.
    package static func drawn(
        using random: RandomSource, unless isTaken: (NodeID) -> Bool = { _ in false }
    ) -> NodeID {
        var random = random
        while true {
            let id = NodeID(rawValue: UInt64.random(in: operationalRange, using: &random))
            if !isTaken(id) { return id }
        }
    }
}
