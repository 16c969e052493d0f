internal import Foundation

/// Why a text cannot be the name of a room, a device or a structure.
package struct DisplayNameError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        case empty
        /// Bytes of UTF-8 after normalisation.
        case tooLong(bytes: Int)
        case controlCharacter(Unicode.Scalar)
    }
    package let code: Code
    package var description: String {
        switch code {
        case .empty: "the name is empty or only spaces"
        case .tooLong(let bytes): "the name has \(bytes) bytes of UTF-8; \(DisplayName.maximumBytes) are allowed"
        case .controlCharacter(let scalar):
            "the name holds the control character U+\(String(scalar.value, radix: 16, uppercase: true))"
        }
    }
}

/// A name that people give: trimmed, in Unicode normal form C, without control characters.
///
/// Any script, emoji and right-to-left text are allowed; two names are the same when their normal forms are.
package struct DisplayName: Hashable, Sendable {
    /// Bytes of UTF-8 that a name may have.
    package static let maximumBytes = 128
    package let text: String

    package init(_ raw: String) throws(DisplayNameError) {
        let name = raw.trimmingCharacters(in: .whitespacesAndNewlines).precomposedStringWithCanonicalMapping
        guard !name.isEmpty else { throw DisplayNameError(code: .empty) }
        if let scalar = name.unicodeScalars.first(where: { $0.properties.generalCategory == .control }) {
            throw DisplayNameError(code: .controlCharacter(scalar))
        }
        guard name.utf8.count <= Self.maximumBytes else {
            throw DisplayNameError(code: .tooLong(bytes: name.utf8.count))
        }
        text = name
    }
}
