/// How many lines the control server writes about connections: who comes again and again with garbage must not fill the
/// disk, nor hide what else is said.
struct LogBudget: Sendable {
    /// Lines within a minute.
    static let limit = 100
    private static let minute: Duration = .seconds(60)

    private var begin: Duration?
    private var count = 0

    /// What to write for a line: the line, nothing, or also what was left out before it.
    ///
    /// - Parameter now: on one monotonic clock.
    mutating func lines(for line: String, now: Duration) -> [String] {
        var written: [String] = []
        if let begin, now - begin >= Self.minute {
            if count > Self.limit { written.append("\(count - Self.limit) lines about connections were left out") }
            self.begin = nil
        }
        if begin == nil {
            begin = now
            count = 0
        }
        count += 1
        if count <= Self.limit { written.append(line) }
        if count == Self.limit { written.append("further lines about connections are left out for up to a minute") }
        return written
    }
}
