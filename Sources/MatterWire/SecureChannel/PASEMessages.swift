/// How a passcode is stretched (Core §3.9).
public struct PBKDFParameters: Hashable, Sendable {
    /// Iterations that a node may ask for.
    public static let iterationRange: ClosedRange<UInt32> = 1000...100_000
    /// Bytes of salt that a node may ask for.
    public static let saltRange: ClosedRange<Int> = 16...32

    /// Rounds of PBKDF2.
    public var iterations: UInt32
    /// 16 to 32 bytes.
    public var salt: [UInt8]
    /// Creates the value from its members.
    public init(iterations: UInt32, salt: [UInt8]) {
        self.iterations = iterations
        self.salt = salt
    }

    /// Whether both values are within the specification's limits.
    public var isValid: Bool {
        Self.iterationRange.contains(iterations) && Self.saltRange.contains(salt.count)
    }
}

/// The first message of PASE: the commissioner asks how the passcode is stretched (Core §4.14.1.2).
public struct PBKDFParamRequest: Hashable, Sendable {
    /// 32 bytes.
    public var initiatorRandom: [UInt8]
    /// Creates the value from its members.
    public var initiatorSessionID: SessionID
    /// 0 is the device's onboarding passcode.
    public var passcodeID: UInt16
    /// The commissioner knows the parameters already; the answer leaves them out.
    public var hasPBKDFParameters: Bool
    /// What the sender tells of its timing and abilities.
    public var sessionParameters: SessionParameters?

    /// Creates the value from its members.
    public init(
        initiatorRandom: [UInt8], initiatorSessionID: SessionID, passcodeID: UInt16 = 0,
        hasPBKDFParameters: Bool = false, sessionParameters: SessionParameters? = nil
    ) {
        self.initiatorRandom = initiatorRandom
        self.initiatorSessionID = initiatorSessionID
        self.passcodeID = passcodeID
        self.hasPBKDFParameters = hasPBKDFParameters
        self.sessionParameters = sessionParameters
    }

    /// Reads the message's payload.
    public init(decoding bytes: [UInt8]) throws(TLVError) {
        let value = try TLVValue.decode(bytes)
        try value.requireStructure()
        initiatorRandom = try value.octets(1, count: 32)
        initiatorSessionID = try value.sessionID(2)
        passcodeID = try value.integer(3)
        hasPBKDFParameters = try value.bool(4)
        sessionParameters = try value.optionalSessionParameters(5)
    }

    /// The message's payload.
    public func encoded() -> [UInt8] {
        TLVValue.members(
            (1, .octets(initiatorRandom)), (2, .uint(initiatorSessionID.rawValue)), (3, .uint(passcodeID)),
            (4, .bool(hasPBKDFParameters)), (5, sessionParameters?.value)
        ).encoded()
    }
}

/// The device's answer to ``PBKDFParamRequest`` (Core §4.14.1.2).
public struct PBKDFParamResponse: Hashable, Sendable {
    /// 32 bytes, repeated from the request.
    public var initiatorRandom: [UInt8]
    /// 32 bytes.
    public var responderRandom: [UInt8]
    /// The responder's number for the new session, which the initiator will put into its messages' headers.
    public var responderSessionID: SessionID
    /// `nil` when the request said that they are known.
    public var pbkdfParameters: PBKDFParameters?
    /// What the sender tells of its timing and abilities.
    public var sessionParameters: SessionParameters?

    /// Creates the value from its members.
    public init(
        initiatorRandom: [UInt8], responderRandom: [UInt8], responderSessionID: SessionID,
        pbkdfParameters: PBKDFParameters?, sessionParameters: SessionParameters? = nil
    ) {
        self.initiatorRandom = initiatorRandom
        self.responderRandom = responderRandom
        self.responderSessionID = responderSessionID
        self.pbkdfParameters = pbkdfParameters
        self.sessionParameters = sessionParameters
    }

    /// Reads the message's payload. The ranges of the PBKDF parameters are the receiver's to check.
    public init(decoding bytes: [UInt8]) throws(TLVError) {
        let value = try TLVValue.decode(bytes)
        try value.requireStructure()
        initiatorRandom = try value.octets(1, count: 32)
        responderRandom = try value.octets(2, count: 32)
        responderSessionID = try value.sessionID(3)
        if let parameters = value[4] {
            pbkdfParameters = PBKDFParameters(iterations: try parameters.integer(1), salt: try parameters.octets(2))
        }
        sessionParameters = try value.optionalSessionParameters(5)
    }

    /// The message's payload.
    public func encoded() -> [UInt8] {
        TLVValue.members(
            (1, .octets(initiatorRandom)), (2, .octets(responderRandom)), (3, .uint(responderSessionID.rawValue)),
            (4, pbkdfParameters.map { .members((1, .uint($0.iterations)), (2, .octets($0.salt))) }),
            (5, sessionParameters?.value)
        ).encoded()
    }
}

/// The commissioner's SPAKE2+ share.
public struct Pake1: Hashable, Sendable {
    /// pA, an uncompressed P-256 point, 65 bytes.
    public var share: [UInt8]
    /// Creates the value from its members.
    public init(share: [UInt8]) { self.share = share }

    /// Reads the message's payload.
    public init(decoding bytes: [UInt8]) throws(TLVError) {
        let value = try TLVValue.decode(bytes)
        try value.requireStructure()
        share = try value.octets(1, count: 65)
    }

    /// The message's payload.
    public func encoded() -> [UInt8] { TLVValue.members((1, .octets(share))).encoded() }
}

/// The device's SPAKE2+ share, and the proof that it knows the passcode's verifier.
public struct Pake2: Hashable, Sendable {
    /// pB, an uncompressed P-256 point, 65 bytes.
    public var share: [UInt8]
    /// cB, 32 bytes.
    public var confirmation: [UInt8]
    /// Creates the value from its members.
    public init(share: [UInt8], confirmation: [UInt8]) {
        self.share = share
        self.confirmation = confirmation
    }

    /// Reads the message's payload.
    public init(decoding bytes: [UInt8]) throws(TLVError) {
        let value = try TLVValue.decode(bytes)
        try value.requireStructure()
        share = try value.octets(1, count: 65)
        confirmation = try value.octets(2, count: 32)
    }

    /// The message's payload.
    public func encoded() -> [UInt8] {
        TLVValue.members((1, .octets(share)), (2, .octets(confirmation))).encoded()
    }
}

/// The commissioner's proof that it knows the passcode.
public struct Pake3: Hashable, Sendable {
    /// cA, 32 bytes.
    public var confirmation: [UInt8]
    /// Creates the value from its members.
    public init(confirmation: [UInt8]) { self.confirmation = confirmation }

    /// Reads the message's payload.
    public init(decoding bytes: [UInt8]) throws(TLVError) {
        let value = try TLVValue.decode(bytes)
        try value.requireStructure()
        confirmation = try value.octets(1, count: 32)
    }

    /// The message's payload.
    public func encoded() -> [UInt8] { TLVValue.members((1, .octets(confirmation))).encoded() }
}
