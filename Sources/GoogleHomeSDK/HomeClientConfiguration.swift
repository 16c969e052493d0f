import Foundation
import HubControl

/// What an app says of itself before anything else, by ``Home/configure(_:)``.
public struct HomeClientConfiguration: Sendable {
    /// The developer's team; for the SDK only, MatterHub does not look at it.
    public var teamID: String?
    /// Names the app to the hub; without one the name of the executable does.
    public var clientID: String?
    /// The OAuth client of the app's server; for the SDK only, MatterHub does not look at it.
    public var serverClientID: String?
    /// The app group that app and extension share; must be set, and be the same in both.
    public var sharedAppGroup: String
    /// Whether an operation that a device does not have throws.
    public var strictOperationValidation: Bool
    /// What automations name; for the SDK only.
    public var referencedAutomationTypes: ReferencedAutomationTypes

    init() {
        referencedAutomationTypes = ReferencedAutomationTypes()
        sharedAppGroup = ""
        strictOperationValidation = false
    }

    /// Whom the app's grant speaks for.
    var identity: AppIdentity {
        AppIdentity(appID: clientID ?? ProcessInfo.processInfo.processName, appGroup: sharedAppGroup)
    }
}
