extension MatterAddDeviceRequest {
    /// Which devices may be set up.
    public indirect enum DeviceCriteria: Codable, Hashable, Sendable {
        /// Every device.
        case allDevices
        /// Devices that meet at least one of these; none when there are none.
        case any([DeviceCriteria])
        /// Devices that meet all of these.
        case all([DeviceCriteria])
        /// Devices that do not meet this.
        case not(DeviceCriteria)
        /// Devices of a vendor.
        case vendorID(Int)
        /// Devices of a product number, whoever's.
        case productID(Int)
        /// The device of a serial number.
        case serialNumber(String)
        /// The device that an extension commissioned under this id.
        case commissioningID(UUID)
        /// A node of a fabric that the system knows.
        case fabricNode(rootPublicKey: Data, nodeID: UInt64)
    }
}

extension MatterAddDeviceRequest.DeviceCriteria {
    /// What an onboarding code says of a device; `nil` where it says nothing, as a short manual code does of the vendor.
    package struct KnownDevice: Hashable, Sendable {
        /// The vendor's number.
        package var vendorID: Int?
        /// The product's number.
        package var productID: Int?
        /// The serial number.
        package var serialNumber: String?

        /// Takes what is known.
        package init(vendorID: Int? = nil, productID: Int? = nil, serialNumber: String? = nil) {
            self.vendorID = vendorID
            self.productID = productID
            self.serialNumber = serialNumber
        }
    }

    /// Whether a device meets the criteria; `nil` when what is known of it does not decide that.
    ///
    /// A device in setup was commissioned under no id and is on no known fabric: those two criteria never match one.
    package func matches(_ device: KnownDevice) -> Bool? {
        switch self {
        case .allDevices: return true
        case .any(let criteria):
            let answers = criteria.map { $0.matches(device) }
            return answers.contains(true) ? true : answers.contains(nil) ? nil : false
        case .all(let criteria):
            let answers = criteria.map { $0.matches(device) }
            return answers.contains(false) ? false : answers.contains(nil) ? nil : true
        case .not(let criterion): return criterion.matches(device).map { !$0 }
        case .vendorID(let vendor): return device.vendorID.map { $0 == vendor }
        case .productID(let product): return device.productID.map { $0 == product }
        case .serialNumber(let serial): return device.serialNumber.map { $0 == serial }
        case .commissioningID, .fabricNode: return false
        }
    }
}
