/// What a person would do on the phone while a device is set up: MatterHub has no phone to do it on.
///
/// `MatterExtensionHost.setup(_:)` sets one in code; otherwise `MATTERHUB_SETUP` and its sisters do. What a script leaves
/// open is asked in the terminal, where there is one.
public struct MatterSetupScript: Hashable, Sendable {
    /// What the person does where rooms are offered.
    public enum RoomChoice: Hashable, Sendable, ExpressibleByStringLiteral {
        /// Picks the first room of this name.
        case named(String)
        /// Goes on without a room.
        case none

        /// Picks the first room of this name.
        public init(stringLiteral value: String) { self = .named(value) }
    }

    /// The code that is scanned: a QR text or a manual code.
    public var code: String?
    /// `host:port` of the device, to go there without a search; not something a person does.
    public var address: String?
    /// The home that is picked where there are several.
    public var home: String?
    /// The room that is picked where the extension has some.
    public var room: RoomChoice?
    /// The name that is typed; ``defaultName`` when it is left as offered.
    public var name: String?
    /// The step at which the person cancels.
    public var cancelAt: MatterSetupStep?
    /// How long after the step's beginning the person cancels it; a question is cancelled at once. A step that has ended
    /// by then is not cancelled.
    public var cancelAfter: Duration
    /// The Wi-Fi networks that the device sees. With them the extension is asked for one even when the device needs none,
    /// since no device here has a radio.
    public var wifi: [MatterAddDeviceExtensionRequestHandler.WiFiScanResult]?
    /// The Thread networks that the device sees; see ``wifi``.
    public var thread: [MatterAddDeviceExtensionRequestHandler.ThreadScanResult]?
    /// Whether the phone commissions the device onto its own fabric first; `nil` for yes.
    public var phoneFabric: Bool?

    /// The name that the phone offers.
    public static let defaultName = "Matter Accessory"

    /// Makes a script; what is left out is not answered.
    public init(
        code: String? = nil, address: String? = nil, home: String? = nil, room: RoomChoice? = nil, name: String? = nil,
        cancelAt: MatterSetupStep? = nil, cancelAfter: Duration = .zero,
        wifi: [MatterAddDeviceExtensionRequestHandler.WiFiScanResult]? = nil,
        thread: [MatterAddDeviceExtensionRequestHandler.ThreadScanResult]? = nil, phoneFabric: Bool? = nil
    ) {
        self.code = code
        self.address = address
        self.home = home
        self.room = room
        self.name = name
        self.cancelAt = cancelAt
        self.cancelAfter = cancelAfter
        self.wifi = wifi
        self.thread = thread
        self.phoneFabric = phoneFabric
    }

    /// The script, with the answers of another for what it leaves open.
    package func completed(by other: MatterSetupScript) -> MatterSetupScript {
        var script = self
        script.code = code ?? other.code
        script.address = address ?? other.address
        script.home = home ?? other.home
        script.room = room ?? other.room
        script.name = name ?? other.name
        if cancelAt == nil { (script.cancelAt, script.cancelAfter) = (other.cancelAt, other.cancelAfter) }
        script.wifi = wifi ?? other.wifi
        script.thread = thread ?? other.thread
        script.phoneFabric = phoneFabric ?? other.phoneFabric
        return script
    }
}
