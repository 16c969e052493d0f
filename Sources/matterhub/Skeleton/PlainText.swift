/// Text from devices, apps and files on its way to a terminal: what would control the terminal is shown instead.
enum PlainText {
    /// Every control character but line ends and tabs, and what turns the direction of text, as U+FFFD.
    static func lines(_ text: String) -> String {
        replacing(text) { $0 == "\n" || $0 == "\t" }
    }

    /// The same on one line: line ends become `⏎`.
    static func line(_ text: String) -> String {
        var line = String.UnicodeScalarView()
        for scalar in lines(text).unicodeScalars { line.append(scalar == "\n" ? "\u{23CE}" : scalar) }
        return String(line)
    }

    /// JSON has the control characters up to U+001F escaped; here the others are too, and mean the same to a reader.
    static func json(_ text: String) -> String {
        var plain = ""
        for scalar in text.unicodeScalars {
            if isControl(scalar) {
                let digits = String(scalar.value, radix: 16)
                plain += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            } else {
                plain.unicodeScalars.append(scalar)
            }
        }
        return plain
    }

    private static func replacing(_ text: String, allowed: (Unicode.Scalar) -> Bool) -> String {
        guard text.unicodeScalars.contains(where: { isControl($0) && !allowed($0) }) else { return text }
        var plain = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { plain.append(isControl(scalar) && !allowed(scalar) ? "\u{FFFD}" : scalar) }
        return String(plain)
    }

    /// Control characters, and the embeddings, overrides and isolates of text direction.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control || (0x202A...0x202E).contains(scalar.value)
            || (0x2066...0x2069).contains(scalar.value)
    }
}
