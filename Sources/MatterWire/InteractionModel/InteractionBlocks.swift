/// How an attribute data block means its list (Core §10.6.4.3).
public enum ListIndex: Hashable, Sendable {
    /// Null: one more item at the end.
    case append
    /// One item by its place; no current peer sends it.
    case item(UInt16)
}

/// One attribute's value in a report or a write: AttributeDataIB (Core §10.6.4).
public struct AttributeDataIB: Hashable, Sendable {
    /// The version of the cluster; in a write, the version that it must still have. Absent in some chunks.
    public var version: DataVersion?
    /// The attribute; a report's is concrete.
    public var path: AttributePath
    /// `nil`: the value is the whole attribute.
    public var listIndex: ListIndex?
    /// The attribute's value, or one list item.
    public var value: TLVValue
    /// Makes a block; the default is a whole value without a version.
    public init(version: DataVersion? = nil, path: AttributePath, listIndex: ListIndex? = nil, value: TLVValue) {
        self.version = version
        self.path = path
        self.listIndex = listIndex
        self.value = value
    }
}

/// One attribute's answer as it travels in a report: AttributeReportIB (Core §10.6.5).
public enum AttributeReportIB: Hashable, Sendable {
    /// Why there is no value.
    case status(AttributePath, StatusIB)
    /// A value, or a part of a list.
    case data(AttributeDataIB)
}

/// Skip events before this number: EventFilterIB (Core §10.6.6).
public struct EventFilter: Hashable, Sendable {
    /// The node whose events are meant; absent means the one asked.
    public var node: NodeID?
    /// The first event number of interest.
    public var minimum: UInt64
    /// Makes a filter.
    public init(node: NodeID? = nil, minimum: UInt64) {
        self.node = node
        self.minimum = minimum
    }
}

/// One event that happened: EventDataIB (Core §10.6.9).
public struct EventDataIB: Hashable, Sendable {
    /// How important an event is.
    public enum Priority: UInt8, Hashable, Sendable { case debug = 0, info, critical }
    /// When it happened; milliseconds each.
    public enum Timestamp: Hashable, Sendable {
        /// Since the Unix epoch, as peers send it.
        case epoch(UInt64)
        /// Since the node started.
        case system(UInt64)
        /// After the previous event's epoch time, in the same message.
        case deltaEpoch(UInt64)
        /// After the previous event's system time, in the same message.
        case deltaSystem(UInt64)
    }
    /// The event; concrete.
    public var path: EventPath
    /// Grows by one an event, over all of a node's events.
    public var number: UInt64
    /// How important it is.
    public var priority: Priority
    /// When it happened; some peers leave it out.
    public var timestamp: Timestamp?
    /// The event's fields, a structure; absent when it has none.
    public var fields: TLVValue?
    /// Makes an event.
    public init(path: EventPath, number: UInt64, priority: Priority, timestamp: Timestamp?, fields: TLVValue?) {
        self.path = path
        self.number = number
        self.priority = priority
        self.timestamp = timestamp
        self.fields = fields
    }
}

/// One event's answer in a report: EventReportIB (Core §10.6.10).
public enum EventReportIB: Hashable, Sendable {
    /// Why there are no events of this path.
    case status(EventPath, StatusIB)
    /// An event.
    case data(EventDataIB)
}

/// A command with its fields, or a response command: CommandDataIB (Core §10.6.12).
public struct CommandDataIB: Hashable, Sendable {
    /// The command.
    public var path: CommandPath
    /// A structure, empty when the command has no fields.
    public var fields: TLVValue
    /// Names the command within its message; needed with more than one.
    public var reference: UInt16?
    /// Makes a block.
    public init(path: CommandPath, fields: TLVValue = .structure([]), reference: UInt16? = nil) {
        self.path = path
        self.fields = fields
        self.reference = reference
    }
}

/// How a command ended that has no response command, or failed: CommandStatusIB (Core §10.6.14).
public struct CommandStatusIB: Hashable, Sendable {
    /// The command that was asked for.
    public var path: CommandPath
    /// How it ended.
    public var status: StatusIB
    /// The reference of the request.
    public var reference: UInt16?
    /// Makes a block.
    public init(path: CommandPath, status: StatusIB, reference: UInt16? = nil) {
        self.path = path
        self.status = status
        self.reference = reference
    }
}

/// One command's answer: InvokeResponseIB (Core §10.6.13).
public enum InvokeResponseIB: Hashable, Sendable {
    /// A response command.
    case command(CommandDataIB)
    /// A status.
    case status(CommandStatusIB)
    /// The reference of the request.
    public var reference: UInt16? {
        switch self {
        case .command(let block): block.reference
        case .status(let block): block.reference
        }
    }
}

/// A publisher's number for a subscription; unique to it while the subscription lives (Core §8.5.1).
public struct SubscriptionID: RawRepresentable, Hashable, Sendable {
    /// The number on the wire.
    public var rawValue: UInt32
    /// Wraps a number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
}
