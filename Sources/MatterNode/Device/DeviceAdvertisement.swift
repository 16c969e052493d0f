import MatterModel
import MatterWire
import NetIO

/// What a device announces by DNS-SD in one state (Core §4.3).
struct DeviceAdvertisement {
    var configuration: NodeConfiguration
    /// Host order.
    var port: UInt16
    /// The window that is open for commissioners, if any.
    var window: CommissioningWindow?
    /// The window's instance name, see ``commissionableName(_:)``.
    var commissionableName: String?
    var fabrics: [NodeFabric]

    /// The services, the commissionable one first.
    var services: [ServiceAdvertisement] {
        let commissionable = window.flatMap { window in commissionableName.map { service(of: window, named: $0) } }
        return [commissionable].compactMap(\.self) + fabrics.map(service)
    }

    /// A random instance name: 16 upper-case hexadecimal digits, another one for each window.
    static func commissionableName(_ draw: UInt64) -> String { hexadecimal(draw) }

    private func service(of window: CommissioningWindow, named name: String) -> ServiceAdvertisement {
        let vendor = configuration.vendorID.rawValue
        let type = configuration.endpoints.first?.deviceTypes.first?.id
        var txt = timing
        txt["D"] = String(window.discriminator)
        txt["CM"] = String(window.commissioningMode)
        txt["VP"] = "\(vendor)+\(configuration.productID.rawValue)"
        txt["DT"] = type.map { String($0.rawValue) }
        txt["DN"] = Self.deviceName(configuration.productName)
        txt["PH"] = String(Self.pairingHint)
        let subtypes = [
            "_L\(window.discriminator)", "_S\(window.discriminator >> 8)", "_V\(vendor)",
            type.map { "_T\($0.rawValue)" },
            "_CM",
        ]
        return ServiceAdvertisement(
            name: name, type: "_matterc._udp", subtypes: subtypes.compactMap(\.self), port: port, txt: txt)
    }

    private func service(of fabric: NodeFabric) -> ServiceAdvertisement {
        ServiceAdvertisement(
            name: operationalInstanceName(fabric: fabric.compressedFabricID, node: fabric.nodeID),
            type: "_matter._tcp", subtypes: ["_I" + Self.hexadecimal(fabric.compressedFabricID.rawValue)], port: port,
            txt: timing)
    }

    /// How patient peers should be.
    private var timing: TXTRecord {
        let parameters = DeviceTiming.sessionParameters
        var txt = TXTRecord()
        txt["SII"] = parameters.idleInterval.map(String.init)
        txt["SAI"] = parameters.activeInterval.map(String.init)
        txt["SAT"] = parameters.activeThreshold.map(String.init)
        txt["T"] = "0"
        return txt
    }

    /// Bits of PH: power cycle the device, see the manual.
    private static let pairingHint = 1 << 0 | 1 << 5

    /// At most 32 bytes of UTF-8, cut at a character.
    private static func deviceName(_ name: String) -> String {
        var name = name
        while name.utf8.count > 32 { name.removeLast() }
        return name
    }

    private static func hexadecimal(_ value: UInt64) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
