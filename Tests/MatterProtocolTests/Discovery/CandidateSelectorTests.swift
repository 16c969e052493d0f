import MatterProtocol
import MatterWire
import Testing

private let address = PeerAddress(ip: [UInt8](repeating: 0xFD, count: 16), port: 5540)

private func record(
    _ instance: String, _ txt: [String: String] = ["D": "3840", "CM": "1", "VP": "65521+32768"], port: UInt16 = 5540,
    addresses: [PeerAddress] = [address]
) -> CommissionableRecord {
    CommissionableRecord(instance: instance, port: port, addresses: addresses, txt: txt)
}

@Suite("CommissionableRecord (Core §4.3.1)") struct CommissionableRecordTests {
    @Test func `reads the keys in any case and ignores what it does not know`() {
        let seen = record("A", ["d": "3840", "cm": "2", "vp": "65521+32768", "sii": "5000", "SAI": "250", "X": "y"])
        #expect(seen.discriminator == 3840)
        #expect(seen.mode == .enhanced)
        #expect(seen.vendor?.rawValue == 0xFFF1)
        #expect(seen.product?.rawValue == 0x8000)
        #expect(seen.timing.idleInterval == .milliseconds(5000))
        #expect(seen.timing.activeInterval == .milliseconds(250))
    }

    @Test func `malformed values count as missing`() {
        let seen = record("A", ["D": "4096", "CM": "9", "VP": "+7", "SII": "-1"])
        #expect(seen.discriminator == nil)
        #expect(seen.mode == .closed)
        #expect(seen.vendor == nil)
        #expect(seen.product?.rawValue == 7)
        #expect(seen.timing.idleInterval == MRPParameters().idleInterval)
    }
}

@Suite("CandidateSelector (design: candidates)") final class CandidateSelectorTests {
    var selector = CandidateSelector(
        filter: .init(
            discriminator: .long(3840), vendor: .init(rawValue: 0xFFF1), product: .init(rawValue: 0x8000)))

    @Test func `the newest is tried first, each once`() {
        selector.recordFound(record("stale"))
        selector.recordFound(record("fresh"))
        #expect(selector.next()?.instance == "fresh")
        selector.answered("FRESH", .silent)
        selector.recordFound(record("fresh"))
        #expect(selector.next()?.instance == "stale")
        selector.answered("stale", .wrongPasscode)
        #expect(selector.next() == nil)
        #expect(selector.report.map(\.answer) == [.wrongPasscode, .silent])
    }

    @Test(arguments: [
        ["D": "3840", "CM": "0", "VP": "65521+32768"], ["D": "3841", "CM": "1"], ["CM": "1"],
        ["D": "3840", "CM": "1", "VP": "65522+32768"], ["D": "3840", "CM": "1", "VP": "65521+32769"],
    ]) func `another node is no candidate`(_ txt: [String: String]) {
        selector.recordFound(record("other", txt))
        #expect(selector.next() == nil)
        #expect(selector.report.isEmpty)
    }

    @Test(arguments: [
        ["D": "3840", "CM": "1"], ["D": "3840", "CM": "2", "VP": "65521"],
        ["D": "3840", "CM": "1", "VP": "65521+32768"],
    ]) func `what a record does not state is not held against it`(_ txt: [String: String]) {
        selector.recordFound(record("it", txt))
        #expect(selector.next()?.instance == "it")
    }

    @Test func `a short discriminator is the upper four bits`() {
        let filter = CommissionableFilter(discriminator: .short(15))
        #expect(filter.matches(record("a")))
        #expect(filter.matches(record("a", ["D": "4095", "CM": "1"])))
        #expect(!filter.matches(record("a", ["D": "255", "CM": "1"])))
    }

    @Test func `port 0, no address and removed records are not tried`() {
        selector.recordFound(record("zero", port: 0))
        selector.recordFound(record("nowhere", addresses: []))
        selector.recordFound(record("gone"))
        selector.recordRemoved("gone")
        #expect(selector.next() == nil)
        selector.recordFound(record("nowhere"))
        #expect(selector.next()?.instance == "nowhere")
    }

    @Test func `a window that closed before its turn is forgotten, one that was tried stays in the report`() {
        selector.recordFound(record("a"))
        selector.recordFound(record("a", ["D": "3840", "CM": "0"]))
        #expect(selector.next() == nil)
        selector.recordFound(record("b"))
        _ = selector.next()
        selector.answered("b", .busy)
        selector.recordRemoved("b")
        selector.recordFound(record("b", ["D": "3840", "CM": "0"]))
        #expect(selector.report == [.init(instance: "b", address: address, answer: .busy)])
    }

    @Test func `at most four are tried`() {
        for number in 0..<9 { selector.recordFound(record("n\(number)")) }
        var tried = 0
        while let next = selector.next() {
            tried += 1
            selector.answered(next.instance, .silent)
        }
        #expect(tried == CandidateSelector.limit)
        #expect(selector.report.count == 9)
    }

    @Test func `an answer without a try is ignored`() {
        selector.recordFound(record("a"))
        selector.answered("a", .wrongPasscode)
        selector.answered("unknown", .wrongPasscode)
        #expect(selector.next()?.instance == "a")
        selector.answered("a", .accepted)
        selector.answered("a", .silent)
        #expect(selector.report.map(\.answer) == [.accepted])
    }
}
