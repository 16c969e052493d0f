import MatterCrypto
package import MatterNode
package import MatterWire
import NetIO

/// What controllers of this process run on.
package struct MTRPlatform: Sendable {
    /// Makes a controller's link, clock and the rest, for a UDP port; 0 for any.
    package var makeEnvironment: @Sendable (UInt16) throws -> ControllerEnvironment
    /// Where the device to commission is, instead of a search.
    package var deviceAddress: PeerAddress?

    package init(
        deviceAddress: PeerAddress? = nil,
        makeEnvironment: @escaping @Sendable (UInt16) throws -> ControllerEnvironment
    ) {
        self.deviceAddress = deviceAddress
        self.makeEnvironment = makeEnvironment
    }

    /// UDP, DNS-SD, this machine's clock and randomness.
    ///
    /// `MATTERHUB_CONTROLLER_ADDRESS` (`host:port`) names the device to commission where there is no DNS-SD;
    /// `MATTERHUB_CONTROLLER_NO_MDNS`, set and not empty, leaves DNS-SD out.
    package static func system(_ environment: [String: String]) -> MTRPlatform {
        let usesMulticast = environment["MATTERHUB_CONTROLLER_NO_MDNS"].map(\.isEmpty) ?? true
        let address = environment["MATTERHUB_CONTROLLER_ADDRESS"].flatMap { PeerAddress(text: $0) }
        return MTRPlatform(deviceAddress: address) { port in
            ControllerEnvironment(
                link: try UDPSocket(port: port), clock: DriverClock(),
                wallClock: { EpochSeconds(unixSeconds: Int64(Date().timeIntervalSince1970)) },
                random: RandomSource { UInt64.random(in: .min ... .max) }, secrets: SystemSecretSource(),
                discovery: usesMulticast ? DNSServiceNodeDiscovery(directory: DNSServiceDirectory()) : nil)
        }
    }
}
