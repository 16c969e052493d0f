import MatterWire
import TestSupport
import Testing

@Suite("Onboarding payload against vectors (Core §5.1)") struct OnboardingPayloadVectorTests {
    @Test func `the suite covers every row`() {
        let vectors = PayloadVectors.all
        #expect(vectors.valid.count == 73)
        #expect(vectors.parseOnly.count == 8)
        #expect(vectors.invalid.count == 97)
    }

    @Test(arguments: PayloadVectors.all.valid) func `a good payload is read and valid`(_ row: PayloadVectors.Row) throws
    {
        let parsed = try ParsedOnboardingPayload(row.code)
        let payload = try parsed.validated()
        try row.expectFields(payload)
        #expect(parsed.form == row.form)
        if let serialNumber = row.serialNumber { #expect(payload.serialNumber == serialNumber) }
        if let packed = row.packedHex {
            #expect(payload.packed?.hex == packed + (row.tlvHex ?? ""))
        }
    }

    @Test(arguments: PayloadVectors.all.valid) func `a good payload is written as it came`(_ row: PayloadVectors.Row)
        throws
    {
        let parsed = try ParsedOnboardingPayload(row.code)
        switch parsed.form {
        case .qrCode: #expect(parsed.payload.qrCode == row.code)
        case .shortManualCode, .longManualCode:
            #expect(parsed.payload.manualCode == row.code.filter { $0 != "-" })
            #expect(parsed.payload.qrCode == nil)
        }
    }

    @Test(arguments: PayloadVectors.codePairs)
    func `a QR payload's manual code is the one beside it`(qrCode: String, manualCode: String) throws {
        let payload = try ParsedOnboardingPayload(qrCode).payload
        #expect(payload.manualCode == manualCode)
    }

    @Test(arguments: PayloadVectors.all.parseOnly)
    func `a bad passcode is read and then refused`(_ row: PayloadVectors.Row) throws {
        let parsed = try ParsedOnboardingPayload(row.code)
        try row.expectFields(parsed.payload)
        let error = try #require(throws: OnboardingPayloadError.self) { try parsed.validated() }
        #expect(error.code.rawValue == row.errorCode)
        #expect(error.offset == row.errorOffset)
    }

    @Test(arguments: PayloadVectors.all.invalid)
    func `a bad payload is refused at the right layer and place`(_ row: PayloadVectors.Row) throws {
        let error: OnboardingPayloadError
        if row.layer == "validity" {
            let parsed = try ParsedOnboardingPayload(row.code)
            error = try #require(throws: OnboardingPayloadError.self) { try parsed.validated() }
        } else {
            error = try #require(throws: OnboardingPayloadError.self) { try ParsedOnboardingPayload(row.code) }
        }
        #expect(error.code.rawValue == row.errorCode)
        #expect(!error.message.isEmpty)
        let offset = try #require(error.offset)
        #expect((0...row.code.unicodeScalars.count).contains(offset))
        if let expected = row.errorOffset { #expect(offset == expected) }
    }
}

@Suite("Base-38 (Core §5.1.3.1)") struct Base38Tests {
    @Test(arguments: Base38Vectors.all.valid) func `encodes and decodes`(_ row: Base38Vectors.Valid) throws {
        let bytes = [UInt8](hex: row.hex)
        #expect(Base38.encode(bytes) == row.base38)
        #expect(try Base38.decode(row.base38.unicodeScalars) == bytes)
        #expect(Base38.encodedLength(ofBytes: bytes.count) == row.base38.count)
    }

    @Test(arguments: Base38Vectors.all.invalid) func `refuses and says where`(_ row: Base38Vectors.Invalid) throws {
        let failure = try #require(throws: Base38.Failure.self) { try Base38.decode(row.text.unicodeScalars) }
        #expect(failure.offset == row.offset)
        switch failure.code {
        case .badCharacter: #expect(row.code == "badCharacter")
        case .incompleteGroup: #expect(row.code == "incompleteGroup")
        case .overflow: #expect(row.code == "overflow")
        }
    }

    @Test(arguments: 0..<200 as Range<UInt64>) func `round trip`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let bytes = random.bytes(Int(seed % 40))
        #expect(try Base38.decode(Base38.encode(bytes).unicodeScalars) == bytes)
    }
}

@Suite("Verhoeff check digit (Core §5.1.4.1)") struct VerhoeffTests {
    @Test(arguments: VerhoeffVectors.all.good) func `computes the digit`(_ row: VerhoeffVectors.Good) {
        let digits = row.digits.utf8.map { $0 - 0x30 }
        #expect(String(Verhoeff.checkDigit(for: digits)) == row.check)
        #expect(Verhoeff.isValid(digits + [Verhoeff.checkDigit(for: digits)]))
    }

    @Test(arguments: VerhoeffVectors.all.bad) func `finds the error`(_ row: VerhoeffVectors.Bad) {
        #expect(!Verhoeff.isValid(row.full.utf8.map { $0 - 0x30 }))
    }

    @Test func `no digits are not valid`() { #expect(!Verhoeff.isValid([])) }
}

// MARK: - Rows

struct PayloadVectors: Decodable, Sendable {
    static let all = Vectors.load(PayloadVectors.self, "onboarding-payload.json")
    var valid: [Row]
    var parseOnly: [Row]
    var invalid: [Row]

    /// Manual codes that follow the QR code of the same device in the file.
    static let codePairs: [(String, String)] = zip(all.valid, all.valid.dropFirst()).compactMap { qrCode, manual in
        let samePasscode = qrCode.decoded?.passcode == manual.decoded?.passcode
        return qrCode.kind == "qr" && manual.kind != "qr" && samePasscode ? (qrCode.code, manual.code) : nil
    }

    struct Fields: Decodable, Sendable {
        var version: UInt8, vendorId: UInt16?, productId: UInt16?, customFlow: UInt8?, oracleCustomFlow: UInt8?
        var discoveryCapabilities: UInt8?, discriminator: UInt16?, shortDiscriminator: UInt8, passcode: UInt32
    }

    struct Row: Decodable, Sendable, CustomTestStringConvertible {
        var kind: String, code: String
        var decoded: Fields?, packedHex: String?, tlvHex: String?, serialNumber: String?
        var layer: String?, errorCode: String?, errorOffset: Int?
        var testDescription: String { "\(kind) \(code.debugDescription)" }

        var form: ParsedOnboardingPayload.Form {
            kind == "qr" ? .qrCode : kind == "manual21" ? .longManualCode : .shortManualCode
        }

        func expectFields(_ payload: OnboardingPayload) throws {
            let decoded = try #require(decoded)
            #expect(payload.version == decoded.version)
            #expect(payload.vendorID?.rawValue == decoded.vendorId)
            #expect(payload.productID?.rawValue == decoded.productId)
            #expect(payload.flow.rawValue == decoded.customFlow ?? decoded.oracleCustomFlow)
            #expect(payload.discoveryCapabilities?.rawValue == decoded.discoveryCapabilities)
            #expect(payload.discriminator.long?.rawValue == decoded.discriminator)
            #expect(payload.discriminator.short.rawValue == decoded.shortDiscriminator)
            #expect(payload.passcode.rawValue == decoded.passcode)
        }
    }
}

struct Base38Vectors: Decodable, Sendable {
    static let all = Vectors.load(Base38Vectors.self, "base38.json")
    struct Valid: Decodable, Sendable { var hex: String, base38: String }
    struct Invalid: Decodable, Sendable { var text: String, code: String, offset: Int }
    var valid: [Valid]
    var invalid: [Invalid]
}

struct VerhoeffVectors: Decodable, Sendable {
    static let all = Vectors.load(VerhoeffVectors.self, "verhoeff.json")
    struct Good: Decodable, Sendable { var digits: String, check: String }
    struct Bad: Decodable, Sendable { var full: String }
    var good: [Good]
    var bad: [Bad]
}
