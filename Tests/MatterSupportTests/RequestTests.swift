import Foundation
import MatterSupport
import Testing

@Suite("MatterAddDeviceRequest: values") struct RequestTests {
    typealias Criteria = MatterAddDeviceRequest.DeviceCriteria
    static let topology = MatterAddDeviceRequest.Topology(ecosystemName: "E", homes: [])

    @Test func `the forms of the initialiser`() {
        let plain = MatterAddDeviceRequest(topology: Self.topology)
        #expect(plain.showDeviceCriteria == .allDevices && plain.shouldScanNetworks)
        let full = MatterAddDeviceRequest(
            topology: Self.topology, showing: .not(.vendorID(1)), shouldScanNetworks: false)
        #expect(full.showDeviceCriteria == .not(.vendorID(1)) && !full.shouldScanNetworks)
        #expect(MatterAddDeviceRequest.isSupported)
    }

    @Test func `a request is stored with its criteria`() throws {
        let criteria = Criteria.any([
            .all([.vendorID(0xFFF1), .not(.productID(3))]), .serialNumber("S"), .commissioningID(UUID()),
            .fabricNode(rootPublicKey: Data([4]), nodeID: .max), .allDevices,
        ])
        let request = MatterAddDeviceRequest(topology: Self.topology, showing: criteria)
        let bytes = try JSONEncoder().encode(request)
        #expect(try JSONDecoder().decode(MatterAddDeviceRequest.self, from: bytes) == request)
    }

    @Test func `a request is stored with its code, unless that is none`() throws {
        for text in ["MT:Y.K90AFN00KA0648G00", "34970112332"] {
            let request = MatterAddDeviceRequest(topology: Self.topology, setupPayload: MTRSetupPayload(payload: text))
            let bytes = try JSONEncoder().encode(request)
            #expect(try JSONDecoder().decode(MatterAddDeviceRequest.self, from: bytes) == request)
            #expect(try request.payloadText() == text)
        }
        let none = MTRSetupPayload(setupPasscode: 0, discriminator: 1)
        let request = MatterAddDeviceRequest(topology: Self.topology, setupPayload: none)
        #expect(throws: MatterSetupError.self) { try JSONEncoder().encode(request) }
        let json =
            #"{"topology":{"ecosystemName":"","homes":[]},"setupPayload":"x","showDeviceCriteria":{"allDevices":{}},"#
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(
                MatterAddDeviceRequest.self, from: Data((json + #""shouldScanNetworks":true}"#).utf8))
        }
    }

    static let known = Criteria.KnownDevice(vendorID: 1, productID: 2, serialNumber: "S")

    @Test(
        arguments: [
            (Criteria.allDevices, true, true), (.vendorID(1), true, nil), (.vendorID(2), false, nil),
            (.productID(2), true, nil), (.productID(1), false, nil), (.serialNumber("S"), true, nil),
            (.serialNumber("T"), false, nil), (.not(.allDevices), false, false), (.not(.vendorID(2)), true, nil),
            (.any([]), false, false), (.any([.vendorID(2), .productID(2)]), true, nil),
            (.any([.vendorID(2), .allDevices]), true, true), (.any([.vendorID(2), .not(.allDevices)]), false, nil),
            (.all([]), true, true), (.all([.vendorID(1), .productID(1)]), false, nil),
            (.all([.vendorID(1), .not(.allDevices)]), false, false), (.all([.vendorID(1), .productID(2)]), true, nil),
            (.commissioningID(UUID()), false, false), (.fabricNode(rootPublicKey: Data(), nodeID: 1), false, false),
            (.not(.commissioningID(UUID())), true, true),
        ] as [(Criteria, Bool, Bool?)])
    func `criteria are decided by what is known`(_ criteria: Criteria, _ known: Bool, _ unknown: Bool?) {
        #expect(criteria.matches(Self.known) == known)
        #expect(criteria.matches(.init()) == unknown)
    }

    @Test func `codes say what they know`() throws {
        let qr = try SetupCode("MT:Y.K90AFN00KA0648G00")
        #expect(qr.device == .init(vendorID: 0xFFF1, productID: 0x8000))
        #expect(try SetupCode(" 3497-011-2332 ").device == .init())
        #expect(throws: MatterSetupError.self) { try SetupCode("34970112331") }
        #expect(throws: MatterSetupError.self) { try SetupCode("") }
    }

    @Test func `the base handler takes what comes, and commissions nothing`() async throws {
        let handler = MatterAddDeviceExtensionRequestHandler()
        try await handler.validateDeviceCredential(
            .init(
                certificationDeclaration: Data(), deviceAttestationCertificate: Data(),
                productAttestationIntermediateCertificate: Data()))
        #expect(try await handler.selectWiFiNetwork(from: []) == .defaultSystemNetwork)
        #expect(try await handler.selectThreadNetwork(from: []) == .defaultSystemNetwork)
        #expect(await handler.rooms(in: nil).isEmpty)
        await handler.configureDevice(named: "N", in: nil)
        await #expect(throws: MatterSetupError.self) {
            try await handler.commissionDevice(in: nil, onboardingPayload: "", commissioningID: UUID())
        }
    }
}
