// The extension of an app, as it is written for iOS: nothing in this file is for Linux.
import GoogleHomeMatterCommissionerSDK
import MatterSupport
import OSLog

/// Answers the system while it sets a device up.
class RequestHandler: MatterAddDeviceExtensionRequestHandler {
    /// The app group that app and extension share.
    static var appGroup = "group.com.example.seed"

    override func validateDeviceCredential(
        _ deviceCredential: MatterAddDeviceExtensionRequestHandler.DeviceCredential
    ) async throws {
        Logger.info("Validating \(deviceCredential.deviceAttestationCertificate.count) bytes of attestation.")
    }

    override func selectWiFiNetwork(
        from wifiScanResults: [MatterAddDeviceExtensionRequestHandler.WiFiScanResult]
    ) async throws -> MatterAddDeviceExtensionRequestHandler.WiFiNetworkAssociation {
        return .defaultSystemNetwork
    }

    override func selectThreadNetwork(
        from threadScanResults: [MatterAddDeviceExtensionRequestHandler.ThreadScanResult]
    ) async throws -> MatterAddDeviceExtensionRequestHandler.ThreadNetworkAssociation {
        return .defaultSystemNetwork
    }

    override func commissionDevice(
        in home: MatterAddDeviceRequest.Home?, onboardingPayload: String, commissioningID: UUID
    ) async throws {
        Logger.info("Commissioning into \(home?.displayName ?? "no home", privacy: .public).")
        do {
            let commissioner = try HomeMatterCommissioner(appGroup: RequestHandler.appGroup)
            try await commissioner.commissionMatterDevice(onboardingPayload: onboardingPayload)
        } catch {
            Logger.error("Commissioning failed: \(error.localizedDescription, privacy: .public)")
            throw error
        }
    }

    override func rooms(in home: MatterAddDeviceRequest.Home?) async -> [MatterAddDeviceRequest.Room] {
        do {
            let commissioner = try HomeMatterCommissioner(appGroup: RequestHandler.appGroup)
            let rooms = try commissioner.fetchRooms()
            Logger.info("Offering \(rooms.count) rooms.")
            return rooms
        } catch {
            Logger.error("No rooms: \(error.localizedDescription, privacy: .public)")
            return []
        }
    }

    override func configureDevice(named name: String, in room: MatterAddDeviceRequest.Room?) async {
        Logger.info("Naming the device \(name, privacy: .public).")
        do {
            let commissioner = try HomeMatterCommissioner(appGroup: RequestHandler.appGroup)
            await commissioner.configureMatterDevice(deviceName: name, roomName: room?.displayName)
        } catch {
            Logger.error("Naming failed: \(error.localizedDescription, privacy: .public)")
        }
    }
}
