/// How far a commissioning is.
public enum MTRCommissioningStatus: Int, Hashable, Sendable {
    /// Nothing is known.
    case unknown = 0
    /// The session for commissioning is there.
    case success = 1
    /// The session for commissioning could not be made.
    case failed = 2
}

/// Follows a controller's commissioning; every method is optional and is called on the delegate's queue.
public protocol MTRDeviceControllerDelegate: NSObjectProtocol {
    /// The status changed.
    func controller(_ controller: MTRDeviceController, statusUpdate status: MTRCommissioningStatus)
    /// The session for commissioning is there, or could not be made.
    func controller(_ controller: MTRDeviceController, commissioningSessionEstablishmentDone error: (any Error)?)
    /// Commissioning ended; only when the form with the node's id is not there.
    func controller(_ controller: MTRDeviceController, commissioningComplete error: (any Error)?)
    /// Commissioning ended.
    func controller(
        _ controller: MTRDeviceController, commissioningComplete error: (any Error)?, nodeID: NSNumber?)
}

extension MTRDeviceControllerDelegate {
    /// Does nothing.
    public func controller(_ controller: MTRDeviceController, statusUpdate status: MTRCommissioningStatus) {}
    /// Does nothing.
    public func controller(
        _ controller: MTRDeviceController, commissioningSessionEstablishmentDone error: (any Error)?
    ) {}
    /// Does nothing.
    public func controller(_ controller: MTRDeviceController, commissioningComplete error: (any Error)?) {}
    /// Calls the form without the node's id.
    public func controller(
        _ controller: MTRDeviceController, commissioningComplete error: (any Error)?, nodeID: NSNumber?
    ) {
        self.controller(controller, commissioningComplete: error)
    }
}
