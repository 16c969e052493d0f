extension MessageLayer {
    /// What a layer keeps at a moment, so that tests can see that nothing is left behind.
    public struct Load: Hashable, Sendable {
        /// Established sessions.
        public var secureSessions: Int
        /// Sessions of handshakes, those that only wait for late duplicates too.
        public var unsecuredSessions: Int
        /// Exchanges that are open or wait for an acknowledgement.
        public var exchanges: Int
    }

    /// What the layer keeps now.
    public var load: Load {
        Load(
            secureSessions: secureByID.count, unsecuredSessions: sessions.count - secureByID.count,
            exchanges: exchanges.count)
    }
}
