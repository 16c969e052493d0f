import HubControl

extension FuzzTarget {
    private static let messageVectors = ["HubControlTests/Vectors/messages.json"]

    /// Readers of what comes over the control protocol.
    static let control: [FuzzTarget] = [
        FuzzTarget(
            "control-server", "a client's byte stream to the hub", made: { ControlBench.clientStreams },
            check: { try ControlBench.server($0) }),
        FuzzTarget(
            "control-client", "a hub's byte stream to a client", made: { ControlBench.hubStreams },
            check: { try ControlBench.client($0) }),
        FuzzTarget(
            "json", "JSON as the control protocol has it",
            vectors: ["HubControlTests/Vectors/json.json"] + messageVectors,
            form: .text, check: { try ControlBench.json($0) }),
        FuzzTarget(
            "control-message", "messages of the control protocol: a byte for the kind, then JSON",
            made: { ControlBench.messages }, check: { try ControlBench.message($0) }),
        FuzzTarget(
            "attribute-value", "attribute values and command fields as JSON",
            vectors: ["HubControlTests/Vectors/attribute-values.json"], form: .text,
            check: { try ControlBench.value($0) }),
        FuzzTarget(
            "control-params", "requests with params, to a running hub: {\"method\": …, \"params\": {…}}",
            made: { ParamsBench.seeds }, check: { try await ParamsBench.run($0) }),
    ]
}

/// The two ends of a control connection, and the readers under them.
private enum ControlBench {
    static let limits = ControlLimits(payloadLength: 2_000, depth: 8, stringLength: 300, entries: 20)

    /// The machine must say the same however the stream is cut, and after its end nothing.
    static func server(_ input: [UInt8]) throws -> FuzzTarget.Outcome {
        var outcomes: [[ServerConnection.Action]] = []
        for cut in [input.count, 1, 7] {
            var machine = ServerConnection(now: .zero, control: limits)
            var actions: [ServerConnection.Action] = []
            var rest = input[...]
            while !rest.isEmpty, !machine.isClosed {
                let piece = Array(rest.prefix(cut))
                rest = rest.dropFirst(piece.count)
                var queue = machine.received(piece, now: .zero)
                while !queue.isEmpty {
                    let action = queue.removeFirst()
                    actions.append(action)
                    if case .admit = action { queue += machine.admitted(welcome, now: .zero) }
                }
            }
            outcomes.append(actions)
            try hold(
                machine.timerFired(now: .seconds(1_000)).isEmpty || !machine.isClosed || !actions.contains(.close),
                "something after the end")
        }
        try hold(outcomes.allSatisfy { $0 == outcomes[0] }, "the cuts change what is said")
        var numbers: Set<RequestID> = []
        for case .perform(let request) in outcomes[0] {
            try hold(numbers.insert(request.id).inserted, "request \(request.id) twice")
        }
        try hold(numbers.count <= 32, "\(numbers.count) requests in flight")
        return outcomes[0].contains { if case .admit = $0 { true } else { false } } ? .accepted : .rejected
    }

    static func client(_ input: [UInt8]) throws -> FuzzTarget.Outcome {
        var outcomes: [[ClientConnection.Action]] = []
        for cut in [input.count, 1, 7] {
            var machine = ClientConnection(hello: Hello(client: "fuzz", grant: nil), control: limits)
            var actions = machine.start()
            var requests: Set<RequestID> = []
            var rest = input[...]
            while !rest.isEmpty {
                let piece = Array(rest.prefix(cut))
                rest = rest.dropFirst(piece.count)
                for action in machine.received(piece) {
                    actions.append(action)
                    guard case .welcomed = action, machine.isOpen else { continue }
                    // Too long for what the hub says it takes: refused here.
                    if let made = try? machine.request(.hubInfo) { requests.insert(made.id) }
                }
            }
            actions += machine.disconnected("over")
            var ends = 0
            for action in actions {
                if case .answered(let id, _) = action {
                    try hold(requests.remove(id) != nil, "an answer nobody waits for")
                }
                if case .ended = action { ends += 1 }
            }
            try hold(requests.isEmpty, "a request without an answer")
            try hold(ends == 1, "\(ends) ends")
            outcomes.append(actions)
        }
        return outcomes[0].contains { if case .welcomed = $0 { true } else { false } } ? .accepted : .rejected
    }

    static func json(_ input: [UInt8]) throws -> FuzzTarget.Outcome {
        let small = ControlLimits(payloadLength: 4_096, depth: 6, stringLength: 200, entries: 12)
        let narrow = try? JSONValue(parsing: input, limits: small)
        if let narrow { try within(narrow, small, 1) }
        return try roundTrip(
            "JSON", input, decode: { bytes throws(ControlProtocolError) in try JSONValue(parsing: bytes) },
            encode: { value in
                let text = value.encoded()
                try hold(try JSONValue(parsing: value.encoded(.indented)) == value, "indented text differs")
                try hold(try JSONValue(parsing: text).encoded() == text, "the text is not stable")
                return text
            })
    }

    private static func within(_ value: JSONValue, _ limits: ControlLimits, _ depth: Int) throws {
        switch value {
        case .string(let text): try hold(text.utf8.count <= limits.stringLength, "a string past its limit")
        case .array(let items):
            try hold(items.count <= limits.entries && depth <= limits.depth, "a container past its limit")
            for item in items { try within(item, limits, depth + 1) }
        case .object(let object):
            try hold(object.members.count <= limits.entries && depth <= limits.depth, "a container past its limit")
            try hold(Set(object.members.map(\.name)).count == object.members.count, "a name twice")
            for member in object.members { try within(member.value, limits, depth + 1) }
        default: break
        }
    }

    static func message(_ input: [UInt8]) throws -> FuzzTarget.Outcome {
        guard let kind = input.first else { return .rejected }
        let frame = ControlFrame(kind: ControlFrameKind(rawValue: kind), payload: Array(input.dropFirst()))
        // A request with a fault keeps what its answer needs, and no more.
        if case .request(let request)? = try? ControlMessage(decoding: frame), request.fault != nil { return .rejected }
        return try roundTrip(
            "message", Array(input.dropFirst()),
            decode: { bytes throws(ControlProtocolError) in
                try ControlMessage(decoding: ControlFrame(kind: ControlFrameKind(rawValue: kind), payload: bytes))
            },
            encode: { $0.frame.payload })
    }

    static func value(_ input: [UInt8]) throws -> FuzzTarget.Outcome {
        guard let json = try? JSONValue(parsing: input), let value = try? AttributeValue(json: json) else {
            return .rejected
        }
        let again = try AttributeValue(json: value.parameterJSON)
        try hold(again == value || value != value, "\(value) comes back as \(again)")
        _ = try AttributeValue(json: value.json)
        return .accepted
    }

    // MARK: - Seeds

    static let welcome = Welcome(
        version: "1.1", hub: .init(id: HubID(rawValue: 1), name: "Hub", version: "1"),
        structures: [.init(id: StructureID(rawValue: 0xA1), name: "Home")], grant: nil, maximumPayload: 1_000,
        events: nil)

    private static let requests: [ControlMessage] = [
        .request(
            ControlRequest(id: .first, method: .sessionPrepare, params: ["lifetimeMs": 60_000], deadlineMs: 5_000)),
        .request(ControlRequest(id: .first.next, method: .cancel, params: ["id": 1])),
        .ping(Array("{}".utf8)), .pong(Array("{}".utf8)),
    ]

    private static let hello = ControlMessage.hello(Hello(client: "fuzz/1", grant: "mh1.AAAA.BBBB.CCCC"))

    private static let answers: [ControlMessage] = [
        .response(ControlResponse(id: .first, outcome: .success(["name": "Hub"]))),
        .response(
            ControlResponse(
                id: .first,
                outcome: .failure(
                    ControlError(
                        .unavailable, "no", stage: "pase", details: ["reason": "hubOffline"], retryAfterMs: 5,
                        suggestedUserActions: [.tryAgainLater])))),
        .event(
            ControlEvent(structure: StructureID(rawValue: 0xA1), number: 4, name: "room.added", data: ["id": "x"])),
        .goaway(Goaway(code: .unavailable, message: "stopping")),
    ]

    static var clientStreams: [[UInt8]] {
        let all = ([hello] + requests).flatMap { $0.frame.encoded() }
        return [ControlPreface.bytes + all, ControlPreface.bytes + all.prefix(40), [0x4D, 0x48, 0x55, 0x42, 0x02]]
    }

    static var hubStreams: [[UInt8]] {
        answers.map { ControlMessage.welcome(welcome).frame.encoded() + $0.frame.encoded() }
    }

    static var messages: [[UInt8]] {
        ([hello, .welcome(welcome)] + requests + answers).map { [$0.frame.kind.rawValue] + $0.frame.payload }
    }
}
