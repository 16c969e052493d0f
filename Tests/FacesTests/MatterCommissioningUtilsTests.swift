import Foundation
import GoogleHomeSDK
import Matter
import Testing

@Suite("MatterCommissioningUtils") struct MatterCommissioningUtilsTests {
    @Test func `codes are read, and what is none is refused`() {
        let qr = MatterCommissioningUtils.matterSetupPayload(from: "MT:Y.K90AFN00KA0648G00")
        #expect(qr?.setupPasscode == 20_202_021)
        #expect(MatterCommissioningUtils.matterSetupPayload(from: "3497-011-2332")?.setupPasscode == 20_202_021)
        for text in ["", "MT:", "12345678901", "8497011233", "hello"] {
            #expect(MatterCommissioningUtils.matterSetupPayload(from: text) == nil, "\(text)")
            #expect(!MatterCommissioningUtils.isQRCodeSupported(onboardingPayload: text), "\(text)")
        }
        #expect(MatterCommissioningUtils.isQRCodeSupported(onboardingPayload: "MT:Y.K90AFN00KA0648G00"))
        #expect(!MatterCommissioningUtils.isQRCodeSupported(onboardingPayload: "34970112332"))
        #expect(MatterCommissioningUtils.isAppInMatterBackendList)
    }

    @Test func `a commissionable device is a value that can be stored`() throws {
        let device = MatterCommissionableDevice(discriminator: 3840, discoveryModes: 4, vendorID: 0xFFF1)
        let bytes = try JSONEncoder().encode(device)
        #expect(try JSONDecoder().decode(MatterCommissionableDevice.self, from: bytes) == device)
        #expect(device.productID == nil)
    }
}
