/// A request to add a Matter device to an ecosystem's homes.
///
/// Mirrors Apple's type of the same name.
public struct MatterAddDeviceRequest: Hashable, Sendable {
    /// The ecosystem and its homes, as the user sees them.
    public struct Topology: Codable, Hashable, Sendable {
        /// The ecosystem's name.
        public var ecosystemName: String
        /// The homes to choose from; with none there is nothing to choose.
        public var homes: [Home]

        /// Describes an ecosystem.
        public init(ecosystemName: String, homes: [Home]) {
            self.ecosystemName = ecosystemName
            self.homes = homes
        }
    }

    /// A home, by the name that the user sees.
    public struct Home: Codable, Hashable, Sendable {
        /// The home's name.
        public var displayName: String

        /// Names a home.
        public init(displayName: String) { self.displayName = displayName }
    }

    /// A room, by the name that the user sees.
    public struct Room: Codable, Hashable, Sendable {
        /// The room's name.
        public var displayName: String

        /// Names a room.
        public init(displayName: String) { self.displayName = displayName }
    }

    /// What the device is added to.
    public var topology: Topology
    /// The device's code, when the app has it; then nobody scans one.
    public var setupPayload: MTRSetupPayload?
    /// Which devices may be set up; others are refused once their code is known.
    public var showDeviceCriteria: DeviceCriteria
    /// Whether the device looks for networks, so that the extension has some to choose from.
    public var shouldScanNetworks: Bool

    /// Makes a request.
    public init(
        topology: Topology, setupPayload: MTRSetupPayload? = nil, showing criteria: DeviceCriteria = .allDevices,
        shouldScanNetworks: Bool = true
    ) {
        self.topology = topology
        self.setupPayload = setupPayload
        showDeviceCriteria = criteria
        self.shouldScanNetworks = shouldScanNetworks
    }

    /// Whether ``perform()`` can work here: yes wherever this module is built.
    public static var isSupported: Bool { true }
}

extension MatterAddDeviceRequest: Codable {
    private enum CodingKeys: String, CodingKey { case topology, setupPayload, showDeviceCriteria, shouldScanNetworks }

    /// The text form of the app's code: a QR text, else a manual code; `nil` without one.
    ///
    /// - Throws: ``MatterSetupError`` `invalidCode` when the payload's fields make no code.
    package func payloadText() throws(MatterSetupError) -> String? {
        guard let setupPayload else { return nil }
        guard let text = setupPayload.qrCodeString() ?? setupPayload.manualEntryCode() else {
            throw MatterSetupError(.invalidCode, "the fields of the request's setupPayload make no onboarding code")
        }
        return text
    }

    /// Reads a stored request.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        topology = try values.decode(Topology.self, forKey: .topology)
        showDeviceCriteria = try values.decode(DeviceCriteria.self, forKey: .showDeviceCriteria)
        shouldScanNetworks = try values.decode(Bool.self, forKey: .shouldScanNetworks)
        guard let text = try values.decodeIfPresent(String.self, forKey: .setupPayload) else { return }
        guard let payload = MTRSetupPayload(payload: text) else {
            throw DecodingError.dataCorruptedError(
                forKey: .setupPayload, in: values, debugDescription: "no onboarding code: \(text)")
        }
        setupPayload = payload
    }

    /// Stores the request, with the code as text.
    ///
    /// - Throws: ``MatterSetupError`` `invalidCode` when the payload's fields make no code.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(topology, forKey: .topology)
        try values.encodeIfPresent(try payloadText(), forKey: .setupPayload)
        try values.encode(showDeviceCriteria, forKey: .showDeviceCriteria)
        try values.encode(shouldScanNetworks, forKey: .shouldScanNetworks)
    }
}
