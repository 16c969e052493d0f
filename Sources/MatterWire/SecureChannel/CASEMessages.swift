/// The first message of CASE: whom the sender looks for, and its ephemeral key (Core §4.14.2.3).
public struct Sigma1: Hashable, Sendable {
    /// What a node that was here before offers in order to skip the certificates.
    public struct Resumption: Hashable, Sendable {
        /// 16 bytes, from the last handshake.
        public var id: [UInt8]
        /// 16 bytes.
        public var mic: [UInt8]
        /// Creates the value from its members.
        public init(id: [UInt8], mic: [UInt8]) {
            self.id = id
            self.mic = mic
        }
    }

    /// 32 bytes.
    public var initiatorRandom: [UInt8]
    /// Creates the value from its members.
    public var initiatorSessionID: SessionID
    /// 32 bytes; hides fabric and node from everybody who lacks the fabric's IPK.
    public var destinationID: [UInt8]
    /// An uncompressed P-256 point, 65 bytes.
    public var initiatorEphemeralKey: [UInt8]
    /// What the sender tells of its timing and abilities.
    public var sessionParameters: SessionParameters?
    /// The offer to resume an earlier session; a responder may ignore it.
    public var resumption: Resumption?

    /// Creates the value from its members.
    public init(
        initiatorRandom: [UInt8], initiatorSessionID: SessionID, destinationID: [UInt8],
        initiatorEphemeralKey: [UInt8], sessionParameters: SessionParameters? = nil, resumption: Resumption? = nil
    ) {
        self.initiatorRandom = initiatorRandom
        self.initiatorSessionID = initiatorSessionID
        self.destinationID = destinationID
        self.initiatorEphemeralKey = initiatorEphemeralKey
        self.sessionParameters = sessionParameters
        self.resumption = resumption
    }

    /// Reads the message's payload.
    ///
    /// - Throws: ``TLVError``; `missing` when only one of the two resumption members is there.
    public init(decoding bytes: [UInt8]) throws(TLVError) {
        let value = try TLVValue.decode(bytes)
        try value.requireStructure()
        initiatorRandom = try value.octets(1, count: 32)
        initiatorSessionID = try value.sessionID(2)
        destinationID = try value.octets(3, count: 32)
        initiatorEphemeralKey = try value.octets(4, count: 65)
        sessionParameters = try value.optionalSessionParameters(5)
        if value[6] != nil || value[7] != nil {
            resumption = Resumption(id: try value.octets(6, count: 16), mic: try value.octets(7, count: 16))
        }
    }

    /// The message's payload.
    public func encoded() -> [UInt8] {
        TLVValue.members(
            (1, .octets(initiatorRandom)), (2, .uint(initiatorSessionID.rawValue)), (3, .octets(destinationID)),
            (4, .octets(initiatorEphemeralKey)), (5, sessionParameters?.value),
            (6, resumption.map { .octets($0.id) }), (7, resumption.map { .octets($0.mic) })
        ).encoded()
    }
}

/// The responder's ephemeral key, and its identity in encrypted form.
public struct Sigma2: Hashable, Sendable {
    /// 32 bytes.
    public var responderRandom: [UInt8]
    /// The responder's number for the new session, which the initiator will put into its messages' headers.
    public var responderSessionID: SessionID
    /// An uncompressed P-256 point, 65 bytes.
    public var responderEphemeralKey: [UInt8]
    /// A ``CASEIdentityProof``, encrypted, with its 16-byte MIC.
    public var encrypted: [UInt8]
    /// What the sender tells of its timing and abilities.
    public var sessionParameters: SessionParameters?

    /// Creates the value from its members.
    public init(
        responderRandom: [UInt8], responderSessionID: SessionID, responderEphemeralKey: [UInt8], encrypted: [UInt8],
        sessionParameters: SessionParameters? = nil
    ) {
        self.responderRandom = responderRandom
        self.responderSessionID = responderSessionID
        self.responderEphemeralKey = responderEphemeralKey
        self.encrypted = encrypted
        self.sessionParameters = sessionParameters
    }

    /// Reads the message's payload.
    public init(decoding bytes: [UInt8]) throws(TLVError) {
        let value = try TLVValue.decode(bytes)
        try value.requireStructure()
        responderRandom = try value.octets(1, count: 32)
        responderSessionID = try value.sessionID(2)
        responderEphemeralKey = try value.octets(3, count: 65)
        encrypted = try value.octets(4)
        sessionParameters = try value.optionalSessionParameters(5)
    }

    /// The message's payload.
    public func encoded() -> [UInt8] {
        TLVValue.members(
            (1, .octets(responderRandom)), (2, .uint(responderSessionID.rawValue)),
            (3, .octets(responderEphemeralKey)), (4, .octets(encrypted)), (5, sessionParameters?.value)
        ).encoded()
    }
}

/// The initiator's identity in encrypted form.
public struct Sigma3: Hashable, Sendable {
    /// A ``CASEIdentityProof``, encrypted, with its 16-byte MIC.
    public var encrypted: [UInt8]
    /// Creates the value from its members.
    public init(encrypted: [UInt8]) { self.encrypted = encrypted }

    /// Reads the message's payload.
    public init(decoding bytes: [UInt8]) throws(TLVError) {
        let value = try TLVValue.decode(bytes)
        try value.requireStructure()
        encrypted = try value.octets(1)
    }

    /// The message's payload.
    public func encoded() -> [UInt8] { TLVValue.members((1, .octets(encrypted))).encoded() }
}

/// The responder's agreement to resume an earlier session.
public struct Sigma2Resume: Hashable, Sendable {
    /// The new identifier, 16 bytes.
    public var resumptionID: [UInt8]
    /// 16 bytes.
    public var mic: [UInt8]
    /// The responder's number for the new session, which the initiator will put into its messages' headers.
    public var responderSessionID: SessionID
    /// What the sender tells of its timing and abilities.
    public var sessionParameters: SessionParameters?

    /// Creates the value from its members.
    public init(
        resumptionID: [UInt8], mic: [UInt8], responderSessionID: SessionID, sessionParameters: SessionParameters? = nil
    ) {
        self.resumptionID = resumptionID
        self.mic = mic
        self.responderSessionID = responderSessionID
        self.sessionParameters = sessionParameters
    }

    /// Reads the message's payload.
    public init(decoding bytes: [UInt8]) throws(TLVError) {
        let value = try TLVValue.decode(bytes)
        try value.requireStructure()
        resumptionID = try value.octets(1, count: 16)
        mic = try value.octets(2, count: 16)
        responderSessionID = try value.sessionID(3)
        sessionParameters = try value.optionalSessionParameters(4)
    }

    /// The message's payload.
    public func encoded() -> [UInt8] {
        TLVValue.members(
            (1, .octets(resumptionID)), (2, .octets(mic)), (3, .uint(responderSessionID.rawValue)),
            (4, sessionParameters?.value)
        ).encoded()
    }
}
