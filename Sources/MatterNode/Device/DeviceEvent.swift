package import MatterModel
package import MatterProtocol
package import MatterWire

/// What happens to a virtual device, for those who watch it.
package enum DeviceEvent: Hashable, Sendable {
    /// Commissioners may come.
    case windowOpened(kind: CommissioningWindow.Kind, discriminator: UInt16)
    /// No commissioner may come any more; also while one is in.
    case windowClosed
    /// A commissioner proved the passcode.
    case commissionerArrived
    /// A commissioner failed to, which counts against the window.
    case commissionerRefused(HandshakeFailure)
    /// A commissioning was completed.
    case commissioned(DeviceFabric)
    /// A fabric is gone: removed, or rolled back before it was complete.
    case fabricRemoved(FabricIndex)
    /// The last fabric was removed: the device is as it left its factory.
    case factoryReset
    /// An attribute has another value.
    case attributeChanged(ConcreteAttributePath, TLVValue)
    /// A rule of the fault plan applied.
    case fault(FaultRule)
    /// The device restarted in the middle of its work, because a fault said so.
    case restarted
}

/// What may be told of one of a device's fabrics: nothing secret.
package struct DeviceFabric: Hashable, Sendable {
    package var index: FabricIndex
    package var fabricID: FabricID
    /// The device's id on the fabric.
    package var nodeID: NodeID
    /// The vendor of the administrator that added it.
    package var vendorID: VendorID
    package var label: String
    package var compressedFabricID: CompressedFabricID

    init(_ fabric: NodeFabric) {
        index = fabric.index
        fabricID = fabric.fabricID
        nodeID = fabric.nodeID
        vendorID = fabric.vendorID
        label = fabric.label
        compressedFabricID = fabric.compressedFabricID
    }
}
