import HubControl
import MatterWire

/// Answers of this run to requests with a client key, counted on a clock that does not jump.
///
/// Each is kept for ``lifetime``, and of one app in one structure no more than the newest ``limit``: however fast an app
/// commissions, what the hub keeps for repeats has an end.
struct RecentAnswers {
    /// How long a repeat gets the first answer.
    static let lifetime: Duration = .seconds(HubService.answerLifetime)
    /// Answers of one app in one structure.
    static let limit = 32

    /// What is known of a client key.
    enum Answer {
        /// It was not used in this run, or so long ago that nothing of it is left.
        case none
        case expired
        case kept(StoredAnswer)
    }

    private struct Entry {
        let key: HubState.AnswerKey
        /// Compact JSON: a tree of values takes several times its room.
        let text: String
        let isError: Bool
        let at: MonotonicInstant
    }

    /// Oldest first; at most ``limit`` for each app.
    private var entries: [Entry] = []

    /// The answer that was given to the first request with this key. O(n).
    func answer(_ key: HubState.AnswerKey, now: MonotonicInstant) -> Answer {
        guard let entry = entries.last(where: { $0.key == key }) else { return .none }
        guard entry.at.duration(to: now) <= Self.lifetime else { return .expired }
        return StoredAnswer(text: entry.text, isError: entry.isError).map(Answer.kept) ?? .none
    }

    /// The keys of the same app that would be too many beside this one.
    func surplus(beside key: HubState.AnswerKey) -> [HubState.AnswerKey] {
        entries.map(\.key).filter { $0 != key && $0.isOfSameApp(as: key) }.dropLast(Self.limit - 1)
    }

    /// Keeps an answer, and drops those that are too old or too many. O(n).
    mutating func keep(_ answer: StoredAnswer, for key: HubState.AnswerKey, now: MonotonicInstant) {
        let surplus = Set(surplus(beside: key))
        entries.removeAll {
            $0.key == key || surplus.contains($0.key) || $0.at.duration(to: now) > Self.lifetime
        }
        entries.append(Entry(key: key, text: answer.text, isError: answer.isError, at: now))
    }
}

extension HubState.AnswerKey {
    fileprivate func isOfSameApp(as other: Self) -> Bool { structure == other.structure && app == other.app }
}

extension StoredAnswer {
    /// Reads what ``text`` wrote.
    ///
    /// - Returns: `nil` for what this program did not write.
    init?(text: String, isError: Bool) {
        do throws(ControlProtocolError) {
            let json = try JSONObject(parsing: Array(text.utf8))
            self = isError ? .error(try ControlError(json: json)) : .result(json)
        } catch {
            return nil
        }
    }

    /// The answer as it is stored.
    var text: String {
        switch self {
        case .result(let result): JSONValue.object(result).text()
        case .error(let error): JSONValue.object(error.json).text()
        }
    }

    var isError: Bool {
        switch self {
        case .result: false
        case .error: true
        }
    }
}
