import MatterNode
import MatterWire

/// What the command line says of a virtual device.
struct DeviceOptions {
    let device: DeviceIdentity.Wishes
    let port: UInt16?
    let name: String?
    let stateFolder: String?
    /// Whether the device is announced by DNS-SD.
    let advertises: Bool
    /// What it does wrong all the time.
    let defects: Set<DeviceDefect>

    init(_ options: ParsedOptions) throws(UsageError) {
        let kind = try Self.kind(try options.required("type"), "--type", among: DeviceKind.allCases)
        let bridged = try options.string("bridged").map { list throws(UsageError) in try Self.bridged(list) }
        guard bridged == nil || kind == .bridge else {
            throw UsageError("--bridged is for --type bridge; \(kind.rawValue) has nothing behind it")
        }
        let passcode = try options.integer("passcode", as: UInt32.self, in: 1...99_999_998)
            .flatMap(Passcode.init(rawValue:))
        if let passcode, !passcode.isValid {
            throw UsageError("--passcode \(passcode.rawValue) is one that no device may have")
        }
        if let vendor = try options.integer("vendor-id", as: UInt16.self),
            VendorID(rawValue: vendor) != DeviceIdentity.vendorID
        {
            throw UsageError("--vendor-id can only be 0xFFF1: our test attestation is for no other vendor")
        }
        device = DeviceIdentity.Wishes(
            kind: kind, bridged: bridged,
            productID: try options.integer("product-id", as: UInt16.self, in: 1...0xFFFF)
                .map(ProductID.init(rawValue:)),
            discriminator: try options.integer("discriminator", as: UInt16.self, in: 0...4095)
                .flatMap(Discriminator.init(rawValue:)),
            passcode: passcode)
        port = try options.integer("port", as: UInt16.self, in: 0...0xFFFF)
        name = try options.string("name")
        if let name, !(1...32).contains(name.utf8.count) { throw UsageError("--name has 1 to 32 bytes") }
        stateFolder = try options.string("state-dir")
        advertises = !options.flag("no-mdns")
        var defects: Set<DeviceDefect> = []
        for name in options.strings("defect") {
            guard let defect = DeviceDefect(rawValue: name) else {
                let names = DeviceDefect.allCases.map(\.rawValue).joined(separator: ", ")
                throw UsageError("--defect \(name): no such defect; there are \(names)")
            }
            defects.insert(defect)
        }
        self.defects = defects
    }

    private static func kind(
        _ word: String, _ option: String, among known: [DeviceKind]
    ) throws(UsageError) -> DeviceKind {
        guard let kind = known.first(where: { $0.rawValue == word }) else {
            throw UsageError("\(option) knows \(known.map(\.rawValue).joined(separator: ", ")), not “\(word)”")
        }
        return kind
    }

    private static func bridged(_ list: String) throws(UsageError) -> [DeviceKind] {
        var kinds: [DeviceKind] = []
        for word in list.split(separator: ",", omittingEmptySubsequences: false) {
            kinds.append(try kind(String(word), "--bridged", among: DeviceKind.bridgeable))
        }
        guard kinds.count <= DeviceKind.maximumBridged else {
            throw UsageError("--bridged has at most \(DeviceKind.maximumBridged) devices")
        }
        return kinds
    }
}
