package import HubControl

/// Plays the client's half of a transcript to a hub, and compares what the hub answers.
///
/// ```
///  start ──▶ connect, send hello ──▶ ┌ all that the hub sent before is there ─▶ send the next frame ┐ ──▶ finished
///                                    └──────────────────── received ◀──────────────────────────────┘
/// ```
/// A frame goes out when everything has come that the hub had sent before it in the transcript, whichever the connection.
/// A connection is closed after its last frame. Whoever owns it moves bytes, and calls ``timedOut()`` when nothing
/// happened for too long.
package struct ClientReplay: Sendable {
    package typealias Frame = Dialogue.Placed<DialogueFrame>

    /// What the owner has to do, or to know.
    package enum Action: Hashable, Sendable {
        /// Open a connection under this label.
        case connect(String)
        /// Send these bytes, preface included.
        case send(String, [UInt8])
        /// Close a connection in order.
        case close(String)
        /// A frame of the transcript was sent, or came.
        case passed(Frame)
        /// Something is not as in the transcript.
        case differs(DialogueDifference)
        /// The end; nothing follows.
        case finished
    }

    private let frames: [Frame]
    private let substitutions: ReplaySubstitutions
    private var matcher: DialogueMatcher
    /// Frames that were sent, came, or will not come.
    private var isDone: [Bool]
    /// The first that is not done.
    private var front = 0
    /// Where the last frame of each connection is.
    private let ends: [String: Int]
    private var open: Set<String> = []
    private var isFinished = false

    /// - Throws: ``MissingSubstitutions``.
    package init(
        _ dialogue: Dialogue, _ substitutions: ReplaySubstitutions, matcher: DialogueMatcher = DialogueMatcher()
    ) throws(MissingSubstitutions) {
        frames = dialogue.frames.filter { frame in
            frame.value.kind != "ping" && frame.value.kind != "pong" && frame.value.frameKind != nil
        }
        self.substitutions = substitutions
        self.matcher = matcher
        isDone = frames.map { _ in false }
        var ends: [String: Int] = [:]
        for (index, frame) in frames.enumerated() { ends[frame.value.connection] = index }
        self.ends = ends
        try requireSubstitutions()
    }

    private func requireSubstitutions() throws(MissingSubstitutions) {
        var known: Set<String> = []
        var missing: [String] = []
        for frame in frames {
            _ = frame.value.payload.replacing { value, name in
                guard let text = value.string, Placeholder.isOne(text), MemberMeaning(name, value) == .symbol else {
                    return value
                }
                if frame.value.sender == .hub {
                    known.insert(text)
                } else if !known.contains(text), substitutions.value(of: text, named: name) == nil {
                    known.insert(text)
                    missing.append(String(text.dropFirst().dropLast()))
                }
                return value
            }
        }
        guard missing.isEmpty else { throw MissingSubstitutions(names: missing) }
    }

    /// Begins.
    package mutating func start() -> [Action] { advance() }

    /// What is waited for now; `nil` when nothing is.
    package var awaited: Frame? {
        guard front < frames.count, frames[front].value.sender == .hub else { return nil }
        return frames[front]
    }

    // MARK: - Events

    /// A frame came on a connection.
    package mutating func received(_ frame: ControlFrame, on connection: String) -> [Action] {
        guard !isFinished, frame.kind.isKnown, frame.kind != .pong else { return [] }
        guard frame.kind != .ping else {
            return [.send(connection, ControlFrame(kind: .pong, payload: frame.payload).encoded())]
        }
        let payload: JSONObject
        do throws(ControlProtocolError) {
            payload = try JSONObject(parsing: frame.payload)
        } catch {
            payload = ["unreadable": .string(error.message)]
        }
        let actual = Frame(
            line: 0,
            value: DialogueFrame(
                connection: connection, sender: .hub, kind: DialogueFrame.name(of: frame.kind), payload: payload))
        let waiting = frames.indices[front...].prefix(Self.horizon).filter { index in
            !isDone[index] && frames[index].value.connection == connection && frames[index].value.sender == .hub
        }
        // All that the transcript has of this connection is over: what comes now was not recorded any more.
        if waiting.isEmpty, (ends[connection] ?? -1) < front { return [] }
        guard let index = waiting.first(where: { frames[$0].value.key == actual.value.key }) else {
            return [.differs(DialogueDifference(left: nil, right: redacted(actual)))]
        }
        var actions: [Action] = []
        // Events keep their order: those before this one will not come any more.
        if frame.kind == .event {
            for earlier in waiting where earlier < index && frames[earlier].value.isSameStream(as: frames[index].value)
            {
                finish(earlier)
                actions.append(.differs(DialogueDifference(left: frames[earlier], right: nil)))
            }
        }
        finish(index)
        let values = matcher.compare(frames[index].value, actual.value)
        actions.append(
            values.isEmpty
                ? .passed(frames[index])
                : .differs(DialogueDifference(left: frames[index], right: redacted(actual), values: values)))
        return actions + advance()
    }

    /// The hub closed a connection, or it broke.
    package mutating func ended(_ connection: String) -> [Action] {
        guard !isFinished, open.remove(connection) != nil else { return [] }
        var actions: [Action] = []
        for index in frames.indices where !isDone[index] && frames[index].value.connection == connection {
            finish(index)
            actions.append(.differs(DialogueDifference(left: frames[index], right: nil)))
        }
        return actions + advance()
    }

    /// What is waited for did not come in time: it is a difference, and the replay goes on.
    package mutating func timedOut() -> [Action] {
        guard !isFinished else { return [] }
        var actions: [Action] = []
        for index in frames.indices.prefix(nextToSend ?? frames.count)
        where !isDone[index] && frames[index].value.sender == .hub {
            finish(index)
            actions.append(.differs(DialogueDifference(left: frames[index], right: nil)))
        }
        return actions + advance()
    }

    // MARK: - Going on

    /// How far ahead a frame is looked for that comes earlier than in the transcript.
    private static let horizon = 2000

    private var nextToSend: Int? {
        frames.indices[front...].first { !isDone[$0] && frames[$0].value.sender == .client }
    }

    private mutating func finish(_ index: Int) {
        isDone[index] = true
        while front < isDone.count, isDone[front] { front += 1 }
    }

    private mutating func advance() -> [Action] {
        var actions: [Action] = []
        while awaited == nil {
            actions += closeIdle()
            guard let index = nextToSend else {
                isFinished = true
                return actions + [.finished]
            }
            actions += send(index)
        }
        return actions
    }

    /// Closes the connections whose last frame has passed.
    private mutating func closeIdle() -> [Action] {
        let over = open.filter { (ends[$0] ?? -1) < front }
        open.subtract(over)
        return over.sorted().map { .close($0) }
    }

    private mutating func send(_ index: Int) -> [Action] {
        let frame = frames[index].value
        finish(index)
        guard let kind = frame.frameKind else { return [] }
        var actions: [Action] = []
        var bytes: [UInt8] = []
        if open.insert(frame.connection).inserted {
            actions.append(.connect(frame.connection))
            bytes = ControlPreface.bytes
        }
        if let id = frame.requestID {
            let key = DialogueMatcher.requestKey(id, on: frame.connection)
            matcher.bind(key, to: key)
        }
        var learned: [(String, String)] = []
        let payload = frame.payload.replacing { value, name in
            guard let text = value.string else {
                guard MemberMeaning(name, value) == .eventNumber, let number = value.integer else { return value }
                return .integer(number + matcher.eventOffset)
            }
            guard MemberMeaning(name, value) == .symbol else {
                return MemberMeaning(name, value) == .version && Placeholder.isOne(text) ? "replay" : value
            }
            if let known = matcher[text] { return .string(known) }
            guard let given = substitutions.value(of: text, named: name) else { return value }
            learned.append((text, given))
            return .string(given)
        }
        for (text, given) in learned { matcher.bind(text, to: given) }
        bytes += ControlFrame(kind: kind, payload: payload.encoded()).encoded()
        return actions + [.send(frame.connection, bytes), .passed(frames[index])]
    }

    private func redacted(_ frame: Frame) -> Frame {
        var frame = frame
        var secrets = SecretPlaceholders()
        if let kind = frame.value.frameKind { frame.value.payload = secrets.redact(frame.value.payload, kind: kind) }
        return frame
    }
}

extension DialogueFrame {
    /// Whether both are events that come in one order.
    func isSameStream(as other: DialogueFrame) -> Bool {
        kind == "event" && other.kind == "event"
            && payload["subscription"]?.integer == other.payload["subscription"]?.integer
    }
}
