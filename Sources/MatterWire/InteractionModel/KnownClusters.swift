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
    /// Switch.
    public static let switchCluster = ClusterID(rawValue: 0x003B)
    /// Boolean State.
    public static let booleanState = ClusterID(rawValue: 0x0045)
    /// ICD Management.
    public static let icdManagement = ClusterID(rawValue: 0x0046)
    /// Scenes Management.
    public static let scenesManagement = ClusterID(rawValue: 0x0062)
    /// Door Lock.
    public static let doorLock = ClusterID(rawValue: 0x0101)
    /// Window Covering.
    public static let windowCovering = ClusterID(rawValue: 0x0102)
    /// Thermostat.
    public static let thermostat = ClusterID(rawValue: 0x0201)
    /// Fan Control.
    public static let fanControl = ClusterID(rawValue: 0x0202)
    /// Color Control.
    public static let colorControl = ClusterID(rawValue: 0x0300)
    /// Temperature Measurement.
    public static let temperatureMeasurement = ClusterID(rawValue: 0x0402)
    /// Occupancy Sensing.
    public static let occupancySensing = ClusterID(rawValue: 0x0406)
}

/// Identifiers of device types (Matter 1.4, device library).
extension DeviceTypeID {
    /// The device type of endpoint 0.
    public static let rootNode = DeviceTypeID(rawValue: 0x0016)
    /// A door lock.
    public static let doorLock = DeviceTypeID(rawValue: 0x000A)
    /// What bridged devices belong to.
    public static let aggregator = DeviceTypeID(rawValue: 0x000E)
    /// A switch or button that controls nothing by itself.
    public static let genericSwitch = DeviceTypeID(rawValue: 0x000F)
    /// A device behind a bridge.
    public static let bridgedNode = DeviceTypeID(rawValue: 0x0013)
    /// A sensor that tells open from closed.
    public static let contactSensor = DeviceTypeID(rawValue: 0x0015)
    /// A fan.
    public static let fan = DeviceTypeID(rawValue: 0x002B)
    /// A light that switches on and off.
    public static let onOffLight = DeviceTypeID(rawValue: 0x0100)
    /// A light whose brightness can be set.
    public static let dimmableLight = DeviceTypeID(rawValue: 0x0101)
    /// A sensor that tells whether someone is there.
    public static let occupancySensor = DeviceTypeID(rawValue: 0x0107)
    /// A plug that switches on and off.
    public static let onOffPlugInUnit = DeviceTypeID(rawValue: 0x010A)
    /// A light whose white can be warm or cool.
    public static let colorTemperatureLight = DeviceTypeID(rawValue: 0x010C)
    /// A light of any colour.
    public static let extendedColorLight = DeviceTypeID(rawValue: 0x010D)
    /// A blind, shade or shutter.
    public static let windowCovering = DeviceTypeID(rawValue: 0x0202)
    /// A thermostat.
    public static let thermostat = DeviceTypeID(rawValue: 0x0301)
    /// A thermometer.
    public static let temperatureSensor = DeviceTypeID(rawValue: 0x0302)
}
