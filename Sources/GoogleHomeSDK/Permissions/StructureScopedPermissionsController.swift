/// What the user has consented to in one structure, beyond the permission itself.
///
/// A MatterHub has none of the features that the SDK asks consent for: no feature is consented to, and no request has an
/// answer.
public struct StructureScopedPermissionsController: Sendable {
    /// A feature that needs consent; a MatterHub has none.
    public enum Feature: CaseIterable, Hashable, Sendable {}

    /// What the user has said of a feature.
    public enum ConsentStatus: Hashable, Sendable {
        /// Yes.
        case consented
        /// No.
        case notConsented
        /// Nothing.
        case unspecified
    }

    /// How a request for consent ended.
    public enum ConsentResponse: Hashable, Sendable {
        /// The user answered.
        case success(completed: Bool?, consentedFeatures: [Feature: ConsentStatus]?)
        /// The user had consented before.
        case alreadyConsented
    }

    /// The features that the user has consented to: none.
    public func consentedFeatures() async -> Set<Feature> { [] }

    /// What the user has said of each feature.
    public func featureConsentState(features: [Feature]) async -> [Feature: ConsentStatus] { [:] }

    /// Asks the user.
    ///
    /// - Returns: `nil`, since there is nothing to ask for.
    public func requestConsent(for features: [Feature]) async -> ConsentResponse? { nil }
}
