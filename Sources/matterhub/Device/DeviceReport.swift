import Hub
import HubControl
import MatterModel
import MatterNode
import MatterProtocol
import MatterWire

/// What `matterhub device` prints: the codes, then a line for each thing that happens.
struct DeviceReport: Sendable {
    private let identity: DeviceIdentity
    private let fabrics: [String]
    private let isCommissionable: Bool
    private let port: UInt16
    private let isAdvertised: Bool
    private let isJSON: Bool
    private let console: Console

    init(_ identity: DeviceIdentity, _ node: VirtualNode, port: UInt16, _ isAdvertised: Bool, _ invocation: Invocation)
    {
        self.identity = identity
        fabrics = node.fabrics.map { Self.hexadecimal($0.fabricID.rawValue) }
        isCommissionable = node.listeningWindow != nil
        self.port = port
        self.isAdvertised = isAdvertised
        isJSON = invocation.isJSON
        console = invocation.console
    }

    /// Prints the codes and where the device listens.
    func ready() throws {
        // A valid passcode and a long discriminator always have both forms.
        let qrCode = identity.payload.qrCode ?? ""
        let manualCode = identity.payload.manualCode ?? ""
        guard !isJSON else {
            let bridged = identity.bridged.map { JSONValue.string($0.rawValue) }
            console.print([
                "event": "ready", "type": .string(identity.kind.rawValue),
                "bridged": identity.kind == .bridge ? .array(bridged) : nil, "qrCode": .string(qrCode),
                "manualCode": .string(manualCode), "passcode": .integer(Int64(identity.passcode.rawValue)),
                "discriminator": .integer(Int64(identity.discriminator.rawValue)),
                "vendorId": .integer(Int64(DeviceIdentity.vendorID.rawValue)),
                "productId": .integer(Int64(identity.productID.rawValue)), "port": .integer(Int64(port)),
                "mdns": .bool(isAdvertised), "commissionable": .bool(isCommissionable),
                "fabrics": .array(fabrics.map { .string($0) }),
            ])
            return
        }
        console.print(drawing: try QRDrawing(qrCode).text(for: console))
        console.print("QR text:      \(qrCode)")
        console.print("Manual code:  \(OnboardingPayload.grouped(manualCode: manualCode))")
        if identity.kind == .bridge {
            let devices = identity.bridged.enumerated().map { "\($0.element.rawValue) on endpoint \($0.offset + 2)" }
            console.print("Behind it:    \(devices.isEmpty ? "nothing" : devices.joined(separator: ", "))")
        }
        console.print("Listening on UDP port \(port)\(isAdvertised ? "" : ", not advertised")")
        switch (fabrics.count, isCommissionable) {
        case (0, _): console.print("Waiting to be commissioned. Ctrl-C ends.")
        case (1, _): console.print("On fabric \(fabrics[0]). Ctrl-C ends.")
        default: console.print("On fabrics \(fabrics.joined(separator: ", ")). Ctrl-C ends.")
        }
    }

    /// Prints what happened, unless it is of no interest.
    func happened(_ event: DeviceEvent) {
        guard let (json, text) = Self.line(event) else { return }
        if isJSON {
            console.print(json)
        } else {
            console.print(text)
        }
    }

    private static func line(_ event: DeviceEvent) -> (JSONObject, String)? {
        switch event {
        case .windowOpened(let kind, let discriminator):
            let words =
                switch kind {
                case .initial: "initial"
                case .basic: "basic"
                case .enhanced: "enhanced"
                }
            return (
                [
                    "event": "windowOpened", "window": .string(words),
                    "discriminator": .integer(Int64(discriminator)),
                ],
                "window opened (\(words), discriminator \(discriminator))"
            )
        case .windowClosed: return (["event": "windowClosed"], "window closed")
        case .commissionerArrived: return (["event": "commissionerArrived"], "a commissioner is in")
        case .commissionerRefused(let failure):
            return (
                ["event": "commissionerRefused", "reason": .string(failure.reason)],
                "a commissioner was refused: \(failure.reason)"
            )
        case .commissioned(let fabric):
            let fabricID = hexadecimal(fabric.fabricID.rawValue)
            let nodeID = hexadecimal(fabric.nodeID.rawValue)
            return (
                [
                    "event": "commissioned", "fabricIndex": .integer(Int64(fabric.index.rawValue)),
                    "fabricId": .string(fabricID), "nodeId": .string(nodeID),
                    "vendorId": .integer(Int64(fabric.vendorID.rawValue)),
                ],
                "commissioned: fabric \(fabricID), node \(nodeID)"
            )
        case .fabricRemoved(let index):
            return (
                ["event": "fabricRemoved", "fabricIndex": .integer(Int64(index.rawValue))],
                "fabric \(index.rawValue) removed"
            )
        case .factoryReset: return (["event": "factoryReset"], "as it left its factory")
        case .attributeChanged(let path, .bool(let isOn)) where path.cluster == .onOff && path.attribute.rawValue == 0:
            return (
                ["event": "onOff", "endpoint": .integer(Int64(path.endpoint.rawValue)), "on": .bool(isOn)],
                "endpoint \(path.endpoint.rawValue) is \(isOn ? "on" : "off")"
            )
        case .attributeChanged(let path, let value):
            guard isOfInterest(path) else { return nil }
            return (change(path, value, event: "attribute"), "endpoint \(text(path, value))")
        case .fault(let rule): return (["event": "fault", "rule": .string("\(rule)")], "fault: \(rule)")
        case .restarted: return (["event": "restarted"], "restarted")
        }
    }

    /// Changes that come with each commissioning, and times that run down, say nothing of what the device does.
    private static func isOfInterest(_ path: ConcreteAttributePath) -> Bool {
        switch (path.cluster, path.attribute.rawValue) {
        case (.basicInformation, _): true
        case (.levelControl, 0x0001), (.colorControl, 0x0002): false
        default: path.endpoint.rawValue != 0
        }
    }

    private static func text(_ path: ConcreteAttributePath, _ value: TLVValue) -> String {
        let name = ClusterName.text(cluster: path.cluster.rawValue, attribute: path.attribute.rawValue)
        return "\(path.endpoint.rawValue)/\(name) = \(AttributeValue(value).json.text())"
    }

    private static func change(_ path: ConcreteAttributePath, _ value: TLVValue, event: String) -> JSONObject {
        let name = ClusterName.text(cluster: path.cluster.rawValue, attribute: path.attribute.rawValue)
        let parts = name.split(separator: "/").map(String.init)
        return [
            "event": .string(event), "endpoint": .integer(Int64(path.endpoint.rawValue)), "cluster": .string(parts[0]),
            "attribute": .string(parts[1]), "clusterId": .integer(Int64(path.cluster.rawValue)),
            "attributeId": .integer(Int64(path.attribute.rawValue)), "value": AttributeValue(value).json,
        ]
    }

    // MARK: - Lines of standard input

    /// A line was obeyed.
    func done(_ line: String) {
        if isJSON { console.print(["event": "done", "line": .string(line)]) }
    }

    /// A line was not obeyed.
    func refused(_ line: String, _ reason: String) {
        if isJSON {
            console.print(["event": "refused", "line": .string(line), "reason": .string(reason)])
        } else {
            console.error(reason)
        }
    }

    /// What a line asked for.
    func value(_ line: String, _ path: ConcreteAttributePath, _ value: TLVValue) {
        if isJSON {
            var json = Self.change(path, value, event: "value")
            json["line"] = .string(line)
            console.print(json)
        } else {
            console.print(Self.text(path, value))
        }
    }

    /// An attribute that lines can set.
    func settable(_ line: String, _ path: ConcreteAttributePath, _ type: String, _ value: TLVValue) {
        if isJSON {
            var json = Self.change(path, value, event: "settable")
            json["line"] = .string(line)
            json["type"] = .string(type)
            console.print(json)
        } else {
            console.print("\(Self.text(path, value)), \(type)")
        }
    }

    private static func hexadecimal(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
