/// Identifiers of the clusters that this package serves or asks for (Matter 1.4, application and core cluster lists).
extension ClusterID {
    /// Identify.
    public static let identify = ClusterID(rawValue: 0x0003)
    /// Groups.
    public static let groups = ClusterID(rawValue: 0x0004)
    /// On/Off.
    public static let onOff = ClusterID(rawValue: 0x0006)
    /// Level Control.
    public static let levelControl = ClusterID(rawValue: 0x0008)
    /// Descriptor.
    public static let descriptor = ClusterID(rawValue: 0x001D)
    /// Binding.
    public static let binding = ClusterID(rawValue: 0x001E)
    /// Access Control.
    public static let accessControl = ClusterID(rawValue: 0x001F)
    /// Basic Information.
    public static let basicInformation = ClusterID(rawValue: 0x0028)
    /// General Commissioning.
    public static let generalCommissioning = ClusterID(rawValue: 0x0030)
    /// Network Commissioning.
    public static let networkCommissioning = ClusterID(rawValue: 0x0031)
    /// General Diagnostics.
    public static let generalDiagnostics = ClusterID(rawValue: 0x0033)
    /// Time Synchronization.
    public static let timeSynchronization = ClusterID(rawValue: 0x0038)
    /// Bridged Device Basic Information.
    public static let bridgedDeviceBasicInformation = ClusterID(rawValue: 0x0039)
    /// Administrator Commissioning.
    public static let administratorCommissioning = ClusterID(rawValue: 0x003C)
    /// Node Operational Credentials.
    public static let operationalCredentials = ClusterID(rawValue: 0x003E)
    /// Group Key Management.
    public static let groupKeyManagement = ClusterID(rawValue: 0x003F)
    /// ICD Management.
    public static let icdManagement = ClusterID(rawValue: 0x0046)
    /// Scenes Management.
    public static let scenesManagement = ClusterID(rawValue: 0x0062)
}

/// Identifiers of device types (Matter 1.4, device library).
extension DeviceTypeID {
    /// The device type of endpoint 0.
    public static let rootNode = DeviceTypeID(rawValue: 0x0016)
    /// A light that switches on and off.
    public static let onOffLight = DeviceTypeID(rawValue: 0x0100)
}
