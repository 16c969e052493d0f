import Matter
import TestSupport
import Testing

/// The rows of the room that reads codes; here the class that apps use is held to the same.
private struct PayloadRows: Decodable, Sendable {
    struct Fields: Decodable, Sendable {
        var version: Int, vendorId: Int?, productId: Int?, customFlow: UInt?, oracleCustomFlow: UInt?
        var discoveryCapabilities: UInt?, discriminator: Int?, shortDiscriminator: Int, passcode: Int
    }
    struct Row: Decodable, Sendable, CustomTestStringConvertible {
        var kind: String, code: String, decoded: Fields?, serialNumber: String?, errorCode: String?
        var testDescription: String { "\(kind) \(code.debugDescription)" }
    }
    var valid: [Row]
    var parseOnly: [Row]
    var invalid: [Row]

    static let all = Vectors.load(
        PayloadRows.self, "onboarding-payload.json",
        filePath: #filePath.replacingOccurrences(of: "/MatterTests/", with: "/MatterWireTests/"))
}

@Suite("MTRSetupPayload against vectors (Core §5.1)") struct MTRSetupPayloadVectorTests {
    @Test(arguments: PayloadRows.all.valid) fileprivate func `a good code gives its fields and comes back`(
        _ row: PayloadRows.Row
    ) throws {
        let payload = try #require(MTRSetupPayload(payload: row.code))
        let fields = try #require(row.decoded)
        #expect(payload.version.intValue == fields.version)
        #expect(payload.vendorID.intValue == fields.vendorId ?? 0)
        #expect(payload.productID.intValue == fields.productId ?? 0)
        #expect(payload.commissioningFlow.rawValue == fields.customFlow ?? fields.oracleCustomFlow)
        #expect(payload.discoveryCapabilities.rawValue == fields.discoveryCapabilities ?? 0)
        #expect(payload.hasShortDiscriminator == (fields.discriminator == nil))
        #expect(payload.discriminator.intValue == fields.discriminator ?? fields.shortDiscriminator)
        #expect(payload.setupPasscode.intValue == fields.passcode)
        if let serialNumber = row.serialNumber { #expect(payload.serialNumber == serialNumber) }
        let isQRCode = row.kind == "qr"
        #expect((MTRSetupPayload(qrCode: row.code) == payload) == isQRCode)
        #expect((MTRSetupPayload(QRCode: row.code) == payload) == isQRCode)
        #expect((MTRSetupPayload(manualPairingCode: row.code) == payload) == !isQRCode)
        #expect(try MTRSetupPayload(onboardingPayload: row.code) == payload)
        #expect(payload.qrCodeString() == (isQRCode ? row.code : nil))
        if !isQRCode { #expect(payload.manualEntryCode() == row.code.filter { $0 != "-" }) }
    }

    @Test(arguments: PayloadRows.all.invalid + PayloadRows.all.parseOnly)
    fileprivate func `a bad code is refused by every initialiser`(_ row: PayloadRows.Row) throws {
        #expect(MTRSetupPayload(payload: row.code) == nil)
        #expect(MTRSetupPayload(qrCode: row.code) == nil)
        #expect(MTRSetupPayload(manualPairingCode: row.code) == nil)
        let error = try #require(throws: MTRError.self) { try MTRSetupPayload(onboardingPayload: row.code) }
        #expect(error.code == (row.errorCode == "checkDigit" ? .integrityCheckFailed : .invalidArgument))
        #expect(!error.localizedDescription.isEmpty)
        #expect((error as NSError).domain == MTRErrorDomain)
    }

    @Test(arguments: PayloadRows.all.valid) fileprivate func `an archive keeps everything`(_ row: PayloadRows.Row)
        throws
    {
        let payload = try #require(MTRSetupPayload(payload: row.code))
        payload.addOrReplaceVendorElement(MTROptionalQRCodeInfo(tag: 0x90, stringValue: "v"))
        let archive = try NSKeyedArchiver.archivedData(withRootObject: payload, requiringSecureCoding: true)
        let read = try NSKeyedUnarchiver.unarchivedObject(ofClass: MTRSetupPayload.self, from: archive)
        let copy = try #require(read)
        #expect(copy == payload)
        #expect(copy.vendorElements == payload.vendorElements)
    }
}

@Suite("MTRSetupPayload") struct MTRSetupPayloadTests {
    @Test func `the codes of one device`() throws {
        let payload = try #require(MTRSetupPayload(payload: "MT:Y.K90AFN00KA0648G00"))
        #expect(payload.vendorID == 0xFFF1 && payload.productID == 0x8000)
        #expect(payload.discoveryCapabilities == .onNetwork)
        #expect(payload.discriminator == 3840 && !payload.hasShortDiscriminator)
        #expect(payload.setupPasscode == 20_202_021 && payload.setUpPINCode == 20_202_021)
        #expect(payload.rendezvousInformation == 4)
        #expect(payload.manualEntryCode() == "34970112332")
        payload.commissioningFlow = .custom
        #expect(payload.manualEntryCode() == "749701123365521327687")
    }

    @Test func `a manual code may have dashes, and gives no QR code`() throws {
        let payload = try #require(MTRSetupPayload(manualPairingCode: "3497-011-2332"))
        #expect(payload.hasShortDiscriminator && payload.discriminator == 15)
        #expect(payload.discoveryCapabilities == .unknown)
        #expect(payload.rendezvousInformation == nil)
        #expect(payload.qrCodeString() == nil)
        #expect(payload.manualEntryCode() == "34970112332")
        payload.hasShortDiscriminator = false
        payload.discriminator = 3840
        payload.discoveryCapabilities = .onNetwork
        payload.vendorID = 0xFFF1
        payload.productID = 0x8000
        #expect(payload.qrCodeString() == "MT:Y.K90AFN00KA0648G00")
    }

    @Test func `passcode and discriminator alone`() throws {
        let payload = MTRSetupPayload(setupPasscode: 20_202_021, discriminator: 3840)
        #expect(payload.version == 0 && payload.vendorID == 0 && payload.productID == 0)
        #expect(payload.commissioningFlow == .standard)
        #expect(payload.manualEntryCode() == "34970112332")
        #expect(payload.qrCodeString() == nil)
        payload.discoveryCapabilities = .onNetwork
        let text = try #require(payload.qrCodeString())
        #expect(MTRSetupPayload(payload: text) == payload)
    }

    @Test(arguments: [0, 11_111_111, 12_345_678, 87_654_321, 99_999_999, 134_217_728, -1])
    func `a passcode that no device may have gives no code`(_ passcode: Int) {
        let payload = MTRSetupPayload(setupPasscode: NSNumber(value: passcode), discriminator: 3840)
        payload.discoveryCapabilities = .onNetwork
        #expect(payload.manualEntryCode() == nil)
        #expect(payload.qrCodeString() == nil)
    }

    @Test func `fields out of range give no code`() {
        let change: [(MTRSetupPayload) -> Void] = [
            { $0.version = 1 }, { $0.version = 300 }, { $0.vendorID = 65_536 }, { $0.productID = -1 },
            { $0.discriminator = 4096 }, { $0.hasShortDiscriminator = true }, { $0.commissioningFlow = .invalid },
            { $0.discoveryCapabilities = .init(rawValue: 256) },
        ]
        for change in change {
            let payload = MTRSetupPayload(setupPasscode: 20_202_021, discriminator: 3840)
            payload.discoveryCapabilities = .onNetwork
            #expect(payload.qrCodeString() != nil)
            change(payload)
            #expect(payload.qrCodeString() == nil)
        }
    }

    @Test func `vendor's elements are kept by their tags`() throws {
        let payload = MTRSetupPayload(setupPasscode: 20_202_021, discriminator: 3840)
        payload.discoveryCapabilities = .onNetwork
        payload.serialNumber = "12345"
        payload.addOrReplaceVendorElement(MTROptionalQRCodeInfo(tag: 0x82, stringValue: "myData"))
        payload.addOrReplaceVendorElement(MTROptionalQRCodeInfo(tag: 0x81, int32Value: -7))
        payload.addOrReplaceVendorElement(MTROptionalQRCodeInfo(tag: 0x20, stringValue: "not a vendor's tag"))
        #expect(payload.vendorElements.map(\.tag) == [0x81, 0x82])
        let text = try #require(payload.qrCodeString())
        let read = try #require(MTRSetupPayload(payload: text))
        #expect(read == payload)
        #expect(read.serialNumber == "12345")
        #expect(read.vendorElement(withTag: 0x81)?.integerValue == -7)
        #expect(read.vendorElement(withTag: 0x81)?.type == .int32)
        #expect(read.vendorElement(withTag: 0x82)?.stringValue == "myData")
        #expect(try read.getAllOptionalVendorData() == payload.vendorElements)
        read.addOrReplaceVendorElement(MTROptionalQRCodeInfo(tag: 0x82, stringValue: "other"))
        read.removeVendorElement(withTag: 0x81)
        #expect(read.vendorElements.map(\.stringValue) == ["other"])
        read.serialNumber = nil
        #expect(read.serialNumber == nil)
    }

    @Test func `a copy is equal and its own`() throws {
        let payload = try #require(MTRSetupPayload(payload: "MT:Y.K90AFN00KA0648G00"))
        let copy = try #require(payload.copy() as? MTRSetupPayload)
        #expect(copy == payload && copy !== payload && copy.hash == payload.hash)
        #expect(Set([copy, payload]).count == 1)
        copy.productID = 1
        #expect(copy != payload)
        #expect(!payload.isEqual("MT:Y.K90AFN00KA0648G00"))
    }

    @Test func `the description does not tell the passcode`() throws {
        let payload = try #require(MTRSetupPayload(payload: "MT:Y.K90AFN00KA0648G00"))
        #expect(payload.description.contains("65521"))
        #expect(!payload.description.contains("20202021"))
    }

    @Test func `an archive without its fields is refused`() throws {
        let coder = NSKeyedArchiver(requiringSecureCoding: true)
        coder.finishEncoding()
        let reader = try NSKeyedUnarchiver(forReadingFrom: coder.encodedData)
        #expect(MTRSetupPayload(coder: reader) == nil)
    }

    @Test func `random passcodes are ones that a device may have`() {
        for _ in 0..<200 {
            let payload = MTRSetupPayload(
                setupPasscode: MTRSetupPayload.generateRandomSetupPasscode(), discriminator: 1)
            #expect(payload.manualEntryCode() != nil)
        }
        #expect((1...99_999_998).contains(MTRSetupPayload.generateRandomPIN()))
    }

    @Test(arguments: 0..<200 as Range<UInt64>) func `changed codes are refused or read, never a trap`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var characters = Array("MT:-24J0AFN00KA064IJ3P0IXZB0DK5N1K8SQ1RYCU1UXH34YY0V3KY.O3DKN440F710Q940")
        for _ in 0...Int.random(in: 0..<4, using: &random) {
            characters[Int.random(in: 3..<characters.count, using: &random)] =
                "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-.*%".randomElement(using: &random)!
        }
        if let payload = MTRSetupPayload(payload: String(characters)) { _ = payload.vendorElements }
    }
}

@Suite("Errors of Matter") struct MTRErrorTests {
    @Test func `the numbers are the header's`() {
        #expect(MTRError.Code.allCases.map(\.rawValue) == Array(1...16))
        #expect(MTRErrorCode.cancelled.rawValue == 16)
        #expect(
            MTRInteractionError.Code.allCases.map(\.rawValue) == [
                0x01, 0x7d, 0x7e, 0x7f, 0x80, 0x81, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8b, 0x8c, 0x8d, 0x8f, 0x92, 0x94,
                0x9c, 0xc3, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xcb, 0xcc,
            ])
        #expect(MTRGeneralCommissioningCommissioningError.allCases.map(\.rawValue) == [0, 1, 2, 3, 4])
    }

    @Test func `app code finds them the ways it does on iOS`() {
        let error: any Error = MTRError(.fabricExists)
        #expect((error as? MTRError)?.code == .fabricExists)
        #expect((error as NSError).domain == MTRErrorDomain && (error as NSError).code == 11)
        do {
            throw error
        } catch MTRError.timeout {
            Issue.record("another code")
        } catch MTRError.fabricExists {
        } catch {
            Issue.record("not found by its code")
        }
        let answer: any Error = MTRInteractionError(.failure, clusterStatus: 9)
        #expect((answer as NSError).domain == MTRInteractionErrorDomain)
        #expect((answer as NSError).userInfo["clusterStatus"] as? NSNumber == 9)
        #expect(MTRInteractionError.Code.failure ~= answer)
    }
}
