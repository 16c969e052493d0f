/// Names of the specification in the spelling of the command line: `currentLevel` and `MoveToLevel` become
/// `current-level` and `move-to-level`.
enum ElementName {
    /// Words in lower case with hyphens between; a run of capitals is one word: `vendorID` is `vendor-id`.
    static func words(_ name: String) -> String {
        let letters = Array(name)
        var words = ""
        for (index, letter) in letters.enumerated() {
            if letter.isUppercase, index > 0 {
                let before = letters[index - 1]
                let after = letters.indices.contains(index + 1) ? letters[index + 1] : nil
                // The s of a plural belongs to the capitals before it: NOCs.
                let isPlural = after == "s" && index + 2 == letters.count
                if !before.isUppercase || (after?.isLowercase == true && !isPlural) { words.append("-") }
            }
            words += letter.lowercased()
        }
        return words
    }
}
