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
            console.print([
                "event": "ready", "type": .string(identity.kind.rawValue), "qrCode": .string(qrCode),
                "manualCode": .string(manualCode), "passcode": .integer(Int64(identity.passcode.rawValue)),
                "discriminator": .integer(Int64(identity.discriminator.rawValue)),
                "vendorId": .integer(Int64(DeviceIdentity.vendorID.rawValue)),
                "productId": .integer(Int64(identity.productID.rawValue)), "port": .integer(Int64(port)),
                "mdns": .bool(isAdvertised), "commissionable": .bool(isCommissionable),
                "fabrics": .array(fabrics.map { .string($0) }),
            ])
            return
        }
        console.print(try QRDrawing(qrCode).text(for: console))
        console.print("QR text:      \(qrCode)")
        console.print("Manual code:  \(OnboardingPayload.grouped(manualCode: manualCode))")
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
        case .attributeChanged: return nil
        }
    }

    private static func hexadecimal(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
