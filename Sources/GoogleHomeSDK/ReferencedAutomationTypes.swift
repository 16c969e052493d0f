/// The device types and traits that the app's automations name.
///
/// The SDK registers them; MatterHub knows all of its types anyway.
public struct ReferencedAutomationTypes: Sendable {
    /// Device types.
    public var deviceTypes: [any DeviceType.Type]
    /// Traits.
    public var traits: [any Trait.Type]

    /// Lists types.
    public init(deviceTypes: [any DeviceType.Type] = [], traits: [any Trait.Type] = []) {
        self.deviceTypes = deviceTypes
        self.traits = traits
    }
}
