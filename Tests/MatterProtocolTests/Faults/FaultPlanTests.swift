import MatterProtocol
import TestSupport
import Testing

@Suite("Fault rules as text") struct FaultPlanTests {
    @Test(arguments: [
        ("pase:silence", "pase:silence"), ("any:vanish@3", "any:vanish@3"),
        ("csr:wrongNonce@2x3", "csr:wrongNonce@2x3"),
        ("addNOC:error=0x9c", "addNOC:error=0x9c"), ("addNOC:error=busy", "addNOC:error=0x9c"),
        ("addNOC:error=0x9cx2", "addNOC:error=0x9c@1x2"), ("complete:error=response:5", "complete:error=response:5"),
        ("complete:error=cluster:0x10", "complete:error=cluster:16"), ("readInfo:slow=250x*", "readInfo:slow=250@1x*"),
        ("pase:busy=2000x2", "pase:busy=2000@1x2"), ("discover:corrupt", "discover:corrupt=tlv"),
        ("pase:corrupt=mic", "pase:corrupt=mic"), ("any:error", "any:error=0x1"),
    ])
    func `a rule reads and writes itself`(_ text: String, _ written: String) throws {
        let rule = try FaultRule(text)
        #expect("\(rule)" == written)
        #expect(try FaultRule(written) == rule)
    }

    @Test(arguments: [
        ("", FaultPlanError.Code.form, 0), ("pase", .form, 0), ("base:silence", .stage, 0), ("pase:silent", .kind, 5),
        ("pase:silence=1", .argument, 13), ("pase:slow=soon", .argument, 10), ("pase:slow=", .argument, 10),
        ("pase:busy=70000", .argument, 10), ("csr:error=0x100", .argument, 10), ("csr:error=0", .argument, 10),
        ("csr:corrupt=all", .argument, 12), ("pase:silence@0", .count, 13), ("pase:silence@", .count, 13),
        ("pase:silence@2x0", .count, 15), ("pase:silencex99999", .count, 13), ("pase:wrongNonce", .impossible, 5),
        ("discover:vanish", .impossible, 9), ("addRoot:fabricTableFull", .impossible, 8), (":silence", .stage, 0),
        ("pase:", .kind, 5),
    ])
    func `a wrong rule says what is wrong and where`(_ text: String, _ code: FaultPlanError.Code, _ offset: Int) throws
    {
        let error = try #require(throws: FaultPlanError.self) { try FaultRule(text) }
        #expect(error.code == code)
        #expect(error.offset == offset)
        #expect(error.reason.count > 10)
    }

    @Test func `every kind is possible somewhere, has one name, and reads its own text`() throws {
        #expect(Set(FaultKind.catalogue.map(\.name)).count == FaultKind.catalogue.count)
        for kind in FaultKind.examples {
            let stages = CommissioningStage.allCases.filter(kind.applies(at:))
            #expect(!stages.isEmpty)
            for stage in stages {
                let rule = try FaultRule(stage: stage, kind: kind, from: 2, times: nil)
                #expect(try FaultRule("\(rule)") == rule)
            }
            #expect("\(kind)".hasPrefix(FaultKind.catalogue.first { $0.example == kind }?.name ?? "corrupt"))
        }
    }

    @Test func `mutated rules are read or refused, never more`() throws {
        var random = SeededGenerator(seed: 41)
        let letters = Array("abcexNOP:=@x*0123459 é\u{0}")
        for _ in 0..<4_000 {
            var text = Array(
                ["pase:silence@2x3", "addNOC:error=response:5", "csr:slow=10x*"].randomElement(using: &random)!)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 0..<text.count, using: &random)
                if Bool.random(using: &random) {
                    text.insert(letters.randomElement(using: &random)!, at: place)
                } else {
                    text.remove(at: place)
                }
            }
            do throws(FaultPlanError) {
                let rule = try FaultRule(String(text))
                #expect(try FaultRule("\(rule)") == rule)
            } catch {
                #expect(error.offset <= String(text).utf8.count)
            }
        }
    }
}
