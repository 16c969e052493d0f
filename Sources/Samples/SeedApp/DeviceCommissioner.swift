// The commissioning of an app, as it is written for iOS: nothing in this file is for Linux.
import Combine
import GoogleHomeSDK
import MatterSupport
import OSLog

/// Adds devices to a home, in the older spelling: a synchronous `complete`, and `cancel` after any error.
class DeviceCommissioner: ObservableObject {
    /// The app group that app and extension share.
    static var appGroup = "group.com.example.seed"

    @Published var isCommissioning = false
    @Published var commissionedIDs: Set<String> = []

    /// Says once, at the app's start, who the app is.
    @MainActor static func configure() {
        Home.configure { $0.sharedAppGroup = appGroup }
    }

    /// Adds one device and returns the ids that it got.
    func addDevice(to structure: Structure) async throws -> Set<String> {
        isCommissioning = true
        defer { isCommissioning = false }
        do {
            try await structure.prepareForMatterCommissioning()
            let topology = MatterAddDeviceRequest.Topology(
                ecosystemName: "Google Home",
                homes: [MatterAddDeviceRequest.Home(displayName: structure.name)]
            )
            let request = MatterAddDeviceRequest(topology: topology)
            try await request.perform()
            let ids = try structure.completeMatterCommissioning()
            Logger.info("Commissioned \(ids.count) devices.")
            commissionedIDs.formUnion(ids)
            return ids
        } catch {
            Logger.error("Adding the device failed: \(error.localizedDescription, privacy: .public)")
            structure.cancelMatterCommissioning()
            throw error
        }
    }
}
