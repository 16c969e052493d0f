/// How long the steps of a setup may take. People have as much time as they want.
package struct SetupLimits: Hashable, Sendable {
    /// What the phone does with the device.
    package var phone = Duration.seconds(300)
    /// An extension's commissioning, which ends earlier by its own limit as a rule.
    package var commission = Duration.seconds(300)
    /// Every other call of the extension.
    package var call = Duration.seconds(60)
    /// From the start of the extension's process to its first message.
    package var start = Duration.seconds(30)
    /// What a step has to end after it was cancelled, and a process after it was asked to end.
    package var grace = Duration.seconds(10)

    /// The limits of the system.
    package init() {}

    func limit(of call: ExtensionCall) -> Duration {
        switch call {
        case .commission: commission
        case .validate, .selectWiFi, .selectThread, .rooms, .configure: self.call
        }
    }
}
