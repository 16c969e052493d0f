/// The check digit of manual pairing codes: finds every wrong digit and every swap of neighbours (Core §5.1.4.1).
///
/// The tables are those of the dihedral group D5 and of the permutation that Verhoeff chose
/// (J. Verhoeff, "Error detecting decimal codes", 1969).
public enum Verhoeff {
    /// The digit to append to `digits`, each 0 … 9.
    public static func checkDigit(for digits: [UInt8]) -> UInt8 {
        var sum: UInt8 = 0
        for (index, digit) in digits.reversed().enumerated() {
            precondition(digit < 10, "a decimal digit")
            sum = product(sum, permutation(digit, times: index + 1))
        }
        return inverse(sum)
    }

    /// Whether the last of `digits` is the check digit of those before; `false` for no digits.
    public static func isValid(_ digits: [UInt8]) -> Bool {
        guard let last = digits.last else { return false }
        return checkDigit(for: Array(digits.dropLast())) == last
    }

    /// D5's product: 0 … 4 are rotations, 5 … 9 reflections.
    private static func product(_ a: UInt8, _ b: UInt8) -> UInt8 {
        switch (a < 5, b < 5) {
        case (true, true): (a + b) % 5
        case (true, false): (a + b) % 5 + 5
        case (false, true): (a + 10 - b) % 5 + 5
        case (false, false): (a + 10 - b) % 5
        }
    }

    private static func inverse(_ a: UInt8) -> UInt8 { a < 5 ? (5 - a) % 5 : a }

    private static let permutationTable: [UInt8] = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4]

    private static func permutation(_ digit: UInt8, times: Int) -> UInt8 {
        // The permutation has order 8.
        (0..<times % 8).reduce(digit) { digit, _ in permutationTable[Int(digit)] }
    }
}
