import HubControl
package import NetIO

/// A transcript that is being written: the connections of one process, in one file.
///
/// Lines are appended whole, so that several processes can share a file; the placeholders of each are its own. When the file
/// cannot be written any more, recording ends with a word to `report`; the connections go on.
package final class DialogueLog: Sendable {
    private struct State {
        var secrets: SecretPlaceholders
        var connections = 0
        var isBroken = false
    }

    private let file: AppendFile
    private let clock: DriverClock
    /// Between the beginning of the file's first recording and the start of `clock`.
    private let offset: Duration
    private let prefix: String
    private let state: Locked<State>
    private let report: @Sendable (String) -> Void

    /// Opens a file, new or with recordings in it whose times and labels go on, and writes the head of this one.
    ///
    /// - Parameters:
    ///   - about: what is recorded, for people.
    ///   - prefix: what labels of connections begin with; distinct among processes that share a file.
    ///   - unixMilliseconds: now.
    ///   - report: told once when recording has to end.
    /// - Throws: ``NetError``; ``TranscriptError`` when the file's beginning is not that of a transcript.
    package init(
        path: String, about: String, prefix: String, clock: DriverClock, unixMilliseconds: Int64,
        report: @escaping @Sendable (String) -> Void
    ) throws {
        let file = try AppendFile(path: path)
        self.file = file
        // Two processes that begin at once must not take the same number.
        try file.lock()
        defer { file.unlock() }
        let existing = try file.beginning(atMost: Self.headLimit)
        var runs = 0
        var start = unixMilliseconds
        if !existing.isEmpty {
            let heads = try Self.heads(existing)
            runs = heads.count
            start = heads.first.flatMap { $0["at"]?.integer } ?? unixMilliseconds
            // A head further back than what was read is told by the file's size: numbers must differ, not follow.
            if existing.count == Self.headLimit { runs = try file.size() }
        }
        self.clock = clock
        self.report = report
        offset = .milliseconds(max(0, unixMilliseconds - start)) - clock.now
        self.prefix = prefix + (runs > 0 ? "\(runs + 1)." : "")
        state = Locked(State(secrets: SecretPlaceholders(run: runs + 1)))
        try file.append(
            DialogueLine.about([
                "about": .string(about), "run": JSONValue(runs + 1), "at": .integer(unixMilliseconds),
            ]).encoded)
    }

    /// Bytes of a file that are looked through for earlier recordings' heads.
    private static let headLimit = 4 << 20

    private static func heads(_ bytes: [UInt8]) throws(TranscriptError) -> [JSONObject] {
        var heads: [JSONObject] = []
        // The first line decides whether this is a transcript; the last one may have been cut by the limit.
        let parts = bytes.split(separator: 0x0A)
        for (index, part) in parts.enumerated() {
            guard index == 0 || part.starts(with: Array(#"{"about""#.utf8)) else { continue }
            if index == parts.count - 1, index > 0, bytes.count == headLimit { continue }
            if case .about(let json) = try DialogueLine(parsing: Array(part), number: index + 1) { heads.append(json) }
        }
        return heads
    }

    /// A connection begins.
    ///
    /// - Parameter about: how it came to be, for people.
    package func open(_ about: String) -> DialogueWatch {
        let number = state.withLock { state in
            state.connections += 1
            return state.connections
        }
        let recorder = DialogueRecorder(connection: "\(prefix)\(number)")
        let watch = DialogueWatch(recorder, self)
        write { _, now in [recorder.note("opened \(about)", now)] }
        return watch
    }

    /// Writes lines, made under the lock so that they stand in the file in the order of their times.
    func write(_ make: (inout SecretPlaceholders, Double) -> [DialogueLine]) {
        let trouble: String? = state.withLock { state in
            guard !state.isBroken else { return nil }
            let microseconds = (clock.now + offset) / .microseconds(1)
            let lines = make(&state.secrets, microseconds.rounded() / 1000)
            guard !lines.isEmpty else { return nil }
            do throws(NetError) {
                try file.append(lines.flatMap(\.encoded))
                return nil
            } catch {
                state.isBroken = true
                return "the transcript ends here: \(error)"
            }
        }
        if let trouble { report(trouble) }
    }
}

extension DialogueLog: Hashable {
    package static func == (lhs: DialogueLog, rhs: DialogueLog) -> Bool { lhs === rhs }
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Watches one connection for a ``DialogueLog``.
package final class DialogueWatch: Sendable {
    private let recorder: Locked<DialogueRecorder>
    private let log: DialogueLog
    private let isOpen = Locked(true)

    init(_ recorder: DialogueRecorder, _ log: DialogueLog) {
        self.recorder = Locked(recorder)
        self.log = log
    }

    /// Bytes passed.
    package func passed(_ bytes: [UInt8], from sender: DialogueSender) {
        log.write { secrets, now in
            recorder.withLock { $0.passed(bytes, from: sender, milliseconds: now, secrets: &secrets) }
        }
    }

    /// Something worth a line.
    package func note(_ text: String) {
        log.write { secrets, now in
            let text = secrets.redact(text: text)
            return recorder.withLock { [$0.note(text, now)] }
        }
    }

    /// The connection is over; idempotent.
    package func closed() {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        if wasOpen { note("closed") }
    }
}
