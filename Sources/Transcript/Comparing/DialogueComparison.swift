import HubControl

/// Compares two dialogues (Protocols/transcripts.md).
///
/// Connections are compared in the order of their first frames. On each, these are compared in their order: what the client
/// sends, the events, what else the hub sends. A response belongs to its request. Between these nothing is promised, and
/// nothing is compared; pings are left out.
package struct DialogueComparison: Sendable {
    package typealias Frame = Dialogue.Placed<DialogueFrame>
    private typealias Pair = (left: Frame?, right: Frame?)

    /// What counts.
    package var matcher: DialogueMatcher

    package init(matcher: DialogueMatcher = DialogueMatcher()) { self.matcher = matcher }

    /// Every difference, in the order of the first dialogue's lines.
    package func differences(_ left: Dialogue, _ right: Dialogue) -> [DialogueDifference] {
        let (lefts, rights) = (Self.connections(left), Self.connections(right))
        var pairs: [Pair] = []
        for index in 0..<max(lefts.count, rights.count) {
            pairs += Self.pairs(
                index < lefts.count ? lefts[index] : [], index < rights.count ? rights[index] : [])
        }
        // Values are learned in the order of the lines: an id is made before it is used.
        var place = 0
        let places = pairs.map { pair in
            place = pair.left?.line ?? place
            return place
        }
        var matcher = matcher
        var differences: [DialogueDifference] = []
        for index in pairs.indices.sorted(by: { (places[$0], $0) < (places[$1], $1) }) {
            let pair = pairs[index]
            guard let left = pair.left, let right = pair.right else {
                differences.append(DialogueDifference(left: pair.left, right: pair.right))
                continue
            }
            let values = matcher.compare(left.value, right.value)
            if !values.isEmpty { differences.append(DialogueDifference(left: left, right: right, values: values)) }
        }
        return differences
    }

    /// The frames of each connection, without pings.
    private static func connections(_ dialogue: Dialogue) -> [[Frame]] {
        var order: [String] = []
        var frames: [String: [Frame]] = [:]
        for frame in dialogue.frames where frame.value.kind != "ping" && frame.value.kind != "pong" {
            if frames[frame.value.connection] == nil { order.append(frame.value.connection) }
            frames[frame.value.connection, default: []].append(frame)
        }
        return order.compactMap { frames[$0] }
    }

    private static func pairs(_ left: [Frame], _ right: [Frame]) -> [Pair] {
        var responses: [Pair] = []
        let (mine, other) = (Answers(left), Answers(right))
        let requests = align(left.filter { $0.value.sender == .client }, right.filter { $0.value.sender == .client })
        for pair in requests {
            let answers = (pair.left.flatMap { mine.response(to: $0) }, pair.right.flatMap { other.response(to: $0) })
            if answers.0 != nil || answers.1 != nil { responses.append(answers) }
        }
        func rest(_ frames: [Frame], _ answers: Answers, events: Bool) -> [Frame] {
            frames.filter { frame in
                frame.value.sender == .hub && (frame.value.kind == "event") == events
                    && !answers.isAnswer(frame)
            }
        }
        return requests + responses
            + align(rest(left, mine, events: true), rest(right, other, events: true))
            + align(rest(left, mine, events: false), rest(right, other, events: false))
    }

    private static let bestLimit = 4000
    /// How far ahead a frame is looked for in long dialogues.
    private static let nearby = 200

    /// Pairs frames of equal keys, in order, with the nearest one that fits.
    private static func alignNearby(_ left: [Frame], _ right: [Frame]) -> [Pair] {
        var pairs: [Pair] = []
        var there = 0
        for frame in left {
            let key = frame.value.key
            guard let match = right[there...].prefix(nearby).firstIndex(where: { $0.value.key == key }) else {
                pairs.append((frame, nil))
                continue
            }
            pairs += right[there..<match].map { (nil, $0) }
            pairs.append((frame, right[match]))
            there = match + 1
        }
        return pairs + right[there...].map { (nil, $0) }
    }

    /// Pairs frames of equal keys, in order.
    private static func align(_ left: [Frame], _ right: [Frame]) -> [Pair] {
        // The best way to pair takes room and time by the square of what differs.
        guard left.count + right.count <= bestLimit else { return alignNearby(left, right) }
        let change = right.map { $0.value.key }.difference(from: left.map { $0.value.key })
        var removed: Set<Int> = []
        var inserted: Set<Int> = []
        for step in change {
            switch step {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): inserted.insert(offset)
            }
        }
        var pairs: [Pair] = []
        var (here, there) = (0, 0)
        while here < left.count || there < right.count {
            if here < left.count, removed.contains(here) {
                pairs.append((left[here], nil))
                here += 1
            } else if there < right.count, inserted.contains(there) {
                pairs.append((nil, right[there]))
                there += 1
            } else if here < left.count, there < right.count {
                pairs.append((left[here], right[there]))
                (here, there) = (here + 1, there + 1)
            } else {
                break
            }
        }
        return pairs
    }
}

extension DialogueFrame {
    /// What a frame is, without its particulars: frames of two dialogues with equal keys may be the same step.
    var key: String {
        switch kind {
        case "request": "request \(method ?? "")"
        case "event":
            "event \(event ?? "") \(payload["data"]?.object?["stage"]?.string ?? "")"
                + (payload["subscription"] == nil ? "" : " of a subscription")
        case "response": "response \(requestID ?? 0)"
        default: kind
        }
    }
}

/// Which response answers which request on one connection.
private struct Answers {
    private var byRequest: [Int: DialogueComparison.Frame] = [:]
    private var lines: Set<Int> = []

    init(_ frames: [DialogueComparison.Frame]) {
        var open: [Int64: Int] = [:]
        for frame in frames {
            guard let id = frame.value.requestID else { continue }
            if frame.value.kind == "request" {
                open[id] = frame.line
            } else if let request = open.removeValue(forKey: id) {
                byRequest[request] = frame
                lines.insert(frame.line)
            }
        }
    }

    func response(to request: DialogueComparison.Frame) -> DialogueComparison.Frame? { byRequest[request.line] }
    func isAnswer(_ frame: DialogueComparison.Frame) -> Bool { lines.contains(frame.line) }
}
