public import MatterWire

/// Datagrams between machines in memory, over a link that delays, loses, repeats and reorders them from a seed.
///
/// The test owns the clock: it sends, asks for ``nextArrival``, moves its clock there and takes what arrived.
public struct VirtualNetwork: Sendable {
    /// How bad the link is.
    public struct Conditions: Hashable, Sendable {
        /// The least and the most time that a datagram takes; a range wider than the sender's pauses reorders.
        public var latency: ClosedRange<Duration>
        /// The share of datagrams that vanish, 0 … 1.
        public var loss: Double
        /// The share of datagrams that arrive twice, 0 … 1.
        public var duplication: Double
        /// The longest datagram that fits, in bytes; longer ones vanish.
        public var maximumByteCount: Int

        /// Describes a link.
        public init(
            latency: ClosedRange<Duration> = .milliseconds(1) ... .milliseconds(1), loss: Double = 0,
            duplication: Double = 0, maximumByteCount: Int = .max
        ) {
            self.latency = latency
            self.loss = loss
            self.duplication = duplication
            self.maximumByteCount = maximumByteCount
        }

        /// One millisecond, and nothing else.
        public static let perfect = Conditions()
    }

    /// A datagram on its way.
    public struct Datagram: Hashable, Sendable {
        /// The bytes.
        public var bytes: [UInt8]
        /// The sender's address.
        public var source: PeerAddress
        /// The receiver's address.
        public var destination: PeerAddress

        /// A datagram from one address to another.
        public init(bytes: [UInt8], source: PeerAddress, destination: PeerAddress) {
            self.bytes = bytes
            self.source = source
            self.destination = destination
        }
    }

    /// The link's quality, which may change while a test runs.
    public var conditions: Conditions
    /// Called with every datagram that is sent; what it returns travels instead, and `nil` makes it vanish.
    public var interference: (@Sendable (Datagram) -> Datagram?)?
    /// What happened so far, a line a datagram, for the message of a failing test.
    public private(set) var trace: [String] = []
    /// Datagrams that were sent, lost ones too.
    public private(set) var sentCount = 0

    private var random: SeededGenerator
    private var underway: [(arrival: MonotonicInstant, order: Int, datagram: Datagram)] = []

    /// A network whose mischief depends on the seed alone.
    public init(conditions: Conditions = .perfect, seed: UInt64) {
        self.conditions = conditions
        random = SeededGenerator(seed: seed)
        trace.append("seed \(seed)")
    }

    /// When the next datagram arrives; `nil` when none is on its way.
    public var nextArrival: MonotonicInstant? { underway.map(\.arrival).min() }

    /// Puts a datagram on its way.
    public mutating func send(_ datagram: Datagram, now: MonotonicInstant) {
        sentCount += 1
        guard let datagram = interference?(datagram) ?? (interference == nil ? datagram : nil) else {
            note("stopped", datagram, now)
            return
        }
        guard datagram.bytes.count <= conditions.maximumByteCount else {
            note("too long", datagram, now)
            return
        }
        guard Double.random(in: 0..<1, using: &random) >= conditions.loss else {
            note("lost", datagram, now)
            return
        }
        let copies = Double.random(in: 0..<1, using: &random) < conditions.duplication ? 2 : 1
        for _ in 0..<copies {
            let spread = conditions.latency.upperBound - conditions.latency.lowerBound
            let arrival = now.advanced(
                by: conditions.latency.lowerBound + spread * Double.random(in: 0...1, using: &random))
            underway.append((arrival, sentCount, datagram))
        }
        note(copies == 2 ? "sent twice" : "sent", datagram, now)
    }

    /// Takes the datagrams that have arrived, in the order of their arrival.
    public mutating func arrivals(now: MonotonicInstant) -> [Datagram] {
        let due = underway.filter { $0.arrival <= now }
            .sorted { ($0.arrival, $0.order) < ($1.arrival, $1.order) }
        underway.removeAll { $0.arrival <= now }
        return due.map(\.datagram)
    }

    private mutating func note(_ what: String, _ datagram: Datagram, _ now: MonotonicInstant) {
        let head = datagram.bytes.prefix(24)
        trace.append(
            "\(now.sinceStart) \(datagram.source.port)→\(datagram.destination.port) \(what) "
                + "\(datagram.bytes.count): \(Array(head).hex)")
    }
}
