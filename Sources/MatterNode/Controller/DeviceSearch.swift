package import MatterWire

/// Which device a PASE session is wanted with, and where to look for it.
package struct DeviceSearch: Sendable {
    /// Validated.
    package var payload: OnboardingPayload
    /// Where the device is, instead of a search.
    package var address: PeerAddress?
    /// How long a device is looked for.
    package var searchTime: Duration
    /// For everything until an answer is given.
    package var timeLimit: Duration

    package init(
        payload: OnboardingPayload, address: PeerAddress? = nil, searchTime: Duration = .seconds(15),
        timeLimit: Duration = .seconds(120)
    ) {
        self.payload = payload
        self.address = address
        self.searchTime = searchTime
        self.timeLimit = timeLimit
    }
}
