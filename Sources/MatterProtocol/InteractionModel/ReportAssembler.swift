import MatterWire

/// Puts the chunks of a report together: whole values, and lists that come as a first part and items to append.
struct ReportAssembler: Hashable, Sendable {
    private var attributes: [AttributeReport] = []
    private var places: [ConcreteAttributePath: Int] = [:]
    private var events: [EventReportIB] = []
    private var bytes = 0
    private var chunks = 0

    init() {}

    /// What came so far, in order of first appearance.
    var result: ReadResult { ReadResult(attributes: attributes, events: events) }

    /// Takes one chunk.
    ///
    /// - Parameter size: bytes of the chunk's payload, counted against the limits.
    mutating func add(_ chunk: ReportData, size: Int) throws(InteractionFailure) {
        bytes += size
        chunks += 1
        guard bytes <= InteractionLimits.maximumAnswer, chunks <= InteractionLimits.maximumChunks else {
            throw InteractionFailure(.answerTooLarge)
        }
        for report in chunk.attributes { try add(report) }
        events += chunk.events
    }

    private mutating func add(_ report: AttributeReportIB) throws(InteractionFailure) {
        switch report {
        case .status(let path, let status):
            // A peer may answer a wildcard with a status; nobody waits for that path.
            guard let path = path.concrete else { return }
            set(path, .status(path: path, status))
        case .data(let block):
            guard let path = block.path.concrete else { throw InteractionFailure(.mismatchedAnswer) }
            let version = block.version ?? lastVersion(of: path) ?? DataVersion(rawValue: 0)
            let value: TLVValue
            switch block.listIndex {
            case nil:
                value = block.value
            case .append:
                var items = try items(at: path)
                items.append(block.value)
                value = .array(items)
            case .item(let place):
                var items = try items(at: path)
                guard items.indices.contains(Int(place)) else { throw InteractionFailure(.mismatchedAnswer) }
                items[Int(place)] = block.value
                value = .array(items)
            }
            set(path, .data(path: path, version: version, value: value))
        }
    }

    private mutating func set(_ path: ConcreteAttributePath, _ report: AttributeReport) {
        if let place = places[path] {
            attributes[place] = report
        } else {
            places[path] = attributes.count
            attributes.append(report)
        }
    }

    /// The items of a list that is being put together; none when nothing of it came yet.
    private func items(at path: ConcreteAttributePath) throws(InteractionFailure) -> [TLVValue] {
        guard let place = places[path], case .data(_, _, let value) = attributes[place] else { return [] }
        guard let items = value.array else { throw InteractionFailure(.mismatchedAnswer) }
        return items
    }

    private func lastVersion(of path: ConcreteAttributePath) -> DataVersion? {
        guard let place = places[path], case .data(_, let version, _) = attributes[place] else { return nil }
        return version
    }
}
