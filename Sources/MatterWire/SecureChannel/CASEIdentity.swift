/// What a side of CASE signs with its operational key: TBSData2 and TBSData3 (Core §4.14.2.3).
public struct CASESignedData: Hashable, Sendable {
    /// The sender's node operational certificate, Matter TLV.
    public var noc: [UInt8]
    /// The sender's intermediate certificate, Matter TLV.
    public var icac: [UInt8]?
    /// The sender's own ephemeral key, 65 bytes.
    public var senderKey: [UInt8]
    /// The receiver's ephemeral key, 65 bytes.
    public var receiverKey: [UInt8]

    /// Creates the value from its members.
    public init(noc: [UInt8], icac: [UInt8]?, senderKey: [UInt8], receiverKey: [UInt8]) {
        self.noc = noc
        self.icac = icac
        self.senderKey = senderKey
        self.receiverKey = receiverKey
    }

    /// The bytes to sign.
    public func encoded() -> [UInt8] {
        TLVValue.members(
            (1, .octets(noc)), (2, icac.map { .octets($0) }), (3, .octets(senderKey)), (4, .octets(receiverKey))
        ).encoded()
    }
}

/// What a side of CASE shows of itself, encrypted: TBEData2 and TBEData3 (Core §4.14.2.3).
public struct CASEIdentityProof: Hashable, Sendable {
    /// The sender's node operational certificate, Matter TLV.
    public var noc: [UInt8]
    /// The sender's intermediate certificate, Matter TLV.
    public var icac: [UInt8]?
    /// The operational key's signature of ``CASESignedData``, r and s, 64 bytes.
    public var signature: [UInt8]
    /// 16 bytes; in Sigma2 only.
    public var resumptionID: [UInt8]?

    /// Creates the value from its members.
    public init(noc: [UInt8], icac: [UInt8]?, signature: [UInt8], resumptionID: [UInt8]? = nil) {
        self.noc = noc
        self.icac = icac
        self.signature = signature
        self.resumptionID = resumptionID
    }

    /// Reads the decrypted bytes.
    public init(decoding bytes: [UInt8]) throws(TLVError) {
        let value = try TLVValue.decode(bytes)
        try value.requireStructure()
        noc = try value.octets(1)
        icac = try value.optionalOctets(2)
        signature = try value.octets(3, count: 64)
        resumptionID = try value.optionalOctets(4, count: 16)
    }

    /// The bytes to encrypt.
    public func encoded() -> [UInt8] {
        TLVValue.members(
            (1, .octets(noc)), (2, icac.map { .octets($0) }), (3, .octets(signature)),
            (4, resumptionID.map { .octets($0) })
        ).encoded()
    }
}
