public import MatterWire

/// The client's side of one write, timed or not, in as many chunks as it needs (Core §8.7).
///
///     idle ── start ──▶ awaitingTimedStatus ── success ──▶ awaitingResponse ── last response ──▶ finished
///       └── start, untimed ──────────────────────────────▶  ▲           │ │                          ▲
///                                                           └─ chunk ───┘ └── status, garbage ───────┘
///
/// A list goes as one value where it fits a message, so that a bad entry cannot leave it half written (trap: an
/// access control list emptied first locks the writer out); a longer one goes as an empty list and items to append.
public struct WriteTransaction: Sendable {
    /// What the owner must do; the value has one status an attribute: its first error, else success.
    public typealias Action = InteractionAction<[AttributeWriteResult]>

    private enum State: Sendable {
        case idle
        case awaitingTimedStatus
        case awaitingResponse(chunk: Int, [AttributeWriteResult])
        case finished
    }

    private let chunks: [[AttributeDataIB]]?
    private let timeout: UInt16?
    private var state = State.idle

    /// Makes a write.
    ///
    /// - Parameter timeout: milliseconds of the timed interaction; `nil` for an untimed one.
    public init(_ writes: [AttributeWrite], timeout: UInt16? = nil) {
        chunks = Self.chunks(writes)
        self.timeout = timeout
    }

    /// Begins; call once.
    public mutating func start() -> [Action] {
        guard case .idle = state else { return [] }
        guard chunks != nil else {
            state = .finished
            return InteractionFailure(.requestTooLarge).end()
        }
        guard let timeout else { return send(chunk: 0, results: []) }
        state = .awaitingTimedStatus
        return [.send(OutboundMessage(TimedRequest(timeout: timeout)))]
    }

    /// A message came on the exchange.
    public mutating func received(_ message: InboundMessage) -> [Action] {
        do throws(InteractionFailure) {
            switch state {
            case .idle, .finished:
                return []
            case .awaitingTimedStatus:
                try message.requireSuccess()
                return send(chunk: 0, results: [])
            case .awaitingResponse(let chunk, var results):
                let response: WriteResponse = try message.answer()
                for status in response.statuses {
                    if let path = status.path.concrete { Self.add(status.status, at: path, to: &results) }
                }
                guard chunk + 1 == chunks?.count else { return send(chunk: chunk + 1, results: results) }
                state = .finished
                return [.finished(.success(results))]
            }
        } catch {
            state = .finished
            return error.end()
        }
    }

    /// The exchange or session failed, or the owner's time is over.
    public mutating func failed(_ code: InteractionFailure.Code) -> [Action] {
        if case .finished = state { return [] }
        state = .finished
        return [.finished(.failure(InteractionFailure(code)))]
    }

    private mutating func send(chunk: Int, results: [AttributeWriteResult]) -> [Action] {
        guard let chunks else { return [] }
        state = .awaitingResponse(chunk: chunk, results)
        return [
            .send(
                OutboundMessage(
                    WriteRequest(
                        writes: chunks[chunk], isTimed: timeout != nil, hasMoreChunks: chunk + 1 < chunks.count)))
        ]
    }

    private static func add(
        _ status: StatusIB, at path: ConcreteAttributePath, to results: inout [AttributeWriteResult]
    ) {
        if let place = results.firstIndex(where: { $0.path == path }) {
            if results[place].status.isSuccess { results[place].status = status }
        } else {
            results.append(AttributeWriteResult(path: path, status: status))
        }
    }

    /// The writes in messages that fit; `nil` when a single value or item is too large for one.
    private static func chunks(_ writes: [AttributeWrite]) -> [[AttributeDataIB]]? {
        let room = InteractionLimits.maximumPayload - WriteRequest(writes: []).encoded().count
        var chunks: [[AttributeDataIB]] = [[]]
        var used = 0
        for write in writes {
            for block in write.blocks(room: room) {
                let size = block.encodedCount
                guard size <= room else { return nil }
                if used + size > room {
                    chunks.append([])
                    used = 0
                }
                chunks[chunks.count - 1].append(block)
                used += size
            }
        }
        return chunks
    }
}

extension AttributeWrite {
    /// The write as data blocks: one, or an empty list and its items when the whole is larger than `room` bytes.
    fileprivate func blocks(room: Int) -> [AttributeDataIB] {
        switch listOperation {
        case .append:
            return [AttributeDataIB(version: version, path: path, listIndex: .append, value: value)]
        case .replaceAll:
            let whole = AttributeDataIB(version: version, path: path, value: value)
            guard whole.encodedCount > room, let items = value.array else { return [whole] }
            // The first block's success changes the version, so only that block can be conditional.
            return [AttributeDataIB(version: version, path: path, value: .array([]))]
                + items.map { AttributeDataIB(path: path, listIndex: .append, value: $0) }
        }
    }
}

extension AttributeDataIB {
    /// Bytes that the block takes in a message.
    fileprivate var encodedCount: Int {
        WriteRequest(writes: [self]).encoded().count - WriteRequest(writes: []).encoded().count
    }
}

extension InboundMessage {
    /// Takes a status response of success; anything else is a failure.
    func requireSuccess() throws(InteractionFailure) {
        let status = try interaction(StatusResponse.self).status
        guard status == .success else { throw InteractionFailure(.status(status)) }
    }
}
