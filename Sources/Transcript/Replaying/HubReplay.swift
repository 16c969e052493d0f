package import HubControl

/// Plays the hub's half of a transcript to a client, and compares what the client asks.
///
/// Connections of the client take the transcript's connections in their order. After each frame of the client comes what the
/// hub had sent up to the client's next frame; a request that the transcript does not have there is refused.
package struct HubReplay: Sendable {
    package typealias Frame = Dialogue.Placed<DialogueFrame>

    /// What the owner has to do, or to know.
    package enum Action: Hashable, Sendable {
        /// Send these bytes.
        case send([UInt8])
        /// Close the connection once what was sent before is on its way.
        case close
        /// A frame of the transcript came, or was sent.
        case passed(Frame)
        /// Something is not as in the transcript.
        case differs(DialogueDifference)
    }

    /// What placeholders of times and versions become.
    package struct Surroundings: Sendable {
        /// Seconds since 1970.
        package var now: Int64
        package var version: String
        package init(now: Int64, version: String) {
            self.now = now
            self.version = version
        }
    }

    private let frames: [Frame]
    private let labels: [String]
    private let substitutions: ReplaySubstitutions
    private let surroundings: Surroundings
    private var matcher: DialogueMatcher
    private var isDone: [Bool]
    private var taken = 0
    /// Ids that were made for placeholders.
    private var madeIDs: UInt64 = 0
    /// Numbers of the client's requests by those of the transcript.
    private var requests: [String: Int64] = [:]

    package init(
        _ dialogue: Dialogue, _ substitutions: ReplaySubstitutions, _ surroundings: Surroundings,
        matcher: DialogueMatcher = DialogueMatcher()
    ) {
        frames = dialogue.frames.filter { frame in
            frame.value.kind != "ping" && frame.value.kind != "pong" && frame.value.frameKind != nil
        }
        var labels: [String] = []
        for frame in frames where !labels.contains(frame.value.connection) { labels.append(frame.value.connection) }
        self.labels = labels
        self.substitutions = substitutions
        self.surroundings = surroundings
        self.matcher = matcher
        isDone = frames.map { _ in false }
    }

    /// A client connected.
    ///
    /// - Returns: the label of the transcript's connection that is played on it; `nil` when all were played.
    package mutating func opened() -> String? {
        guard taken < labels.count else { return nil }
        taken += 1
        return labels[taken - 1]
    }

    /// Whether every frame was played.
    package var isFinished: Bool { isDone.allSatisfy(\.self) }

    /// A frame came from the client.
    package mutating func received(_ frame: ControlFrame, on connection: String) -> [Action] {
        guard frame.kind.isKnown, frame.kind != .pong else { return [] }
        guard frame.kind != .ping else {
            return [.send(ControlFrame(kind: .pong, payload: frame.payload).encoded())]
        }
        let payload: JSONObject
        do throws(ControlProtocolError) {
            payload = try JSONObject(parsing: frame.payload)
        } catch {
            return [.send(ControlMessage.goaway(error.goaway).frame.encoded()), .close]
        }
        let actual = DialogueFrame(
            connection: connection, sender: .client, kind: DialogueFrame.name(of: frame.kind), payload: payload)
        let expected = frames.indices.first { index in
            let value = frames[index].value
            return !isDone[index] && value.sender == .client && value.connection == connection
                && value.key == actual.key
        }
        guard let expected else { return refuse(actual) }
        isDone[expected] = true
        if let id = frames[expected].value.requestID, let theirs = actual.requestID {
            requests[DialogueMatcher.requestKey(id, on: connection)] = theirs
        }
        let values = matcher.compare(frames[expected].value, actual)
        let verdict: Action =
            values.isEmpty
            ? .passed(frames[expected])
            : .differs(DialogueDifference(left: frames[expected], right: redacted(actual), values: values))
        return [verdict] + answers(on: connection)
    }

    /// The client closed a connection, or it broke: what the transcript has of it still is missing.
    package mutating func ended(_ connection: String) -> [Action] {
        var actions: [Action] = []
        for index in frames.indices where !isDone[index] && frames[index].value.connection == connection {
            isDone[index] = true
            if frames[index].value.sender == .client {
                actions.append(.differs(DialogueDifference(left: frames[index], right: nil)))
            }
        }
        return actions
    }

    private func refuse(_ actual: DialogueFrame) -> [Action] {
        let difference = Action.differs(DialogueDifference(left: nil, right: redacted(actual)))
        guard let id = actual.requestID.flatMap({ RequestID(rawValue: $0) }) else {
            let goaway = Goaway(code: .failedPrecondition, message: "the transcript has no \(actual.kind) here")
            return [difference, .send(ControlMessage.goaway(goaway).frame.encoded()), .close]
        }
        let error = ControlError(.unimplemented, "the transcript has no such request here")
        let response = ControlResponse(id: id, outcome: .failure(error))
        return [difference, .send(ControlMessage.response(response).frame.encoded())]
    }

    /// What the hub sends until the client's next frame.
    private mutating func answers(on connection: String) -> [Action] {
        var actions: [Action] = []
        for index in frames.indices where frames[index].value.connection == connection && !isDone[index] {
            guard frames[index].value.sender == .hub else { break }
            isDone[index] = true
            guard let kind = frames[index].value.frameKind else { continue }
            let payload = instantiated(frames[index].value)
            actions += [
                .send(ControlFrame(kind: kind, payload: payload.encoded()).encoded()), .passed(frames[index]),
            ]
            if kind == .goaway { actions.append(.close) }
        }
        return actions
    }

    /// The payload with values in the place of placeholders.
    private mutating func instantiated(_ frame: DialogueFrame) -> JSONObject {
        var (matcher, madeIDs) = (matcher, madeIDs)
        var payload = frame.payload.replacing { value, name in
            guard let text = value.string else { return value }
            switch MemberMeaning(name, value) {
            case .duration where Placeholder.isOne(text): return 1000
            case .time where Placeholder.isOne(text): return .integer(surroundings.now)
            case .version where Placeholder.isOne(text):
                return .string(name == "protocol" ? ControlLimits.protocolVersion : surroundings.version)
            case .symbol:
                if let known = matcher[text] { return .string(known) }
                guard Placeholder.isOne(text) else { return value }
                madeIDs += 1
                let made = substitutions.value(of: text, named: name) ?? DeviceLikeID(rawValue: madeIDs).text
                matcher.bind(text, to: made)
                return .string(made)
            default: return value
            }
        }
        (self.matcher, self.madeIDs) = (matcher, madeIDs)
        if let id = frame.requestID {
            let theirs = requests[DialogueMatcher.requestKey(id, on: frame.connection)] ?? id
            payload["id"] = .integer(theirs)
        }
        return payload
    }

    private func redacted(_ frame: DialogueFrame) -> Frame {
        var frame = frame
        var secrets = SecretPlaceholders()
        if let kind = frame.frameKind { frame.payload = secrets.redact(frame.payload, kind: kind) }
        return Frame(line: 0, value: frame)
    }
}

/// An id that was made up for a placeholder: it can be told from a real one by its first digits.
private struct DeviceLikeID: HexIdentifier {
    let rawValue: UInt64
    init(rawValue: UInt64) { self.rawValue = 0xFACE_0000_0000_0000 | rawValue }
}
