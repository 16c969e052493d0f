import HubControl
import MatterNode
import Testing

@testable import Hub

/// A text that somebody gives as a name, and what becomes of it.
struct NameCase: Sendable, CustomTestStringConvertible {
    var what: String
    var given: String
    /// What is stored; `nil` when the name is refused.
    var stored: String?
    /// Part of the refusal's message.
    var refusal = ""
    var testDescription: String { what }

    static let table: [NameCase] = [
        NameCase(what: "plain", given: "Kitchen", stored: "Kitchen"),
        NameCase(what: "blanks around it", given: " \t Kitchen\n", stored: "Kitchen"),
        NameCase(what: "blanks inside", given: "Living  room", stored: "Living  room"),
        NameCase(what: "composed", given: "K\u{FC}che", stored: "K\u{FC}che"),
        NameCase(what: "decomposed becomes composed", given: "Ku\u{308}che", stored: "K\u{FC}che"),
        NameCase(what: "Chinese", given: "客厅", stored: "客厅"),
        NameCase(what: "Arabic, right to left", given: "غرفة النوم", stored: "غرفة النوم"),
        NameCase(what: "Hebrew with a mark of direction", given: "חדר\u{200F} 1", stored: "חדר\u{200F} 1"),
        NameCase(what: "Persian with a non-joiner", given: "خانه\u{200C}ها", stored: "خانه\u{200C}ها"),
        NameCase(what: "emoji of several scalars", given: "👨‍👩‍👧 Zimmer", stored: "👨‍👩‍👧 Zimmer"),
        NameCase(
            what: "a flag made of tags", given: "🏴\u{E0067}\u{E0062}\u{E007F}",
            stored: "🏴\u{E0067}\u{E0062}\u{E007F}"),
        NameCase(
            what: "128 bytes", given: String(repeating: "x", count: 128), stored: String(repeating: "x", count: 128)),
        NameCase(what: "129 bytes", given: String(repeating: "x", count: 129), stored: nil, refusal: "129 bytes"),
        NameCase(
            what: "44 characters of 3 bytes", given: String(repeating: "灯", count: 44), stored: nil,
            refusal: "132 bytes"),
        NameCase(
            what: "128 bytes once composed", given: String(repeating: "u\u{308}", count: 64),
            stored: String(repeating: "\u{FC}", count: 64)),
        NameCase(what: "empty", given: "", stored: nil, refusal: "empty"),
        NameCase(what: "blank", given: " \n ", stored: nil, refusal: "empty"),
        NameCase(what: "nothing to see", given: "\u{200B}\u{2060}\u{FE0F}", stored: nil, refusal: "seen"),
        NameCase(what: "a control character", given: "a\u{7}b", stored: nil, refusal: "U+0007"),
        NameCase(what: "a line break", given: "a\nb", stored: nil, refusal: "U+000A"),
        NameCase(what: "NUL", given: "a\u{0}", stored: nil, refusal: "U+0000"),
        NameCase(what: "a C1 control", given: "a\u{85}b", stored: nil, refusal: "U+0085"),
        NameCase(what: "a line separator", given: "a\u{2028}b", stored: nil, refusal: "U+2028 LINE SEPARATOR"),
        NameCase(
            what: "an override of direction", given: "gpj.\u{202E}lamp", stored: nil,
            refusal: "U+202E RIGHT-TO-LEFT OVERRIDE"),
        NameCase(what: "an isolate", given: "a\u{2067}b", stored: nil, refusal: "U+2067 RIGHT-TO-LEFT ISOLATE"),
        NameCase(what: "no character", given: "a\u{FFFE}b", stored: nil, refusal: "U+FFFE"),
    ]
}

@Suite("DisplayName (Protocols/hub-control.md §8)") struct DisplayNameTests {
    @Test(arguments: NameCase.table) func `is kept or refused as the contract says`(_ name: NameCase) throws {
        guard let stored = name.stored else {
            let error = #expect(throws: DisplayNameError.self) { try DisplayName(name.given) }
            #expect(error?.description.contains(name.refusal) == true, "\(error?.description ?? "")")
            return
        }
        #expect(Array(try DisplayName(name.given).text.unicodeScalars) == Array(stored.unicodeScalars))
    }

    @Test func `names that differ in case only are alike`() throws {
        #expect(try DisplayName("KÜCHE").folded == DisplayName("Ku\u{308}che").folded)
        #expect(try DisplayName("STRASSE").folded == DisplayName("straße").folded)
        #expect(try DisplayName("STRAẞE").folded == DisplayName("straße").folded)
        #expect(try DisplayName("ΟΔΟΣ").folded == DisplayName("οδος").folded)
        #expect(try DisplayName("Kitchen").folded != DisplayName("Kitchen 2").folded)
    }

    @Test func `a label of DNS has at most 63 bytes and no broken character`() {
        #expect(DisplayName.dnsLabel("Hub") == "Hub")
        #expect(DisplayName.dnsLabel(String(repeating: "x", count: 63)).utf8.count == 63)
        #expect(DisplayName.dnsLabel(String(repeating: "灯", count: 30)) == String(repeating: "灯", count: 21))
        // 3 bytes and then families of 18 bytes each.
        let families = "Hub" + String(repeating: "👨‍👩‍👧", count: 5)
        #expect(DisplayName.dnsLabel(families) == "Hub" + String(repeating: "👨‍👩‍👧", count: 3))
        #expect(DisplayName.dnsLabel(String(repeating: "x", count: 62) + " y").utf8.count == 62)
        #expect(DisplayName.dnsLabel("a" + String(repeating: "\u{301}", count: 40)) == "MatterHub")
    }

    @Test func `what a node says of itself holds no character that a name must not have`() {
        var description = NodeDescription()
        description.vendorName = " Ma\u{202E}ker\u{1B}[2J "
        description.productName = "La\u{0}mp\n"
        description.serialNumber = "12\u{85}34"
        let info = NodeInfo(description)
        #expect(info.vendorName == "Maker[2J" && info.productName == "Lamp" && info.serialNumber == "1234")
    }

    @Test func `what a device calls itself is cleaned, not refused`() {
        #expect(DisplayName(cleaning: "  La\u{7}mp\u{202E} ")?.text == "Lamp")
        #expect(DisplayName(cleaning: "\u{0}") == nil)
        #expect(DisplayName(cleaning: String(repeating: "灯", count: 44))?.text == String(repeating: "灯", count: 42))
    }
}
