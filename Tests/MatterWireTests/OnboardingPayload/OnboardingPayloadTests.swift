import MatterWire
import TestSupport
import Testing

@Suite("Onboarding payload: reading what people give") struct OnboardingPayloadReadingTests {
    @Test func `several payloads are each read on their own`() throws {
        let text = "MT:M5L90MP500K64J00000*M5L90U.D010K4J00000*M5L900CM02IX4J00000*M5L908OU03-85J00000"
        let parsed = try ParsedOnboardingPayload.all(in: text).map { try $0.get().payload }
        #expect(parsed.map(\.qrCode) == text.dropFirst(3).split(separator: "*").map { "MT:" + $0 })
        let error = try #require(throws: OnboardingPayloadError.self) { try ParsedOnboardingPayload(text) }
        #expect(error.code == .severalPayloads)
        #expect(error.offset == 22)
    }

    @Test func `a bad part does not spoil the others and has its place in the whole text`() throws {
        let parts = ParsedOnboardingPayload.all(in: "MT:YNJV7VSC00CMVH7SR00*YNJV7VSC00CMVH7E4810AK00*")
        #expect(parts.count == 3)
        #expect(try parts[0].get().payload.passcode.rawValue == 34_567_890)
        let second = try #require(throws: OnboardingPayloadError.self) { try parts[1].get() }
        #expect(second.code == .malformedData)
        #expect(second.offset == 23 + 15)
        let third = try #require(throws: OnboardingPayloadError.self) { try parts[2].get() }
        #expect(third.code == .empty)
        #expect(third.offset == 48)
    }

    @Test(arguments: [
        "%MT:Y.K90AFN00KA0648G00", "Z%MT:Y.K90AFN00KA0648G00%ABC", "MT:Y.K90AFN00KA0648G00%",
        "%Z%MT:Y.K90AFN00KA0648G00%",
    ])
    func `parts of others, set off by a percent sign, are skipped`(text: String) throws {
        #expect(try ParsedOnboardingPayload(text).payload.qrCode == "MT:Y.K90AFN00KA0648G00")
    }

    @Test func `blanks mean nothing where people type, and are refused in data`() throws {
        for text in ["3497 011 2332", " 3497-011-2332\n", "3497\u{A0}011\u{A0}2332"] {
            #expect(try ParsedOnboardingPayload(text, blanks: .ignored).payload.manualCode == "34970112332")
            #expect(throws: OnboardingPayloadError.self) { try ParsedOnboardingPayload(text) }
        }
        let typed = try ParsedOnboardingPayload(" MT:Y.K90AFN00KA0648G00 \r\n", blanks: .ignored)
        #expect(typed.form == .qrCode)
        let error = try #require(throws: OnboardingPayloadError.self) {
            try ParsedOnboardingPayload("  0085 260 7537", blanks: .ignored).validated()
        }
        #expect(error.code == .invalidPasscode)
        #expect(error.offset == 3)
    }

    @Test(arguments: [
        ("3497O112332", "‘O’ in a manual code, which has the digits 0 to 9 and dashes only; is it a zero?"),
        (
            "34970112333",
            "the check digit is 3, but the 10 digits before it give 2: a digit is wrong or two are swapped"
        ),
        ("mt:Y.K90AFN00KA0648G00", "“MT:” must be upper case"),
        ("MT:y.k90afn00ka0648g00", "‘y’ is lower case; QR payloads are upper case"),
        (
            "MT:Y.K90AFN00KA0648G0\u{7}",
            "the character U+0007 is none of the 38 characters of a QR payload (0-9 A-Z - .)"
        ),
        (
            "MT:Y.K90AFN00KA0648G0",
            "18 characters follow “MT:”; the last group of 3 is incomplete, so a character is missing or too many"
        ),
        ("MT:Y.K90AFN00WKS18TV20", "the passcode 134217727 is out of range (1 to 99999998)"),
        ("MT:Y.K90AFN00OC0000000", "the passcode 00000000 is one that no device may have"),
        ("MT:Z.K90AFN00KA0648G00", "the version field is 1; only version 0 is defined"),
        ("３4970112332", "‘３’ in a manual code, which has the digits 0 to 9 and dashes only"),
        ("MT", "the text ends within “MT:”"),
        ("WIFI:S:x;;", "‘W’ where ‘M’ was expected: a QR payload begins “MT:”, a manual code with a digit"),
    ])
    func `the message names the character, digit or field`(text: String, message: String) throws {
        let error = try #require(throws: OnboardingPayloadError.self) { try ParsedOnboardingPayload(text).validated() }
        #expect(error.message == message)
    }

    @Test func `a payload that names BLE only is read and says so`() throws {
        let payload = try ParsedOnboardingPayload("MT:Y.K9042C00KA0648G00").validated()
        #expect(payload.discoveryCapabilities == .ble)
        #expect(payload.excludesNetworkDiscovery)
        #expect(try !ParsedOnboardingPayload("34970112332").payload.excludesNetworkDiscovery)
    }
}

@Suite("Onboarding payload: values") struct OnboardingPayloadValueTests {
    let passcode = Passcode(rawValue: 20_202_021)
    let discriminator = Discriminator(rawValue: 0xF00)

    @Test func `numbers out of their bits are no passcode and no discriminator`() {
        #expect(Passcode(rawValue: 1 << 27) == nil)
        #expect(Discriminator(rawValue: 4096) == nil)
        #expect(ShortDiscriminator(rawValue: 16) == nil)
    }

    @Test func `the forbidden passcodes are not valid`() throws {
        for number in Passcode.forbidden.union([0, 99_999_999, 100_000_000]) {
            #expect(try !#require(Passcode(rawValue: number)).isValid)
        }
        for number: UInt32 in [1, 99_999_998, 12_345_679] {
            #expect(try #require(Passcode(rawValue: number)).isValid)
        }
    }

    @Test func `random passcodes are valid`() {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<200 { #expect(Passcode.random(using: &random).isValid) }
    }

    @Test func `a short discriminator matches by its four bits`() throws {
        let long = try #require(discriminator)
        #expect(PayloadDiscriminator.short(long.short).matches(try #require(Discriminator(rawValue: 0xFFF))))
        #expect(!PayloadDiscriminator.short(long.short).matches(try #require(Discriminator(rawValue: 0xEFF))))
        #expect(!PayloadDiscriminator.long(long).matches(try #require(Discriminator(rawValue: 0xFFF))))
    }

    @Test func `optional data are kept in their order and can be asked for`() throws {
        var payload = OnboardingPayload(
            vendorID: VendorID(rawValue: 0xFFF1), productID: ProductID(rawValue: 0x8000),
            discoveryCapabilities: .onNetwork,
            discriminator: .long(try #require(discriminator)), passcode: try #require(passcode),
            data: [
                TLVElement(0x81, .utf8("Vendor")), TLVElement(0, .utf8("SN-42")), TLVElement(1, .unsigned(1000)),
                TLVElement(2, .octets([UInt8](repeating: 7, count: 16))), TLVElement(3, .unsigned(2)),
                TLVElement(4, .unsigned(900)), TLVElement(0x30, .bool(true)),
            ])
        let text = try #require(payload.qrCode)
        let read = try ParsedOnboardingPayload(text).payload
        #expect(read == payload)
        #expect(read.serialNumber == "SN-42")
        #expect(read.pbkdfIterations == 1000)
        #expect(read.pbkdfSalt?.count == 16)
        #expect(read.numberOfDevices == 2)
        #expect(read.commissioningTimeout == 900)
        #expect(read.vendorData.map(\.tag) == [0x81])
        for bad in [
            TLVElement(0, .utf8(String(repeating: "x", count: 33))), TLVElement(0, .bool(true)),
            TLVElement(1, .utf8("1")),
            TLVElement(2, .octets([1])), TLVElement(3, .unsigned(256)), TLVElement(4, .unsigned(65_536)),
        ] {
            payload.data = [bad]
            let code = try #require(payload.qrCode)
            let error = try #require(throws: OnboardingPayloadError.self) { try ParsedOnboardingPayload(code) }
            #expect(error.code == .malformedData)
        }
    }

    @Test func `manual codes are grouped for people`() {
        #expect(OnboardingPayload.grouped(manualCode: "34970112332") == "3497-011-2332")
        #expect(OnboardingPayload.grouped(manualCode: "749701123365521327687") == "7497-011-2336-55213-27687")
        #expect(OnboardingPayload.grouped(manualCode: "12") == "12")
    }

    @Test func `another version has no manual code`() throws {
        let payload = OnboardingPayload(
            version: 1, discriminator: .long(try #require(discriminator)), passcode: try #require(passcode))
        #expect(payload.manualCode == nil)
    }

    @Test(arguments: 0..<300 as Range<UInt64>) func `what is written is read back`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let payload = random.payload()
        let qrCode = try #require(payload.qrCode)
        #expect(try ParsedOnboardingPayload(qrCode).payload == payload)
        guard payload.version == 0, payload.passcode.rawValue != 0 else { return }
        for long in [false, true] {
            let code = try #require(payload.manualCode(long: long))
            let read = try ParsedOnboardingPayload(OnboardingPayload.grouped(manualCode: code)).payload
            #expect(read.passcode == payload.passcode)
            #expect(read.discriminator == .short(payload.discriminator.short))
            #expect(read.vendorID == (long ? payload.vendorID : nil))
            #expect(read.productID == (long ? payload.productID : nil))
        }
    }

    @Test(arguments: 0..<300 as Range<UInt64>) func `garbage has an error with a place, never a trap`(seed: UInt64)
        throws
    {
        var random = SeededGenerator(seed: seed)
        let payload = random.payload()
        let texts = [payload.qrCode, payload.manualCode, "MT:A*B%C"].compactMap { $0 }
        for _ in 0..<20 {
            let text = String(
                decoding: random.mutated(Array(try #require(texts.randomElement(using: &random)).utf8)), as: UTF8.self)
            for blanks in [ParsedOnboardingPayload.Blanks.refused, .ignored] {
                for result in ParsedOnboardingPayload.all(in: text, blanks: blanks) {
                    do throws(OnboardingPayloadError) {
                        _ = try result.get().validated()
                    } catch {
                        let offset = try #require(error.offset)
                        #expect((0...text.unicodeScalars.count).contains(offset))
                    }
                }
            }
        }
    }
}

extension SeededGenerator {
    fileprivate mutating func payload() -> OnboardingPayload {
        func bits<T: FixedWidthInteger>(_ count: Int, _: T.Type = T.self) -> T {
            T(truncatingIfNeeded: next() & (1 << count - 1))
        }
        guard let discriminator = Discriminator(rawValue: bits(12)), let passcode = Passcode(rawValue: bits(27)),
            let flow = OnboardingPayload.Flow(rawValue: bits(2))
        else { fatalError("as many bits as the types have") }
        return OnboardingPayload(
            version: Bool.random(using: &self) ? 0 : bits(3), vendorID: VendorID(rawValue: bits(16)),
            productID: ProductID(rawValue: bits(16)), flow: flow,
            discoveryCapabilities: .init(rawValue: bits(8)), discriminator: .long(discriminator), passcode: passcode,
            data: Bool.random(using: &self)
                ? [] : [TLVElement(0, .unsigned(next())), TLVElement(0x90, .octets(bytes(20)))])
    }
}
