/// Invokes commands (Core §10.7.9).
public struct InvokeRequest: InteractionMessage {
    /// What the message is.
    public static var opcode: InteractionOpcode { .invokeRequest }
    /// The receiver answers nothing.
    public var suppressesResponse: Bool
    /// A timed request came before, on the same exchange.
    public var isTimed: Bool
    /// The commands; one, unless the server says that it takes more.
    public var commands: [CommandDataIB]
    /// Makes a request.
    public init(commands: [CommandDataIB], isTimed: Bool = false, suppressesResponse: Bool = false) {
        self.suppressesResponse = suppressesResponse
        self.isTimed = isTimed
        self.commands = commands
    }
    /// Reads the members; all three are mandatory.
    public init(value: TLVValue) throws(TLVError) {
        _ = try value.require(2)
        self.init(
            commands: try value.readItems(2, CommandDataIB.init(value:)), isTimed: try value.bool(1),
            suppressesResponse: try value.bool(0))
    }
    /// The members in tag order.
    public var members: [TLVElement] {
        .init(
            tagged: (0, .bool(suppressesResponse)), (1, .bool(isTimed)),
            (2, .array(commands.map(\.encodedBlock))))
    }
}

/// What commands led to (Core §10.7.10).
public struct InvokeResponse: InteractionMessage {
    /// What the message is.
    public static var opcode: InteractionOpcode { .invokeResponse }
    /// The receiver answers nothing.
    public var suppressesResponse: Bool
    /// One answer a command (more for a wildcard endpoint).
    public var responses: [InvokeResponseIB]
    /// Another chunk follows a status response.
    public var hasMoreChunks: Bool
    /// Makes a response.
    public init(responses: [InvokeResponseIB], suppressesResponse: Bool = false, hasMoreChunks: Bool = false) {
        self.suppressesResponse = suppressesResponse
        self.responses = responses
        self.hasMoreChunks = hasMoreChunks
    }
    /// Reads the members; only the list is mandatory, since some devices leave the flag out.
    public init(value: TLVValue) throws(TLVError) {
        _ = try value.require(1)
        self.init(
            responses: try value.readItems(1, InvokeResponseIB.init(value:)),
            suppressesResponse: try value.optionalBool(0) ?? false,
            hasMoreChunks: try value.optionalBool(2) ?? false)
    }
    /// The members in tag order.
    public var members: [TLVElement] {
        .init(
            tagged: (0, .bool(suppressesResponse)), (1, .array(responses.map(\.encodedBlock))),
            (2, hasMoreChunks ? .bool(true) : nil))
    }
}

/// Announces a write or invoke on the same exchange (Core §10.7.8).
public struct TimedRequest: InteractionMessage {
    /// What the message is.
    public static var opcode: InteractionOpcode { .timedRequest }
    /// How long the server waits for it, milliseconds.
    public var timeout: UInt16
    /// Makes a request.
    public init(timeout: UInt16) { self.timeout = timeout }
    /// Reads the member.
    public init(value: TLVValue) throws(TLVError) { self.init(timeout: try value.integer(0)) }
    /// The one member.
    public var members: [TLVElement] { .init(tagged: (0, .uint(timeout))) }
}

/// Goes on with an interaction, or ends it (Core §10.7.1).
public struct StatusResponse: InteractionMessage {
    /// What the message is.
    public static var opcode: InteractionOpcode { .statusResponse }
    /// Success goes on.
    public var status: InteractionStatus
    /// Makes a response.
    public init(_ status: InteractionStatus) { self.status = status }
    /// Reads the member.
    public init(value: TLVValue) throws(TLVError) {
        self.init(InteractionStatus(rawValue: try value.integer(0)))
    }
    /// The one member.
    public var members: [TLVElement] { .init(tagged: (0, .uint(status.rawValue))) }
}
