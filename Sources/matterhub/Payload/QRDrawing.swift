internal import CQRencode
import Glibc

/// A QR code as text: two modules one above the other in a character.
struct QRDrawing {
    /// Modules on a side, without the quiet zone.
    let width: Int
    /// Light modules around the code (ISO/IEC 18004 §5.3.8 asks for 4).
    static let quietZone = 4
    private let dark: [Bool]

    /// Encodes `text` with libqrencode, error correction level M, in the smallest version that holds it.
    ///
    /// - Throws: ``CommandFailure`` when no version holds it.
    init(_ text: String) throws(CommandFailure) {
        guard let code = QRcode_encodeString(text, 0, QR_ECLEVEL_M, QR_MODE_8, 1) else {
            throw CommandFailure("no QR code can be made of this text: \(String(cString: strerror(errno)))")
        }
        defer { QRcode_free(code) }
        width = Int(code.pointee.width)
        // The lowest bit of each byte is the module's colour.
        dark = UnsafeBufferPointer(start: code.pointee.data, count: width * width).map { $0 & 1 == 1 }
    }

    /// The drawing for this console: in colours where it has them.
    func text(for console: Console, inverted: Bool = false) -> String {
        console.hasColors
            ? lines(inkIsDark: true).map { "\u{1B}[30;47m\($0)\u{1B}[0m" }.joined(separator: "\n")
            : lines(inkIsDark: inverted).joined(separator: "\n")
    }

    /// The lines, where letters (the ink) are dark on a light ground, or light on a dark one.
    func lines(inkIsDark: Bool) -> [String] {
        let range = -Self.quietZone..<width + Self.quietZone
        return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { row in
            range.map { column in
                let upper = isDark(row, column) == inkIsDark
                // Below the last row there is nothing, so nothing is drawn there.
                let lower = row + 1 < range.upperBound ? isDark(row + 1, column) == inkIsDark : false
                switch (upper, lower) {
                case (true, true): return "█"
                case (true, false): return "▀"
                case (false, true): return "▄"
                case (false, false): return " "
                }
            }.joined()
        }
    }

    private func isDark(_ row: Int, _ column: Int) -> Bool {
        (0..<width).contains(row) && (0..<width).contains(column) && dark[row * width + column]
    }
}
