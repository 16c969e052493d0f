/// Asks for attributes and events (Core §10.7.2).
public struct ReadRequest: InteractionMessage {
    /// What the message is.
    public static var opcode: InteractionOpcode { .readRequest }
    /// The attributes; an empty path is every attribute.
    public var attributes: [AttributePath]
    /// The events.
    public var events: [EventPath]
    /// Events that the reader already has.
    public var eventFilters: [EventFilter]
    /// Fabric-scoped lists hold only entries of the accessing fabric.
    public var isFabricFiltered: Bool
    /// Clusters that the reader already has.
    public var versionFilters: [DataVersionFilter]
    /// Makes a request.
    public init(
        attributes: [AttributePath], events: [EventPath] = [], eventFilters: [EventFilter] = [],
        isFabricFiltered: Bool = true, versionFilters: [DataVersionFilter] = []
    ) {
        self.attributes = attributes
        self.events = events
        self.eventFilters = eventFilters
        self.isFabricFiltered = isFabricFiltered
        self.versionFilters = versionFilters
    }
    /// Reads the members; `FabricFiltered` is mandatory.
    public init(value: TLVValue) throws(TLVError) {
        self.init(
            attributes: try value.readItems(0, AttributePath.decodeRequest),
            events: try value.readItems(1, EventPath.init(value:)),
            eventFilters: try value.readItems(2, EventFilter.init(value:)),
            isFabricFiltered: try value.bool(3),
            versionFilters: try value.readItems(4, DataVersionFilter.init(value:)))
    }
    /// Empty lists are left out.
    public var members: [TLVElement] {
        .init(
            tagged: (0, .nonEmpty(attributes.map { $0.encoded() })), (1, .nonEmpty(events.map(\.encodedPath))),
            (2, .nonEmpty(eventFilters.map(\.encodedBlock))), (3, .bool(isFabricFiltered)),
            (4, .nonEmpty(versionFilters.map(\.encodedBlock))))
    }
}

/// Asks for attributes and events now and whenever they change (Core §10.7.4).
public struct SubscribeRequest: InteractionMessage {
    /// What the message is.
    public static var opcode: InteractionOpcode { .subscribeRequest }
    /// `false` ends the peer's other subscriptions.
    public var keepsSubscriptions: Bool
    /// Shortest time between two reports, seconds.
    public var minimumInterval: UInt16
    /// Longest time between two reports that the subscriber wants, seconds.
    public var maximumInterval: UInt16
    /// The attributes; an empty path is every attribute.
    public var attributes: [AttributePath]
    /// The events.
    public var events: [EventPath]
    /// Events that the reader already has.
    public var eventFilters: [EventFilter]
    /// Fabric-scoped lists hold only entries of the accessing fabric.
    public var isFabricFiltered: Bool
    /// Clusters that the reader already has.
    public var versionFilters: [DataVersionFilter]
    /// Makes a request.
    public init(
        keepsSubscriptions: Bool, minimumInterval: UInt16, maximumInterval: UInt16, attributes: [AttributePath],
        events: [EventPath] = [], eventFilters: [EventFilter] = [], isFabricFiltered: Bool = true,
        versionFilters: [DataVersionFilter] = []
    ) {
        self.keepsSubscriptions = keepsSubscriptions
        self.minimumInterval = minimumInterval
        self.maximumInterval = maximumInterval
        self.attributes = attributes
        self.events = events
        self.eventFilters = eventFilters
        self.isFabricFiltered = isFabricFiltered
        self.versionFilters = versionFilters
    }
    /// Reads the members; the flags and intervals are mandatory.
    public init(value: TLVValue) throws(TLVError) {
        self.init(
            keepsSubscriptions: try value.bool(0), minimumInterval: try value.integer(1),
            maximumInterval: try value.integer(2), attributes: try value.readItems(3, AttributePath.decodeRequest),
            events: try value.readItems(4, EventPath.init(value:)),
            eventFilters: try value.readItems(5, EventFilter.init(value:)),
            isFabricFiltered: try value.bool(7),
            versionFilters: try value.readItems(8, DataVersionFilter.init(value:)))
    }
    /// Empty lists are left out.
    public var members: [TLVElement] {
        .init(
            tagged: (0, .bool(keepsSubscriptions)), (1, .uint(minimumInterval)), (2, .uint(maximumInterval)),
            (3, .nonEmpty(attributes.map { $0.encoded() })), (4, .nonEmpty(events.map(\.encodedPath))),
            (5, .nonEmpty(eventFilters.map(\.encodedBlock))), (7, .bool(isFabricFiltered)),
            (8, .nonEmpty(versionFilters.map(\.encodedBlock))))
    }
}

/// Ends the set-up of a subscription (Core §10.7.5).
public struct SubscribeResponse: InteractionMessage {
    /// What the message is.
    public static var opcode: InteractionOpcode { .subscribeResponse }
    /// The publisher's number.
    public var subscription: SubscriptionID
    /// The longest time between two reports that the publisher promises, seconds.
    public var maximumInterval: UInt16
    /// Makes a response.
    public init(subscription: SubscriptionID, maximumInterval: UInt16) {
        self.subscription = subscription
        self.maximumInterval = maximumInterval
    }
    /// Reads the members.
    public init(value: TLVValue) throws(TLVError) {
        self.init(
            subscription: SubscriptionID(rawValue: try value.integer(0)), maximumInterval: try value.integer(2))
    }
    /// The members in tag order.
    public var members: [TLVElement] {
        .init(tagged: (0, .uint(subscription.rawValue)), (2, .uint(maximumInterval)))
    }
}

/// Attributes and events, or one chunk of them (Core §10.7.3).
public struct ReportData: InteractionMessage {
    /// What the message is.
    public static var opcode: InteractionOpcode { .reportData }
    /// The subscription that this serves.
    public var subscription: SubscriptionID?
    /// The attributes in this chunk.
    public var attributes: [AttributeReportIB]
    /// The events in this chunk.
    public var events: [EventReportIB]
    /// Another chunk follows a status response.
    public var hasMoreChunks: Bool
    /// The receiver answers nothing.
    public var suppressesResponse: Bool
    /// Makes a report.
    public init(
        subscription: SubscriptionID? = nil, attributes: [AttributeReportIB] = [], events: [EventReportIB] = [],
        hasMoreChunks: Bool = false, suppressesResponse: Bool = false
    ) {
        self.subscription = subscription
        self.attributes = attributes
        self.events = events
        self.hasMoreChunks = hasMoreChunks
        self.suppressesResponse = suppressesResponse
    }
    /// Reads the members; every one is optional.
    public init(value: TLVValue) throws(TLVError) {
        self.init(
            subscription: try value.optionalInteger(0).map(SubscriptionID.init(rawValue:)),
            attributes: try value.readItems(1, AttributeReportIB.init(value:)),
            events: try value.readItems(2, EventReportIB.init(value:)),
            hasMoreChunks: try value.optionalBool(3) ?? false,
            suppressesResponse: try value.optionalBool(4) ?? false)
    }
    /// Empty lists and false flags are left out.
    public var members: [TLVElement] {
        .init(
            tagged: (0, (subscription?.rawValue).map(TLVValue.uint)),
            (1, .nonEmpty(attributes.map(\.encodedBlock))), (2, .nonEmpty(events.map(\.encodedBlock))),
            (3, hasMoreChunks ? .bool(true) : nil), (4, suppressesResponse ? .bool(true) : nil))
    }
}

extension TLVValue {
    /// An array; `nil` without items.
    static func nonEmpty(_ items: [TLVValue]) -> TLVValue? { items.isEmpty ? nil : .array(items) }
}
