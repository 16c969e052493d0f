public import MatterWire

/// How a candidate's PASE ended.
public enum CandidateAnswer: Hashable, Sendable {
    /// It was tried and the outcome is not known yet.
    case trying
    /// No answer at any of its addresses.
    case silent
    /// It answered, and the passcode is not its own.
    case wrongPasscode
    /// It is busy with another commissioner.
    case busy
    /// It answered with something else.
    case refused(String)
    /// It answered with something that makes no sense; what.
    case broken(String)
    /// It answered with the right passcode.
    case accepted
}

/// A candidate with what became of it, for the error that lists them all.
public struct CandidateReport: Hashable, Sendable {
    /// The DNS-SD instance name.
    public var instance: String
    /// Its first address, where one is known.
    public var address: PeerAddress?
    /// `nil` when it was never tried.
    public var answer: CandidateAnswer?
    /// Makes a report.
    public init(instance: String, address: PeerAddress?, answer: CandidateAnswer?) {
        self.instance = instance
        self.address = address
        self.answer = answer
    }
}

/// Chooses which of the advertised nodes to try, and in which order.
///
///     unseen ── recordFound ──▶ waiting ── next ──▶ trying ── answered ──▶ done (never tried again)
///                                  └── recordRemoved ──▶ unseen
///
/// A candidate is open, has the discriminator, does not contradict vendor and product, and has a port and an address.
/// The newest comes first; at most ``limit`` are tried. All addresses of one instance are one attempt.
public struct CandidateSelector: Sendable {
    /// How many candidates are tried for one payload.
    public static let limit = 4

    private struct Candidate: Sendable {
        var record: CommissionableRecord
        /// Grows with each first sighting: the newest has the largest.
        var order: Int
        var answer: CandidateAnswer?
    }

    private let filter: CommissionableFilter
    private var candidates: [String: Candidate] = [:]
    private var nextOrder = 0

    /// Chooses among the nodes that `filter` lets through.
    public init(filter: CommissionableFilter) { self.filter = filter }

    /// Candidates given out so far.
    public var triedCount: Int { candidates.values.count { $0.answer != nil } }

    /// Takes in a record, new or changed. One that does not match is forgotten unless it was tried already.
    public mutating func recordFound(_ record: CommissionableRecord) {
        let key = record.instance.lowercased()
        guard filter.matches(record), record.port != 0 else {
            if candidates[key]?.answer == nil { candidates[key] = nil }
            return
        }
        if candidates[key] == nil {
            candidates[key] = Candidate(record: record, order: nextOrder)
            nextOrder += 1
        } else {
            candidates[key]?.record = record
        }
    }

    /// The record is gone (goodbye or expired). What was tried stays in the report.
    public mutating func recordRemoved(_ instance: String) {
        let key = instance.lowercased()
        if candidates[key]?.answer == nil { candidates[key] = nil }
    }

    /// Gives the newest candidate that was not tried, and counts it as tried; `nil` when there is none now.
    public mutating func next() -> CommissionableRecord? {
        guard triedCount < Self.limit else { return nil }
        let waiting = candidates.filter { $0.value.answer == nil && !$0.value.record.addresses.isEmpty }
        guard let newest = waiting.max(by: { $0.value.order < $1.value.order }) else { return nil }
        candidates[newest.key]?.answer = .trying
        return newest.value.record
    }

    /// The record as last seen, with addresses that came while it was tried; `nil` when it is unknown.
    public func record(_ instance: String) -> CommissionableRecord? { candidates[instance.lowercased()]?.record }

    /// Takes a candidate's answer.
    public mutating func answered(_ instance: String, _ answer: CandidateAnswer) {
        let key = instance.lowercased()
        guard candidates[key]?.answer == .trying else { return }
        candidates[key]?.answer = answer
    }

    /// Every candidate with its answer, in the order in which they were seen.
    public var report: [CandidateReport] {
        candidates.values.sorted { $0.order < $1.order }.map {
            CandidateReport(instance: $0.record.instance, address: $0.record.addresses.first, answer: $0.answer)
        }
    }
}
