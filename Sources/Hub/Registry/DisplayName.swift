internal import Foundation

/// Why a text cannot be the name of a room, a device, a structure or a hub (Protocols/hub-control.md §8).
package struct DisplayNameError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        case empty
        /// Bytes of UTF-8 after normalisation.
        case tooLong(bytes: Int)
        /// A control character, a line break, or a character that changes the direction of the text around it.
        case forbiddenCharacter(Unicode.Scalar)
    }
    package let code: Code
    package var description: String {
        switch code {
        case .empty: "the name is empty, or nothing of it can be seen"
        case .tooLong(let bytes): "the name has \(bytes) bytes of UTF-8; \(DisplayName.maximumBytes) are allowed"
        case .forbiddenCharacter(let scalar):
            "the name holds \(scalar.plainName), which no name may have"
        }
    }
}

/// A name that people give: trimmed, in Unicode normal form C, without control characters.
///
/// Any script, emoji and right-to-left text are allowed. Two names are the same when their normal forms are; they are
/// alike when they differ in case only. Names are no keys: everything that has one also has an id.
package struct DisplayName: Hashable, Sendable {
    /// Bytes of UTF-8 that a name may have.
    package static let maximumBytes = 128
    package let text: String

    package init(_ raw: String) throws(DisplayNameError) {
        let name = raw.trimmingCharacters(in: .whitespacesAndNewlines).precomposedStringWithCanonicalMapping
        if let scalar = name.unicodeScalars.first(where: \.isForbiddenInNames) {
            throw DisplayNameError(code: .forbiddenCharacter(scalar))
        }
        guard name.unicodeScalars.contains(where: { !$0.isInvisible }) else { throw DisplayNameError(code: .empty) }
        guard name.utf8.count <= Self.maximumBytes else {
            throw DisplayNameError(code: .tooLong(bytes: name.utf8.count))
        }
        text = name
    }

    /// What is left of a name that a device or a product gives: without forbidden characters, cut to the length that
    /// is allowed; `nil` when nothing is left to see.
    package init?(cleaning raw: String) {
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: raw.unicodeScalars.filter { !$0.isForbiddenInNames })
        let cut = Self.cut(String(scalars).precomposedStringWithCanonicalMapping, toBytes: Self.maximumBytes)
        do throws(DisplayNameError) {
            try self.init(cut)
        } catch {
            return nil
        }
    }

    /// The same for names that are alike: they differ in case only.
    package var folded: String { Self.folded(text) }

    /// The form in which names that differ in case only are equal; not for people.
    package static func folded(_ text: String) -> String {
        // Upper case in between: some letters, as ß, have a lower case that says less than their upper case. Lower case
        // first: ẞ is its own upper case.
        text.lowercased().uppercased().lowercased().precomposedStringWithCanonicalMapping
    }

    /// At most so many bytes of UTF-8, cut between characters as people see them; may be empty.
    package static func cut(_ text: String, toBytes limit: Int) -> String {
        var (result, bytes) = ("", 0)
        for character in text {
            bytes += character.utf8.count
            guard bytes <= limit else { break }
            result.append(character)
        }
        return result
    }

    /// The name as a label of DNS: at most 63 bytes (RFC 6763 §4.1.1), cut between characters.
    package static func dnsLabel(_ text: String) -> String {
        let label = cut(text, toBytes: 63).trimmingCharacters(in: .whitespaces)
        // Only a single character of more than 63 bytes leaves nothing.
        return label.isEmpty ? "MatterHub" : label
    }
}

extension Unicode.Scalar {
    /// Embeddings, overrides and isolates of text direction: they turn what stands beside the name, too.
    private static let directionControls: [ClosedRange<UInt32>] = [0x202A...0x202E, 0x2066...0x2069]

    /// Whether no name may have it: it controls something, or turns the text around it.
    package var isForbiddenInNames: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: properties.isNoncharacterCodePoint || Self.directionControls.contains { $0.contains(value) }
        }
    }

    /// Blank, or a sign without a form of its own: joiners, marks of direction, selectors.
    fileprivate var isInvisible: Bool {
        properties.isWhitespace || properties.isDefaultIgnorableCodePoint || properties.generalCategory == .format
    }

    /// Its number and name, for example `U+202E RIGHT-TO-LEFT OVERRIDE`.
    package var plainName: String {
        let digits = String(value, radix: 16, uppercase: true)
        let number = "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        return (properties.name ?? properties.nameAlias).map { "\(number) \($0)" } ?? number
    }
}
