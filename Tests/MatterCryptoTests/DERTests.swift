import MatterCrypto
import MatterWire
import TestSupport
import Testing

@Suite("DER (X.690)") struct DERTests {
    @Test(arguments: [0, 1, 127, 128, 255, 256, 65_535, 65_536]) func `lengths round trip`(count: Int) throws {
        let content = [UInt8](repeating: 7, count: count)
        var reader = DERReader(DER.element(DER.octetString, content)[...])
        #expect(try Array(reader.element(DER.octetString).content) == content)
        try reader.end()
    }

    @Test(arguments: [
        "", "04", "0401", "0480", "048101" + "00", "04820001" + "00", "0484000000" + "0100", "1f0100", "04850000000000",
    ]) func `refuses lengths and tags of other forms`(_ hex: String) {
        let error = #expect(throws: CryptoError.self) {
            var reader = DERReader([UInt8](hex: hex)[...])
            _ = try reader.element()
        }
        #expect(error?.code == .malformed)
    }

    @Test(
        arguments: [
            ("020100", "00"), ("02017f", "7f"), ("02020080", "80"), ("02020100", "0100"), ("0200", nil),
            ("020180", nil),
            ("02020001", nil), ("0203000080", nil),
        ] as [(String, String?)]) func `integers are unsigned and shortest`(hex: String, magnitude: String?) throws
    {
        var reader = DERReader([UInt8](hex: hex)[...])
        if let magnitude {
            #expect(try Array(reader.unsignedInteger()).hex == magnitude)
            #expect(DER.unsignedInteger([0, 0] + [UInt8](hex: magnitude)).hex == hex)
        } else {
            #expect(throws: CryptoError.self) { try reader.unsignedInteger() }
        }
    }

    @Test(arguments: [
        "170d3030303233303030303030305a", "170d3031303232393030303030305a", "170d3030313330313030303030305a",
        "170d3030303130303030303030305a", "170d3030303130313234303030305a", "170d3030303130313030363030305a",
        "170d3030303130313030303036305a", "170b303030313031303030305a", "170d30303031303130303030303030",
        "180f32303030303130313030303030302b", "1811323030303031303130303030303030302e",
        "0c0d3030303130313030303030305a",
        "1700", "170d3a303031303130303030303030",
    ]) func `refuses times that do not exist or have another form`(_ hex: String) {
        let error = #expect(throws: CryptoError.self) {
            var reader = DERReader([UInt8](hex: hex)[...])
            _ = try DERTime.decode(&reader)
        }
        #expect(error?.code == .malformed)
    }

    @Test(arguments: 0..<500) func `times round trip`(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        // 1950 … 9999
        let latest: Int64 = seed.isMultiple(of: 2) ? 253_402_300_798 : 0
        let time = EpochSeconds(unixSeconds: .random(in: -631_152_000...latest, using: &generator))
        var reader = DERReader(DERTime.encoded(time)[...])
        #expect(try DERTime.decode(&reader) == time)
    }

    @Test func `times beyond the calendar are clamped`() {
        #expect(DERTime.encoded(EpochSeconds(rawValue: .min / 2)) == [UInt8](hex: "170d3530303130313030303030305a"))
        #expect(
            DERTime.encoded(EpochSeconds(rawValue: .max / 2)) == [UInt8](hex: "180f39393939313233313233353935385a"))
    }

    @Test func `a time without end is the end of 9999`() throws {
        var reader = DERReader(DERTime.encoded(nil)[...])
        #expect(try DERTime.decode(&reader) == nil)
        try reader.end()
    }
}
