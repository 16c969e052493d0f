// The same in the spelling of newer versions of the SDK; nothing in this file is for Linux either.
import GoogleHomeSDK
import MatterSupport
import OSLog

/// Adds devices to a home, in the newer spelling: an asynchronous `complete`, and `markFailed` after any error.
final class NewerDeviceCommissioner {
    /// What the SDK suggested after the last failure.
    private(set) var suggestions: [MatterSuggestedUserAction] = []

    /// Adds one device and returns the ids that it got.
    func addDevice(to structure: Structure) async throws -> Set<String> {
        do {
            try await structure.prepareForMatterCommissioning()
            let request = MatterAddDeviceRequest(
                topology: .init(ecosystemName: "Google Home", homes: [.init(displayName: structure.name)]))
            try await request.perform()
            return try await structure.completeMatterCommissioning()
        } catch {
            let result = structure.markMatterCommissioningFailed(error: error)
            suggestions = result.suggestedUserActions
            Logger().error("Adding the device failed: \(result.detailedError)")
            throw error
        }
    }
}
