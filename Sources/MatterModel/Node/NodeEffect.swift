public import MatterWire

/// What a virtual node wants its driver to do. Effects are in the order in which they have to be performed.
public enum NodeEffect: Hashable, Sendable {
    /// Store ``VirtualNode/snapshot()`` durably before the answer that caused it is sent.
    case persist
    /// A fabric is there: advertise the operational instance, and answer CASE for it.
    case fabricAdded(FabricIndex)
    /// A fabric's credentials or identity protection keys are others now: advertise and answer CASE anew.
    case fabricUpdated(FabricIndex)
    /// A fabric is gone: withdraw its operational instance, and answer no CASE for it.
    case fabricRemoved(FabricIndex)
    /// From now on, requests of this PASE session have this fabric index.
    case bindPASESession(UInt64, to: FabricIndex)
    /// Close this session, once the answer in progress has reached the peer.
    case closeSession(UInt64)
    /// Close all CASE sessions of a fabric, once the answer in progress has reached the peer.
    case closeSessions(of: FabricIndex)
    /// Advertise as commissionable, and answer PASE with the window's parameters.
    case windowOpened(CommissioningWindow)
    /// Withdraw the commissionable advertisement and refuse PASE; also while a commissioning is in progress.
    case windowClosed
    /// A commissioning was completed by this fabric.
    case commissioningCompleted(FabricIndex)
    /// The last fabric was removed: the node is as it left its factory.
    case factoryReset
    /// An attribute has another value: subscriptions may report it.
    case attributeChanged(ConcreteAttributePath)
    /// Something happened: subscriptions to events may report it.
    case eventRecorded
}
