import MatterWire

/// Cuts a report into messages that fit; a list larger than a message goes as an empty list and items to append.
struct ReportChunker: Hashable, Sendable {
    fileprivate enum Item: Hashable, Sendable {
        case attribute(AttributeReportIB)
        case event(EventReportIB)
    }

    /// Bytes of a report's own members: its structure, number, two arrays, two flags and revision.
    private static let overhead = 24

    private var queue: ArraySlice<Item>
    private let subscription: SubscriptionID?
    private let room: Int

    /// - Parameters:
    ///   - subscription: set in every chunk; the last chunk then asks for a response, and without one it does not.
    ///   - limit: bytes of a payload.
    init(
        attributes: [AttributeReport], events: [EventReportIB], subscription: SubscriptionID? = nil,
        limit: Int = InteractionLimits.maximumPayload
    ) {
        queue = (attributes.map { Item.attribute(AttributeReportIB($0)) } + events.map(Item.event))[...]
        self.subscription = subscription
        room = limit - Self.overhead
    }

    /// Whether ``next()`` has given the last chunk.
    private(set) var isFinished = false

    /// The next chunk; empty only when the whole report is.
    mutating func next() -> ReportData {
        var chunk = ReportData(subscription: subscription)
        var used = 0
        while let item = queue.first {
            let size = item.encodedCount
            if used + size > room {
                // What is too large for any message is cut up; the rest goes into the next one.
                guard size > room else { break }
                queue.removeFirst()
                queue = ArraySlice(item.parts(room: room)) + queue
                continue
            }
            queue.removeFirst()
            used += size
            switch item {
            case .attribute(let report): chunk.attributes.append(report)
            case .event(let report): chunk.events.append(report)
            }
        }
        isFinished = queue.isEmpty
        chunk.hasMoreChunks = !isFinished
        chunk.suppressesResponse = isFinished && subscription == nil
        return chunk
    }
}

extension ReportChunker.Item {
    fileprivate var encodedCount: Int {
        switch self {
        case .attribute(let report): report.encodedCount
        case .event(let report): ReportData(events: [report]).encoded().count - ReportData.emptyCount
        }
    }

    /// What to send of an item that no message holds.
    fileprivate func parts(room: Int) -> [Self] {
        guard case .attribute(.data(let block)) = self else { return [] }
        let tooLarge = Self.attribute(.status(block.path, StatusIB(.resourceExhausted)))
        guard block.listIndex == nil, let items = block.value.array else { return [tooLarge] }
        func part(_ value: TLVValue, _ index: ListIndex?) -> AttributeReportIB {
            .data(AttributeDataIB(version: block.version, path: block.path, listIndex: index, value: value))
        }
        let parts = [part(.array([]), nil)] + items.map { part($0, .append) }
        guard parts.allSatisfy({ $0.encodedCount <= room }) else { return [tooLarge] }
        return parts.map(Self.attribute)
    }
}

extension ReportData {
    fileprivate static let emptyCount = ReportData().encoded().count
}

extension AttributeReportIB {
    init(_ report: AttributeReport) {
        switch report {
        case .data(let path, let version, let value):
            self = .data(AttributeDataIB(version: version, path: AttributePath(path), value: value))
        case .status(let path, let status):
            self = .status(AttributePath(path), status)
        }
    }

    fileprivate var encodedCount: Int { ReportData(attributes: [self]).encoded().count - ReportData.emptyCount }
}

extension AttributePath {
    /// The path of one attribute.
    init(_ path: ConcreteAttributePath) {
        self.init(endpoint: path.endpoint, cluster: path.cluster, attribute: path.attribute)
    }
}
