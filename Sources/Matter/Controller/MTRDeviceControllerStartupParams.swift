/// Which fabric a controller is on, and who signs for it.
public final class MTRDeviceControllerStartupParams: NSObject {
    /// The identity protection key, 16 bytes.
    public let ipk: Data
    /// The fabric's id; not 0. Fabrics of one id under two roots are two.
    public let fabricID: NSNumber
    /// The root's key pair.
    public let nocSigner: (any MTRKeypair)?
    /// The vendor that devices are told of; needed for a new fabric.
    public var vendorID: NSNumber?
    /// The controller's own node id; `nil` for a random one on a new fabric and the existing one on an old.
    public var nodeID: NSNumber?

    /// Makes parameters.
    ///
    /// - Parameters:
    ///   - ipk: 16 bytes.
    ///   - fabricID: not 0.
    ///   - nocSigner: the root's key pair.
    public init(ipk: Data, fabricID: NSNumber, nocSigner: any MTRKeypair) {
        self.ipk = ipk
        self.fabricID = fabricID
        self.nocSigner = nocSigner
    }
}
