import NetIO
import TestSupport
import Testing

@Suite("TXTRecord (RFC 6763 §6)") struct TXTRecordTests {
    @Test func `entries keep their order, their case and their octets`() throws {
        var record = TXTRecord(["D": "3840", "CM": "1", "DN": "Küche"])
        record.set("bin", [0, 0xFF, UInt8(ascii: "=")])
        let bytes = try record.encoded()
        #expect(Array(bytes.prefix(7)) == [6] + Array("D=3840".utf8))
        let read = TXTRecord(encoded: bytes)
        #expect(read == record)
        #expect(read["cm"] == "1")
        #expect(read["DN"] == "Küche")
        #expect(read.octets("bin") == [0, 0xFF, UInt8(ascii: "=")])
        #expect(read["bin"] == nil)
        #expect(read["absent"] == nil)
    }

    @Test func `setting replaces in place and nil removes`() {
        var record = TXTRecord(["a": "1", "b": "2"])
        record["A"] = "3"
        #expect(record.description == "a=3 b=2")
        record["a"] = nil
        #expect(record.description == "b=2")
        record["a"] = nil
        #expect(record.entries.count == 1)
    }

    @Test func `an empty record is one empty string`() throws {
        #expect(try TXTRecord().encoded() == [0])
        #expect(TXTRecord(encoded: [0]) == TXTRecord())
        #expect(TXTRecord(encoded: []) == TXTRecord())
    }

    @Test(
        arguments: [
            ([3] + Array("a=1".utf8) + [3] + Array("A=2".utf8), "a=1"), ([2] + Array("=1".utf8), ""),
            ([1] + Array("k".utf8), "k"), ([2] + Array("k=".utf8), "k="), ([9] + Array("a=1".utf8), ""),
            ([3] + Array("a=1".utf8) + [200, 1], "a=1"), ([3, 7, 61, 49], ""), ([5] + Array("a=b=c".utf8), "a=b=c"),
        ] as [([UInt8], String)])
    func `what breaks the rules is skipped`(_ bytes: [UInt8], _ text: String) {
        #expect(TXTRecord(encoded: bytes).description == text)
    }

    @Test func `too long entries and records are refused`() {
        let long = TXTRecord(["key": String(repeating: "x", count: 252)])
        #expect(throws: NetError.self) { try long.encoded() }
        var many = TXTRecord()
        for index in 0..<100 { many["key\(index)"] = String(repeating: "x", count: 100) }
        #expect(throws: NetError.self) { try many.encoded() }
    }

    @Test func `garbage is read without harm and what was read is written`() throws {
        let seedBytes = try TXTRecord(["D": "3840", "CM": "1", "VP": "65521+32769"]).encoded()
        for seed in 0..<500 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let record = TXTRecord(encoded: random.mutated(seedBytes))
            #expect(TXTRecord(encoded: try record.encoded()) == record, "seed \(seed)")
        }
    }
}
