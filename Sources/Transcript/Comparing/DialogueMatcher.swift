import HubControl

/// Compares frames of two dialogues, modulo what Protocols/hub-control.md §7 leaves open: ids, codes and addresses need
/// only be equal where they are equal in the other dialogue; times, versions and texts for people do not count; events
/// count from where the connection's welcome stands.
///
/// It learns which values stand for each other from the frames that it compares, so the order of comparing matters.
package struct DialogueMatcher: Sendable {
    /// Whether texts for people count.
    package var comparesMessages = false
    /// Paths whose values do not count, without indices: `hub.name`.
    package var ignoredPaths: Set<String> = []
    /// What stands on the right for a value of the left.
    private var bindings: [String: String] = [:]
    private var reverse: [String: String] = [:]
    /// What must be added to the left's numbers of events.
    package private(set) var eventOffset: Int64 = 0
    private var minorVersions: (left: Int?, right: Int?) = (nil, nil)

    package init() {}

    /// The right's value for one of the left; `nil` while none is known.
    package subscript(left: String) -> String? { bindings[left] }

    /// Says what stands for a value, whatever was known before.
    package mutating func bind(_ left: String, to right: String) {
        bindings[left] = right
        reverse[right] = left
    }

    /// A key for the number of a request, which means something on its connection only.
    package static func requestKey(_ id: Int64, on connection: String) -> String { "request \(connection)#\(id)" }

    /// Compares two frames of one kind.
    package mutating func compare(_ left: DialogueFrame, _ right: DialogueFrame) -> [ValueDifference] {
        if left.kind == "welcome" {
            minorVersions = (Self.minor(left.payload), Self.minor(right.payload))
        }
        var differences: [ValueDifference] = []
        let walk = Walk(left: left.connection, right: right.connection)
        compare(left.payload, right.payload, walk, &differences)
        return differences
    }

    private struct Walk {
        /// Labels of the connections.
        let left: String
        let right: String
        var path = ""
        var plainPath = ""
        var name = ""

        func member(_ name: String) -> Walk {
            var walk = self
            walk.path += path.isEmpty ? name : ".\(name)"
            walk.plainPath += plainPath.isEmpty ? name : ".\(name)"
            walk.name = name
            return walk
        }

        func element(_ index: Int) -> Walk {
            var walk = self
            walk.path += "[\(index)]"
            return walk
        }
    }

    private static func minor(_ welcome: JSONObject) -> Int? {
        welcome["protocol"]?.string?.split(separator: ".").dropFirst().first.flatMap { Int($0) }
    }

    private mutating func compare(
        _ left: JSONObject, _ right: JSONObject, _ walk: Walk, _ differences: inout [ValueDifference]
    ) {
        for member in left.members {
            compare(member.value, right[member.name], walk.member(member.name), &differences)
        }
        for member in right.members where left[member.name] == nil {
            compare(nil, member.value, walk.member(member.name), &differences)
        }
    }

    private mutating func compare(
        _ left: JSONValue?, _ right: JSONValue?, _ walk: Walk, _ differences: inout [ValueDifference]
    ) {
        guard !ignoredPaths.contains(walk.plainPath) else { return }
        guard let left, let right else {
            // A member that only the newer of two versions has is none that the older one must know.
            if let mine = minorVersions.left, let other = minorVersions.right,
                left == nil ? other > mine : mine > other
            {
                return
            }
            return differences.append(Self.difference(walk, left, right))
        }
        switch (left, right) {
        case (.object(let left), .object(let right)): return compare(left, right, walk, &differences)
        case (.array(let left), .array(let right)):
            for index in 0..<max(left.count, right.count) {
                compare(
                    index < left.count ? left[index] : nil, index < right.count ? right[index] : nil,
                    walk.element(index), &differences)
            }
            return
        default: break
        }
        if !matches(left, right, walk) { differences.append(Self.difference(walk, left, right)) }
    }

    private mutating func matches(_ left: JSONValue, _ right: JSONValue, _ walk: Walk) -> Bool {
        if let pair = numbersOnTheConnection(left, right, walk) { return isSame(pair.left, pair.right) }
        switch MemberMeaning(walk.name, left) {
        case .duration, .time, .version, .oldestEvent: return true
        case .message: return !comparesMessages || left == right
        case .newestEvent:
            guard let before = left.integer, let after = right.integer else { return false }
            eventOffset = after - before
            return true
        case .eventNumber:
            guard let before = left.integer, let after = right.integer else { return false }
            return before + eventOffset == after
        case .symbol:
            guard let before = Self.text(left, walk), let after = Self.text(right, walk) else { return false }
            return isSame(before, after)
        case .value:
            // The other side may have a placeholder where this one has the value.
            guard MemberMeaning(walk.name, right) == .symbol, let before = Self.text(left, walk),
                let after = Self.text(right, walk)
            else { return left == right }
            return isSame(before, after)
        }
    }

    /// Numbers of requests and of subscriptions, which count on one connection.
    private func numbersOnTheConnection(
        _ left: JSONValue, _ right: JSONValue, _ walk: Walk
    ) -> (left: String, right: String)? {
        guard case (.integer(let before), .integer(let after)) = (left, right) else { return nil }
        switch walk.name {
        case "id": return (Self.requestKey(before, on: walk.left), Self.requestKey(after, on: walk.right))
        case "subscription": return ("subscription \(walk.left)#\(before)", "subscription \(walk.right)#\(after)")
        default: return nil
        }
    }

    private mutating func isSame(_ left: String, _ right: String) -> Bool {
        // What a secret of one recording is called says nothing of another recording.
        let (mine, other) = (left + Self.recording(of: right), right + Self.recording(of: left))
        if let known = bindings[mine] { return known == right }
        guard reverse[other] == nil else { return false }
        bindings[mine] = right
        reverse[other] = left
        return true
    }

    /// ` 2` of `<code-2.1>`; empty for the first recording of a file, and for what is no placeholder.
    private static func recording(of text: String) -> String {
        guard Placeholder.isOne(text), let dot = text.lastIndex(of: "."), let dash = text[..<dot].lastIndex(of: "-")
        else { return "" }
        return " \(text[text.index(after: dash)..<dot])"
    }

    /// A passcode may be a number on one side and a placeholder on the other.
    private static func text(_ value: JSONValue, _ walk: Walk) -> String? {
        value.string ?? (walk.name == "passcode" ? value.integer.map { String($0) } : nil)
    }

    /// Members whose values are not for the eyes of whoever reads a report.
    private static let secret: Set<String> = ["payload", "manualCode", "qrCode", "passcode", "grant"]

    private static func difference(_ walk: Walk, _ left: JSONValue?, _ right: JSONValue?) -> ValueDifference {
        func shown(_ value: JSONValue?) -> JSONValue? {
            guard secret.contains(walk.name), let value, let text = text(value, walk), !Placeholder.isOne(text) else {
                return value
            }
            return "<secret>"
        }
        return ValueDifference(path: walk.path, left: shown(left), right: shown(right))
    }
}
