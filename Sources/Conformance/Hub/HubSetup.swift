package import HubControl
package import NetIO

/// Where the hub under examination is, and what the run may use.
package struct HubSetup: Sendable {
    /// A device of the user's that waits to be commissioned.
    package struct Device: Sendable {
        /// Its onboarding code.
        package var code: String
        /// Where it is; `nil` lets the hub search.
        package var address: String?

        package init(code: String, address: String?) {
            self.code = code
            self.address = address
        }
    }

    package var address: HostAndPort
    /// Of the scope admin.
    package var grant: GrantToken
    /// `nil` when the user gave none.
    package var device: Device?
    /// Whether the run may play virtual devices, which the hub must be able to reach at this machine's address.
    package var playsDevices: Bool
    /// Whether cases that only wait (10 to 90 s) are tried.
    package var isPatient: Bool
    /// Whether this machine can look for the hub by DNS-SD; else why not.
    package var directory: Directory
    package var times: Times
    package var clock: DriverClock

    /// How long the run waits.
    package struct Times: Sendable {
        /// For what every hub does sooner or later: a connection, a welcome, a result.
        package var answer: Duration
        /// For what a hub that is wrong may leave out for good: a refusal, an event, a goaway, an end.
        package var silence: Duration
        /// Added to every "within": for machines that have much else to do.
        package var leeway: Duration

        package init(
            answer: Duration = .seconds(10), silence: Duration = .seconds(10), leeway: Duration = .zero
        ) {
            self.answer = answer
            self.silence = silence
            self.leeway = leeway
        }
    }

    /// DNS-SD, or why there is none.
    package enum Directory: Sendable {
        case there(DNSServiceDirectory)
        case absent(String)
    }

    package init(
        address: HostAndPort, grant: GrantToken, device: Device? = nil, playsDevices: Bool = false,
        isPatient: Bool = false, directory: Directory, times: Times = Times(),
        clock: DriverClock = DriverClock()
    ) {
        self.address = address
        self.grant = grant
        self.device = device
        self.playsDevices = playsDevices
        self.isPatient = isPatient
        self.directory = directory
        self.times = times
        self.clock = clock
    }
}

extension ConformanceNeed {
    /// A device to commission: the user's or a virtual one.
    static let device = ConformanceNeed("device")
    /// A virtual device, which goes wrong as a case wants it.
    static let virtualDevice = ConformanceNeed("virtual device")
    /// DNS-SD on this machine.
    static let mdns = ConformanceNeed("mdns")
    /// Time: the case waits for a limit of the protocol.
    static let patience = ConformanceNeed("patience")
}
