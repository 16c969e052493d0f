import Testing

@testable import matterhub

@Suite("PlainText: what others say does not control the terminal") struct PlainTextTests {
    @Test func `lines keep line ends and tabs, and show the rest as a sign`() {
        #expect(PlainText.lines("Küche 👨‍👩‍👧 مطبخ\n\tx") == "Küche 👨‍👩‍👧 مطبخ\n\tx")
        #expect(
            PlainText.lines("a\u{1B}[31mb\u{7}\rc\u{9B}2J\u{7F}") == "a\u{FFFD}[31mb\u{FFFD}\u{FFFD}c\u{FFFD}2J\u{FFFD}"
        )
        #expect(PlainText.lines("safe\u{202E}txt.exe\u{2066}") == "safe\u{FFFD}txt.exe\u{FFFD}")
    }

    @Test func `a line of a log begins no other`() {
        #expect(PlainText.line("from 1.2.3.4\nhub: granted\r\n") == "from 1.2.3.4⏎hub: granted\u{FFFD}⏎")
    }

    @Test func `JSON says the same in escapes`() {
        #expect(PlainText.json(#"{"a":"x"}"#) == #"{"a":"x"}"#)
        #expect(PlainText.json("{\"a\":\"\u{9B}\u{7F}\u{202E}ü\"}") == #"{"a":"\u009b\u007f\u202eü"}"#)
    }
}
