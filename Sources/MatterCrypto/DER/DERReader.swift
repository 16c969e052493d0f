/// A cursor over DER (X.690): one element after another, lengths in their only allowed form.
package struct DERReader {
    /// One element: its identifier octet and its content.
    package struct Element {
        /// The identifier octet: class, constructed bit and a tag number below 31.
        package let tag: UInt8
        /// The content octets.
        package let content: ArraySlice<UInt8>
        /// The whole element: identifier, length and content.
        package let encoded: ArraySlice<UInt8>
    }

    private var rest: ArraySlice<UInt8>

    /// A cursor at the start of `bytes`.
    package init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// Whether nothing is left.
    package var isAtEnd: Bool { rest.isEmpty }
    /// The identifier octet of the next element; `nil` at the end.
    package var nextTag: UInt8? { rest.first }

    /// Reads the next element, whatever its tag.
    ///
    /// - Throws: `malformed` on high tag numbers, indefinite or non-minimal lengths, and lengths beyond the end.
    package mutating func element() throws(CryptoError) -> Element {
        var cursor = rest
        guard let tag = cursor.popFirst(), tag & 0x1F != 0x1F, let first = cursor.popFirst() else {
            throw CryptoError(.malformed, "DER: truncated element or high tag number")
        }
        var length = Int(first)
        if first >= 0x80 {
            let width = Int(first & 0x7F)
            guard (1...3).contains(width), cursor.count >= width else {
                throw CryptoError(.malformed, "DER: unsupported or truncated length")
            }
            length = 0
            for _ in 0..<width { length = length << 8 | Int(cursor.removeFirst()) }
            let shortest = length >= 0x80 && (width == 1 || length >> (8 * (width - 1)) != 0)
            guard shortest else { throw CryptoError(.malformed, "DER: length not in its shortest form") }
        }
        guard cursor.count >= length else { throw CryptoError(.malformed, "DER: length beyond the end") }
        let content = cursor.prefix(length)
        let element = Element(tag: tag, content: content, encoded: rest[rest.startIndex..<content.endIndex])
        rest = cursor.dropFirst(length)
        return element
    }

    /// Reads the next element, which must have this tag.
    package mutating func element(_ tag: UInt8) throws(CryptoError) -> Element {
        let element = try element()
        guard element.tag == tag else {
            throw CryptoError(.malformed, "DER: tag \(element.tag) where \(tag) was wanted")
        }
        return element
    }

    /// Reads a constructed element and returns a cursor over its content.
    package mutating func contents(_ tag: UInt8) throws(CryptoError) -> DERReader {
        DERReader(try element(tag).content)
    }

    /// Reads an INTEGER that must not be negative, and returns its shortest big-endian bytes (zero is one zero byte).
    package mutating func unsignedInteger() throws(CryptoError) -> ArraySlice<UInt8> {
        var content = try element(DER.integer).content
        guard let first = content.first, first < 0x80 else {
            throw CryptoError(.malformed, "DER: empty or negative integer")
        }
        if first == 0, content.count > 1 {
            content = content.dropFirst()
            guard let second = content.first, second >= 0x80 else {
                throw CryptoError(.malformed, "DER: integer not in its shortest form")
            }
        }
        return content
    }

    /// Reads a BIT STRING of whole octets.
    package mutating func octetAlignedBits() throws(CryptoError) -> ArraySlice<UInt8> {
        let content = try element(DER.bitString).content
        guard content.first == 0 else { throw CryptoError(.malformed, "DER: bit string with unused bits") }
        return content.dropFirst()
    }

    /// Reads a SubjectPublicKeyInfo of P-256 and returns the 65 bytes of the point, which is not checked to be on the curve.
    package mutating func subjectPublicKey() throws(CryptoError) -> [UInt8] {
        var info = try contents(DER.sequence)
        guard try Array(info.element(DER.sequence).encoded) == DER.p256Algorithm else {
            throw CryptoError(.malformed, "the public key is not on P-256")
        }
        let bytes = Array(try info.octetAlignedBits())
        try info.end()
        guard bytes.count == P256PublicKey.byteCount else {
            throw CryptoError(.malformed, "a public key of \(bytes.count) bytes")
        }
        return bytes
    }

    /// Checks that nothing follows.
    package func end() throws(CryptoError) {
        guard rest.isEmpty else { throw CryptoError(.malformed, "DER: \(rest.count) bytes too many") }
    }
}
