import MatterCrypto
import MatterModel
import MatterWire
import NetIO
import TestSupport
import Testing

@testable import MatterNode

@Suite("DeviceAdvertisement (Core §4.3.1)") struct DeviceAdvertisementTests {
    private func advertisement(
        _ kind: CommissioningWindow.Kind?, name: String? = nil
    ) throws -> DeviceAdvertisement {
        let identity = try DeviceIdentity(
            .init(kind: .onOffLight), secrets: SeededSecretSource(seed: 1), random: .seeded(1))
        let configuration = try identity.configuration(
            name: name, network: NetworkInterfaceDescription(name: "mem0", hardwareAddress: [2, 0, 0, 0, 0, 1]))
        return DeviceAdvertisement(
            configuration: configuration, port: 5541,
            window: kind.map {
                CommissioningWindow(
                    kind: $0, discriminator: 2976, pake: configuration.pake, adminFabric: nil, adminVendor: nil)
            }, commissionableName: "00C0FFEE00C0FFEE", fabrics: [])
    }

    @Test func `names everything by which a commissioner searches`() throws {
        let service = try #require(try advertisement(.initial).services.first)
        #expect(service.name == "00C0FFEE00C0FFEE")
        #expect(service.type == "_matterc._udp")
        #expect(service.subtypes == ["_L2976", "_S11", "_V65521", "_T256", "_CM"])
        #expect(service.port == 5541)
        let txt = service.txt
        #expect(txt["D"] == "2976")
        #expect(txt["CM"] == "1")
        #expect(txt["VP"] == "65521+32769")
        #expect(txt["DT"] == "256")
        #expect(txt["DN"] == "MatterHub Light")
        #expect(txt["SII"] == "500")
        #expect(txt["SAI"] == "300")
        #expect(txt["PH"] == "33")
    }

    @Test func `says that a window has a passcode of its own`() throws {
        #expect(try advertisement(.basic).services.first?.txt["CM"] == "1")
        #expect(try advertisement(.enhanced).services.first?.txt["CM"] == "2")
    }

    @Test func `is empty without window and fabrics`() throws {
        #expect(try advertisement(nil).services == [])
    }

    @Test func `cuts a long name between characters`() throws {
        let name = String(repeating: "é", count: 20)
        let service = try #require(try advertisement(.initial, name: name).services.first)
        #expect(service.txt["DN"] == String(repeating: "é", count: 16))
    }

    @Test func `draws names of 16 digits`() {
        #expect(DeviceAdvertisement.commissionableName(0xAB) == "00000000000000AB")
    }
}
